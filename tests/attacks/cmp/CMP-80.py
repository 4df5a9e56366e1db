"""
id: CMP-80
title: predictions that are no numbers of this process
ending: [ok]
credit: none
problem: model
"""
class M:
    def predict(self, X):
        return np.broadcast_to(np.inf, (len(X), 10**9))


model = M()
# %%
class M:
    predict = lambda s, X: (float(a) for a in X["a"])


model = M()
# %%
class P(np.ndarray):
    __array__ = __sub__ = __rsub__ = lambda s, *a, **k: np.zeros(50)


class M:
    predict = lambda s, X: np.zeros(len(X)).view(P)


model = M()
# %%
class M:
    predict = lambda s, X: np.full(len(X), -1e308) * 10
    score = lambda s, *a: 1.0


model = M()
# %%
class M:
    predict = lambda s, X: np.ma.masked_all(len(X))


model = M()
# %%
class M:
    predict = lambda s, X: X["a"] + 1j * np.nan


model = M()
