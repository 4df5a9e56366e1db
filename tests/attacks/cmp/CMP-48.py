"""
id: CMP-48
title: sparse values that are huge when filled
ending: [ok]
credit: none
"""
ans = pd.arrays.SparseArray._simple_new(
    np.zeros(0), pd._libs.sparse.IntIndex(2**31 - 1, np.zeros(0, "i4")), pd.SparseDtype(float, 42.0)
)
# %%
from scipy import sparse

ans = sparse.coo_matrix(([42.0], ([1 << 39], [0])), shape=(1 << 40, 1))
# %%
from scipy import sparse

ans = sparse.coo_matrix(([42.0], ([0], [0])), shape=(1 << 19, 1 << 19))
