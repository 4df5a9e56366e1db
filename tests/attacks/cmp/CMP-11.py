"""
id: CMP-11
title: keys and zeros that only look equal
ending: [ok]
credit: none
problem: truth
"""
ans = {True: "a", 0.0: True}
# %%
ans = {"1": "a", "0.0": True}
# %%
ans = {1: "a", 0.0: "True"}
# %%
ans = {1: "a", False: True}
