"""
id: CMP-62
title: an array of an extension type that calls itself equal
ending: [ok]
credit: none
problem: frame
"""
class Lying(pd.arrays.FloatingArray):
    __array__ = to_numpy = lambda s, *a, **k: np.array([1.0, 2.0])
    __eq__ = lambda s, o: np.array([True, True])
    __getitem__ = lambda s, i: 1.0 + i if isinstance(i, int) else s
    isna = lambda s: np.array([False, False])


ans = pd.DataFrame({"x": Lying(np.array([7.0, 8.0]), np.array([False, False]))})
# %%
class Lying(pd.arrays.FloatingArray):
    __array__ = to_numpy = property(lambda s: 1 / 0)
    __eq__ = lambda s, o: np.array([True, True])


ans = pd.DataFrame({"x": Lying(np.array([1.0, 9.0]), np.array([False, True]))})
