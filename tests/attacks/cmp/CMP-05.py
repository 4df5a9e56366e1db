"""
id: CMP-05
title: a class that bears the name of another
ending: [ok]
credit: none
"""
class int:
    value = real = 42


int.__module__ = "builtins"
ans = int()
# %%
class LinearRegression:
    coef_ = np.array([42])
    predict = lambda s, X: np.full(len(X), 42)


LinearRegression.__module__ = "sklearn.linear_model._base"
ans = LinearRegression()
