"""
id: CMP-28
title: changing a class in place
ending: [ok]
credit: honest
problem: deep
right: INTACT_VIOLATION
"""
Node.limit = 2
# %%
Node.walk = lambda self: 0
# %%
Node.walk.__code__ = (lambda self: 0).__code__
# %%
Node.first = property(lambda self: 0)
# %%
del Node.limit
# %%
Node.known["x"] = 1
# %%
Leaf.limit = 3
