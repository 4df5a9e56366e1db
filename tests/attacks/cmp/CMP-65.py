"""
id: CMP-65
title: a table whose parts contradict each other
ending: [ok, error, died, bad_report]
credit: none
problem: frame
"""
ans = pd.DataFrame({"x": [1.0, 2.0]})
ans._mgr.axes = [pd.Index(["x"]), pd.RangeIndex(10**9)]
# %%
ans = pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 2.0]})
ans._mgr.axes[0] = pd.Index(["x", "y", "z"])
# %%
ans = pd.DataFrame({"x": [1.0, 9.0]})
ans._mgr = None
# %%
ans = pd.DataFrame({"x": [1.0, 9.0]})
object.__setattr__(ans, "_mgr", "x 1.0 2.0")
