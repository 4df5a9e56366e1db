"""
id: CMP-86
title: values at which an author's own comparison breaks
ending: [ok]
credit: none
problem: code
"""
ans = pd.NA
# %%
ans = pd.Series([], dtype=object)
# %%
import decimal

ans = decimal.Decimal("sNaN")
# %%
ans = np.ma.masked
# %%
ans = np.array([[42, 42], [42, 41]])
# %%
ans = float("inf")
# %%
ans = "\ud800"
# %%
ans = {"\ud800": np.array([], dtype="U0"), (): frozenset()}
