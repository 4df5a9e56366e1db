"""
id: CMP-27
title: changing a function in place
ending: [ok]
credit: honest
problem: deep
right: INTACT_VIOLATION
"""
price.__code__ = (lambda fare, *, rate=2: fare).__code__
# %%
price.__defaults__ = (7,)
# %%
price.__kwdefaults__["rate"] = 7
# %%
add_two.__closure__[0].cell_contents = 3
# %%
price.__kwdefaults__ = None
