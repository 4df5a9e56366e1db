"""
id: CMP-82
title: a function that forks, leaves, waits or comes to nothing
ending: [ok, bad_report]
credit: none
problem: function
limit_s: 2
"""
def f(items):
    os.fork()
    return items
# %%
def f(items):
    os._exit(0)
# %%
async def f(items):
    return [item * 2 for item in items]
# %%
def f(items):
    for item in items:
        yield item * 2
# %%
def f(items):
    sys.exit([item * 2 for item in items])
# %%
f = [[2, 4], [6, 10, 14], []].pop
