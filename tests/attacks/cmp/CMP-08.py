"""
id: CMP-08
title: NaN, infinities and None under a tolerance
ending: [ok]
credit: none
problem: close
"""
ans = float("nan")
# %%
ans = float("inf")
# %%
ans = -np.inf
# %%
ans = None
# %%
ans = 1e308
# %%
ans = np.datetime64("NaT")
