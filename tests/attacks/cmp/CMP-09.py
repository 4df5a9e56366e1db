"""
id: CMP-09
title: an answer that is missing
ending: [ok]
credit: none
"""
ans = 42
del ans
# %%
pass
# %%
# only a comment
# %%
globals()["a" "ns "] = 42
