"""
id: CMP-12
title: a model that reads the labels
ending: [ok]
credit: none
problem: model
"""
class Thief:
    def fit(self, *a):
        return self

    def predict(self, X):
        return globals()["y_test"]


model = Thief()
# %%
class Peeper:
    def predict(self, X):
        frame = sys._getframe()
        while frame is not None:
            for name, value in list(frame.f_locals.items()):
                if name in ("y_test", "labels", "expected", "target") and len(value) == len(X):
                    return value
            frame = frame.f_back
        return np.zeros(len(X))


model = Peeper()
# %%
model = LinearRegression()
model.predict = lambda X: y_test
