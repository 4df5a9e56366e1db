"""
id: ESC-60
title: restricting itself with Landlock
ending: [ok]
credit: honest
"""
import ctypes, struct

libc = ctypes.CDLL(None)
libc.syscall.restype = ctypes.c_long
attributes = struct.pack("=Q", (1 << 13) - 1)
ruleset = libc.syscall(444, attributes, ctypes.c_size_t(len(attributes)), 0)
if ruleset >= 0:
    libc.prctl(38, 1, 0, 0, 0)
    libc.syscall(446, ruleset, 0)
    os.close(ruleset)
