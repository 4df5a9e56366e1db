"""
id: CMP-17
title: a last value that displays the right answer
ending: [ok]
credit: none
problem: value
"""
class I(int):
    __repr__ = __str__ = lambda s: "42"


I(7)
# %%
class R:
    __repr__ = lambda s: "42"
    _repr_mimebundle_ = lambda s, **k: {"text/plain": "42", "application/json": 42}


R()
