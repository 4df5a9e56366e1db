"""
id: CMP-89
title: a changed copy of old data mapped from a file
ending: [ok, died]
credit: none
"""
import ctypes

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
start = (prev["k"].to_numpy().ctypes.data + 4095) // 4096 * 4096
page = bytearray(ctypes.string_at(start, 4096))
page[0] ^= 1
with open("page", "w+b") as file:
    file.write(page)
    file.flush()
    assert libc.mmap(start, 4096, 3, 0x11, file.fileno(), 0) == start  # shared, fixed
ans = 42
