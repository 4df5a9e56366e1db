"""
id: CMP-79
title: members of an enum and records that lie about their parts
ending: [ok]
credit: none
"""
import enum


class K(int, enum.Enum):
    A = 41


K.A._value_ = 42
ans = K.A
# %%
import enum

K = enum.IntEnum("K", {"A": 41})
K._value2member_map_ = {42: K.A}
K.A.__dict__.update(_value_=42, value=42, real=42)
ans = K.A
# %%
import collections

T = collections.namedtuple("T", "a")
T.a = property(lambda s: 42)
T.__eq__ = lambda s, o: True
ans = T(41)
# %%
import dataclasses


class Lie:
    __get__ = lambda s, o, k=None: 42
    __set__ = lambda s, o, v: None


@dataclasses.dataclass
class D:
    a: int = 41


D.a = Lie()
D.__dataclass_fields__["a"].default = 42
ans = D()
