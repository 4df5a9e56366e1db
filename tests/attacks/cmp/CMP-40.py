"""
id: CMP-40
title: parts of records and named tuples under names of protocols
ending: [ok]
credit: none
problem: measured
"""
import dataclasses

address = {"data": (8, True), "shape": (4,), "typestr": "<f8", "version": 3}


@dataclasses.dataclass
class P:
    __array_interface__: dict
    x: int = 1


ans = P(address)
# %%
import collections

address = {"data": (8, True), "shape": (4,), "typestr": "<f8", "version": 3}


class P(tuple):
    _fields = ("__array_interface__", "x")


ans = P((address, 1))
# %%
address = {"data": (8, True), "shape": (4,), "typestr": "<f8", "version": 3}
ans = {"__array_interface__": address}
# %%
import collections

ans = collections.namedtuple("ndarray", ["dtype", "shape", "strides", "data"])("<f8", (4,), (8,), 8)
