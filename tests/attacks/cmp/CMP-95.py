"""
id: CMP-95
title: thousands of labels for each row, one of which is meant
ending: [ok]
credit: none
problem: listed
"""
ans = pd.Series([-1], index=pd.MultiIndex.from_arrays([[n] for n in range(3000)]))
# %%
levels = pd.MultiIndex.from_arrays([[n] for n in range(30, 60)])
ans = pd.DataFrame({"a": [-1], "b": [-2]}, index=levels)
# %%
ans = pd.DataFrame([range(30, 60)])
