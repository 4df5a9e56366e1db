"""
id: ESC-10
title: output without an end
ending: [ok, over_limit, timed_out]
credit: none
limit_s: 2
"""
while True:
    print("x" * 1000)
# %%
for number in range(10_000):
    display(number)
# %%
while True:
    os.write(2, b"\x1b[2J" * 10_000)
