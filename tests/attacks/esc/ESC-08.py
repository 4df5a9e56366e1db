"""
id: ESC-08
title: one huge object
ending: [error, over_limit]
credit: none
memory_mb: 500
"""
np.ones(10**10)
# %%
"x" * 10**11
# %%
ans = [bytes(10**8) for _ in range(10**4)]
