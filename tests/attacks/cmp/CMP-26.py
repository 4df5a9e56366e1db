"""
id: CMP-26
title: changing the tail of a long list
ending: [ok]
credit: honest
problem: long
right: INTACT_VIOLATION
"""
pairs[-1] = (0, "x")
# %%
records[-1]["tags"].append("x")
# %%
table_of_lists["tags"].iloc[-1].append("x")
# %%
by_pair[(0, 0)] = -1
# %%
dates[-1] = dates[0].replace(year=1999)
# %%
pairs.append((1, "1"))
# %%
numbers[-1] = 0
# %%
records[-1]["n"] = float(records[-1]["n"])
