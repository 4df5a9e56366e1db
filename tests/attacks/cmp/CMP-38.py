"""
id: CMP-38
title: a row of a Series that bears the name of a protocol
ending: [ok]
credit: none
problem: measured
"""
beyond = {"data": bytes(400), "offset": 1 << 20, "shape": (4,), "typestr": "<f8", "version": 3}
ans = pd.Series([beyond], index=["__array_interface__"])
# %%
address = {"data": (8, True), "shape": (4,), "typestr": "<f8", "version": 3}
ans = pd.Series([address, 1, 2], index=["__array_interface__", "a", "b"], dtype=object)
# %%
address = {"data": (8, True), "shape": (4,), "typestr": "<f8", "version": 3}
ans = [pd.Series([address], index=["__array_interface__"])] * 4
# %%
address = {"data": (8, True), "shape": (4,), "typestr": "<f8", "version": 3}
ans = pd.DataFrame({"__array_interface__": [address], "__array_struct__": [8], "_as_parameter_": [8]})
