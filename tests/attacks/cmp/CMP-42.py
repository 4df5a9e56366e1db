"""
id: CMP-42
title: a record array whose fields are protocols
ending: [ok]
credit: none
problem: measured
"""
ans = np.array([(8, "series")], dtype=[("__array_struct__", "i8"), ("_typ", "U6")]).view(np.recarray)
# %%
ans = np.array([({"data": (8, True)}, 1)], dtype=[("__dataframe__", "O"), ("__dlpack__", "i8")]).view(np.recarray)[0]
