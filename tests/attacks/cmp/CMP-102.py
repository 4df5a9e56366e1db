"""
id: CMP-102
title: all numbers at once
ending: [ok]
credit: none
problem: counted
"""
print(*range(100))
# %%
[range(100), 42]
# %%
print(42, 41, 43)
