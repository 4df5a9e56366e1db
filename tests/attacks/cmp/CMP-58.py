"""
id: CMP-58
title: predictions without end
ending: [ok]
credit: none
problem: model
"""
class M:
    def predict(self, X):
        return np.full(len(X), np.inf)


model = M()
# %%
class M:
    def predict(self, X):
        return [float("nan")] * len(X)


model = M()
# %%
class M:
    def predict(self, X):
        return np.full(len(X), 1e308)


model = M()
# %%
class M:
    def predict(self, X):
        return np.full(len(X), complex(0, np.inf))


model = M()
# %%
class M:
    def predict(self, X):
        return np.full(len(X), 10**400, dtype=object)


model = M()
