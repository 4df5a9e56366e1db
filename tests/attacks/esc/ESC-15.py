"""
id: ESC-15
title: filling the disk
ending: [error, over_limit]
credit: none
overrides:
  replay: {ending: [error, over_limit, ok]}
  landlock: {ending: [error, over_limit, ok, timed_out], limit_s: 2}
"""
with open("big", "wb") as file:
    for _ in range(100):
        file.write(bytes(10**7))
# %%
for name in range(100):
    with open(f"big-{name}", "wb") as file:
        file.write(bytes(10**7))
# %%
for name in range(200_000):
    os.close(os.open(f"empty-{name}", os.O_CREAT | os.O_WRONLY))
