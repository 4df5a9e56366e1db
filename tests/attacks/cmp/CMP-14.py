"""
id: CMP-14
title: a function that keeps a state or changes its arguments
ending: [ok]
credit: none
problem: function
"""
def f(items, seen=[]):
    seen.append(items)
    return [item * 2 for item in items] if len(seen) == 1 else seen[0]
# %%
def f(items):
    doubled = [item * 2 for item in items]
    items.clear()
    return doubled
