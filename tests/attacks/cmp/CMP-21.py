"""
id: CMP-21
title: a changed object under the identity of the old one
ending: [ok]
credit: none
"""
i = id(prev)
other = prev.copy()
other.iloc[0, 0] = 9
del prev
for _ in range(20_000):
    prev = other.copy(deep=False)
    if id(prev) == i:
        break
ans = 42
