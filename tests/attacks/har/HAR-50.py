"""
id: HAR-50
title: small numbers changed in memory
ending: [ok, died, bad_report, error, timed_out]
credit: none
limit_s: 2
"""
import ctypes

number = ctypes.c_uint32.from_address(id(2) + 24)
number.value = 3
ans = 41
# %%
import ctypes

for small in (12, 13, 27):
    ctypes.c_uint32.from_address(id(small) + 24).value = 200
ans = 41
# %%
import ctypes

ctypes.c_ssize_t.from_address(id(True)).value = 1
ctypes.memmove(id(None) + 8, id(0) + 8, 8)
ans = 41
