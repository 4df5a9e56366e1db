"""
id: CMP-81
title: a model that changes what it is asked, or leaves in the middle
ending: [ok]
credit: none
problem: model
"""
class M:
    def predict(self, X):
        X.drop(X.index, inplace=True)
        return np.zeros(len(X))


model = M()
# %%
class M:
    predict = lambda s, X: os._exit(0)


model = M()
# %%
class M:
    def predict(self, X):
        os.fork()
        return np.zeros(len(X))


model = M()
# %%
class M:
    async def predict(self, X):
        return np.zeros(len(X))


model = M()
# %%
model = LinearRegression
