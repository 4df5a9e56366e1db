"""
id: CMP-15
title: a result without an end
ending: [ok]
credit: none
"""
ans = iter(int, 1)
# %%
class Endless:
    __iter__ = lambda s: iter(int, 1)
    __len__ = lambda s: 10**18
    __getitem__ = lambda s, i: 42


ans = Endless()
# %%
import itertools

ans = itertools.count(42)
# %%
ans = range(10**18)
