"""
id: HAR-31
title: data that are changed and put back
ending: [ok]
credit: honest
"""
kept = prev.copy()
prev["k"] = 0
prev["k"] = kept["k"].to_numpy()
# %%
prev["more"] = 1
del prev["more"]
