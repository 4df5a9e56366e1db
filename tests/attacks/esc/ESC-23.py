"""
id: ESC-23
title: rarely used system calls
ending: [ok]
credit: none
"""
import ctypes, platform

libc = ctypes.CDLL(None, use_errno=True)
numbers = {
    "x86_64": (321, 425, 323, 250, 248, 298, 101, 438, 304, 310, 311, 175, 246, 0x40000000 | 39),
    "aarch64": (280, 425, 282, 219, 217, 241, 117, 438, 265, 270, 271, 105, 104),
}
room = ctypes.create_string_buffer(4096)
for number in numbers.get(platform.machine(), ()):
    assert libc.syscall(number, 0, room, 0, 0, 0) == -1, number
for family, kind in ((16, 3), (17, 3), (40, 1), (38, 5), (2, 3)):  # netlink, packet, vsock, alg, raw
    assert libc.socket(family, kind, 0) == -1, family
ans = 41
