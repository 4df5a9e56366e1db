"""
id: CMP-73
title: masks and sparse places that do not fit
ending: [ok, bad_report, died, error]
credit: none
problem: frame
"""
x = pd.array([1.0, 9.0], dtype="Float64")
x._mask = np.zeros(10**6, dtype=bool)
ans = pd.DataFrame({"x": [1.0, 9.0]})
ans["x"] = pd.array([1.0, 9.0], dtype="Float64")
ans["x"].array._mask = np.array([False, True, True, True])
# %%
x = pd.arrays.SparseArray([1.0, 0.0])
x.sp_index.indices.flags.writeable = True
x.sp_index.indices[:] = 10**9
ans = pd.DataFrame({"x": x})
# %%
ans = np.ma.MaskedArray([7.0, 8.0], mask=[True, True], fill_value=1.0)
ans._mask = np.zeros(9, dtype=bool)
