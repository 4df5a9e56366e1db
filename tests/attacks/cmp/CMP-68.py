"""
id: CMP-68
title: times whose unit is another than they say
ending: [ok, bad_report, died, error]
credit: none
problem: moment
"""
ans = pd.Timestamp("2020-01-01 13:00", tz="UTC")
try:
    ans._value = ans.value - 3_600_000_000_000
except Exception:
    pass
# %%
x = pd.to_datetime(["2020-01-01 13:00"]).tz_localize("UTC").array
x.__setstate__((pd.DatetimeTZDtype("s", "UTC"), x._ndarray, {}))
ans = x
# %%
x = pd.Series(pd.to_datetime(["2020-01-01"]))
x.array._freq = "12:00:00+00:00"
x.array.__setstate__((np.dtype("M8[s]"), np.array([1_577_880_000_000], "M8[ms]"), {}))
ans = x
