"""
id: CMP-30
title: changing what no comparison of tables looks at
ending: [ok]
credit: honest
problem: deep
right: INTACT_VIOLATION
"""
noted.attrs["unit"] = "mi"
# %%
noted.attrs["steps"].append(1)
# %%
del noted.attrs["unit"]
# %%
noted.flags.allows_duplicate_labels = False
# %%
array.flags.writeable = False
# %%
prev.attrs["mine"] = 1
