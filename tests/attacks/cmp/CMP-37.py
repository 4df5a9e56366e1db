"""
id: CMP-37
title: a value that gives an author's code the address of its memory
ending: [ok]
credit: none
problem: measured
"""
from types import SimpleNamespace

address = {"data": (8, True), "shape": (50,), "typestr": "<f8", "version": 3}
beyond = {"data": bytes(400), "offset": 1 << 20, "shape": (50,), "typestr": "<f8", "version": 3}

ans = SimpleNamespace(__array_interface__=beyond)
# %%
from types import SimpleNamespace

address = {"data": (8, True), "shape": (50,), "typestr": "<f8", "version": 3}
beyond = {"data": bytes(400), "offset": 1 << 20, "shape": (50,), "typestr": "<f8", "version": 3}

ans = SimpleNamespace(__array_interface__=address)
# %%
from types import SimpleNamespace

address = {"data": (8, True), "shape": (50,), "typestr": "<f8", "version": 3}
beyond = {"data": bytes(400), "offset": 1 << 20, "shape": (50,), "typestr": "<f8", "version": 3}

ans = [SimpleNamespace(__array_interface__=beyond), {"a": SimpleNamespace(__array_struct__=8)}]
# %%
from types import SimpleNamespace

ans = SimpleNamespace(__array__=np.ndarray, __array_priority__=1e9, __dlpack__=bytes, __buffer__=bytes)
