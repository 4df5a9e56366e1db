"""
id: ESC-22
title: new namespaces and mounts
ending: [ok]
credit: none
"""
import ctypes, subprocess

libc = ctypes.CDLL(None, use_errno=True)
assert subprocess.run(["unshare", "-Ur", "true"], stderr=subprocess.DEVNULL).returncode != 0
for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x08000000):
    assert libc.unshare(flag) == -1, hex(flag)
assert libc.mount(b"tmpfs", b"/session", b"tmpfs", 0, None) == -1
assert libc.mount(b"/", b"/session", None, 0x1000, None) == -1
assert libc.syscall(435, (ctypes.c_uint64 * 11)(0x10000000), 88) == -1
with open("/proc/self/ns/mnt") as namespace:
    assert libc.setns(namespace.fileno(), 0) == -1
assert libc.pivot_root(b".", b".") == -1 and libc.chroot(b".") == -1
ans = 41
