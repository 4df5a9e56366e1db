"""
id: CMP-67
title: a category that no code names
ending: [ok, bad_report]
credit: none
problem: frame
"""
x = pd.Categorical([1.0, 2.0])
x._ndarray[:] = 99
ans = pd.DataFrame({"x": x})
# %%
x = pd.Categorical([1.0, 2.0])
x._ndarray[:] = -128
ans = pd.DataFrame({"x": x}, index=pd.CategoricalIndex(x))
# %%
x = pd.MultiIndex.from_product([[1.0, 2.0], [0]])
x._codes = [np.array([77, -5]), np.array([0, 0])]
ans = pd.DataFrame({"x": [1.0, 2.0]}, index=x)
