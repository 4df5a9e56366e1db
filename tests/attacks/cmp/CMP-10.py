"""
id: CMP-10
title: an answer that holds every candidate
ending: [ok]
credit: none
problem: unordered
"""
ans = list(range(10_000))
# %%
ans = [1, 2, 3] * 2
# %%
ans = [[1, 2, 3], [3, 1, 2]]
# %%
ans = np.arange(100)
