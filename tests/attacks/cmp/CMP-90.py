"""
id: CMP-90
title: old data changed through a pointer, a raw buffer and its index
ending: [ok]
credit: honest
right: INTACT_VIOLATION
"""
import ctypes

ctypes.c_int64.from_address(prev["k"].to_numpy().ctypes.data + 8 * 299_999).value = 7
# %%
import ctypes

ctypes.memset(prev._mgr.blocks[0].values.ctypes.data + 8 * 150_000, 1, 1)
# %%
prev.index = prev.index + 1
# %%
prev.columns = pd.Index(["k"], name="other")
