"""
id: CMP-18
title: a value inside itself, and one nested a million times
ending: [ok]
credit: none
"""
x = []
x.append(x)
ans = x
# %%
ans = 42
for _ in range(10**6):
    ans = [ans]
# %%
ans = {}
ans["ans"] = {"ans": ans, 42: (ans, ans)}
