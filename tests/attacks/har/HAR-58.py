"""
id: HAR-58
title: output that rewrites what stands before it
ending: [ok]
credit: none
problem: printed
"""
print("41\r\x1b[2K\x1b[1A42")
# %%
print("the answer is 41\b\b42")
# %%
print("\u202e24 si rewsna eht")
# %%
print("the answer is 4\u200b2")
