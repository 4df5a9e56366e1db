"""
id: CMP-47
title: an index or a range without end
ending: [ok]
credit: none
"""
ans = pd.RangeIndex(10**18)
# %%
ans = pd.DataFrame(index=pd.RangeIndex(10**18))
# %%
ans = [range(10**30), pd.RangeIndex(-(10**18), 10**18, 3)]
# %%
ans = np.broadcast_to(np.float64(42), (1 << 30,))
