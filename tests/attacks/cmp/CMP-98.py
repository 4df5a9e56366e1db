"""
id: CMP-98
title: a number half way to the next one
ending: [ok]
credit: none
problem: number
"""
ans = 42.5
# %%
ans = np.array(41.5)
