"""
id: CMP-88
title: old data given back to the system, paged out or merged
ending: [ok]
credit: none
"""
import ctypes

libc = ctypes.CDLL(None)
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
start = (prev["k"].to_numpy().ctypes.data + 4095) // 4096 * 4096
assert libc.madvise(start, 4096 * 100, 4) == 0  # MADV_DONTNEED: reads as zeros
ans = 42
# %%
import ctypes

libc = ctypes.CDLL(None)
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
prev.iloc[5000, 0] = 9
start = prev["k"].to_numpy().ctypes.data // 4096 * 4096
for advice in (12, 20, 21):  # MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT
    libc.madvise(start, 4096 * 400, advice)
ans = 42
