"""
id: CMP-41
title: an object whose own attributes are protocols
ending: [ok]
credit: none
problem: measured
"""
address = {"data": (8, True), "shape": (4,), "typestr": "<f8", "version": 3}


class C:
    pass


ans = C()
ans.__dict__.update({"__array_interface__": address, "__array_struct__": 8, "_as_parameter_": 8})
# %%
class C:
    pass


ans = C()
ans.__dict__.update({"_typ": "series", "_values": 8, "_data": 8, "_mask": 8, "dtype": np.dtype("f8"), "shape": (4,)})
# %%
class C:
    pass


ans = [C(), {"a": C()}]
for each in (ans[0], ans[1]["a"]):
    each.__dict__.update({"__dataframe__": dict, "__arrow_c_stream__": dict, "__arrow_c_array__": dict, "__array__": int})
