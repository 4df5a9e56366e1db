"""
id: CMP-55
title: both truths
ending: [ok]
credit: none
problem: boolean
"""
# True False
pass
# %%
print("True False")
# %%
print(False, True)
# %%
"""True"""
pass
