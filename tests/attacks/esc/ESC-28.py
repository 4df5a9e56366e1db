"""
id: ESC-28
title: waiting for input
ending: [error, ok]
credit: none
"""
input()
# %%
sys.stdin.read()
# %%
os.read(0, 100)
# %%
breakpoint()
