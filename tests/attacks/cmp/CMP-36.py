"""
id: CMP-36
title: a prediction that gives the address of its memory
ending: [ok]
credit: none
problem: model
"""
from types import SimpleNamespace

address = {"data": (8, True), "shape": (50,), "typestr": "<f8", "version": 3}
beyond = {"data": bytes(400), "offset": 1 << 20, "shape": (50,), "typestr": "<f8", "version": 3}


class M:
    def predict(self, X):
        return SimpleNamespace(__array_interface__=address)


model = M()
# %%
from types import SimpleNamespace

address = {"data": (8, True), "shape": (50,), "typestr": "<f8", "version": 3}
beyond = {"data": bytes(400), "offset": 1 << 20, "shape": (50,), "typestr": "<f8", "version": 3}


class M:
    def predict(self, X):
        return SimpleNamespace(__array_interface__=beyond, shape=(50,), dtype=np.dtype("f8"), ndim=1)


model = M()
# %%
from types import SimpleNamespace

address = {"data": (8, True), "shape": (50,), "typestr": "<f8", "version": 3}
beyond = {"data": bytes(400), "offset": 1 << 20, "shape": (50,), "typestr": "<f8", "version": 3}


class M:
    def predict(self, X):
        return [SimpleNamespace(__array_interface__=beyond)] * 50


model = M()
