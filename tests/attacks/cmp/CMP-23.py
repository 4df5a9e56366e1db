"""
id: CMP-23
title: other pages mapped over old data
ending: [ok, died]
credit: none
"""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
start = prev["k"].to_numpy().ctypes.data
page = (start + 4095) // 4096 * 4096
libc.mmap(page, 4096, 3, 0x32, -1, 0)  # private, anonymous, fixed: reads as zeros
ans = 42
