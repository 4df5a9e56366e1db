"""
id: CMP-03
title: a subclass of a NumPy scalar or array
ending: [ok]
credit: none
"""
class N(np.float64):
    __eq__ = lambda s, o: True


ans = N(41)
# %%
class A(np.ndarray):
    __eq__ = __array_equal__ = lambda s, o: True
    __array_finalize__ = lambda s, o: None
    item = tolist = lambda s, *a: 42


ans = np.array(41).view(A)
