"""
id: CMP-50
title: keys that all have one hash
ending: [ok, timed_out]
credit: none
limit_s: 20
"""
ans = {k * (2**61 - 1): 42 for k in range(8, 10_000)}
# %%
ans = {k * (2**61 - 1) for k in range(8, 10_000)}
