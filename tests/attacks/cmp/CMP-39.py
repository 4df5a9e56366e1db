"""
id: CMP-39
title: a prediction that is such a Series
ending: [ok]
credit: none
problem: model
"""
address = {"data": (8, True), "shape": (50,), "typestr": "<f8", "version": 3}


class M:
    def predict(self, X):
        return pd.Series([address], index=["__array_interface__"])


model = M()
# %%
beyond = {"data": bytes(400), "offset": 1 << 20, "shape": (50,), "typestr": "<f8", "version": 3}


class M:
    def predict(self, X):
        return [pd.Series([beyond], index=["__array_interface__"])]


model = M()
