"""
id: CMP-75
title: a class whose metaclass makes it equal to float
ending: [ok, bad_report, died, error]
credit: none
problem: close
"""
class Meta(type):
    __hash__ = lambda cls: hash(float)
    __eq__ = lambda cls, other: True
    __instancecheck__ = __subclasscheck__ = lambda cls, other: True
    __getattribute__ = lambda cls, name: (float,) if name == "__mro__" else type.__getattribute__(cls, name)


class F(metaclass=Meta):
    hex = lambda s: "nan"
    __float__ = lambda s: 1.5


ans = F()
# %%
class Meta(type):
    mro = lambda cls: [cls, *type.mro(cls)[1:]]
    __hash__ = lambda cls: 1 / 0


class F(metaclass=Meta):
    pass


ans = [F(), F]
