"""
id: CMP-60
title: an array of a trillion elements over a single one
ending: [ok, error, bad_report, died]
credit: none
problem: frame
"""
ans = np.broadcast_to(1.0, (10**12,))
# %%
ans = pd.DataFrame({"x": np.lib.stride_tricks.as_strided(np.array([1.0]), (10**13,), (0,))}, copy=False)
