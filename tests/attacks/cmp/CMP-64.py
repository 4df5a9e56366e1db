"""
id: CMP-64
title: a block of a table that holds another kind of array
ending: [ok, error, died, bad_report]
credit: none
problem: frame
"""
class Lying(np.ndarray):
    __array_finalize__ = lambda s, o: None
    __eq__ = lambda s, o: np.array([True, True])
    __getitem__ = lambda s, i: s
    __array_function__ = __array_ufunc__ = lambda s, *a, **k: True


ans = pd.DataFrame({"x": [7.0, 8.0]})
ans._mgr.blocks[0].values = np.array([[7.0, 8.0]]).view(Lying)
# %%
ans = pd.DataFrame({"x": [1.0, 2.0]})
ans._mgr.blocks[0].values = np.array([[1.0, 2.0, 9.0]])
# %%
ans = pd.DataFrame({"x": [1.0, 2.0, 9.0]})
ans._mgr.axes[1] = pd.RangeIndex(2)
