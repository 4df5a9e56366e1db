"""
id: ESC-40
title: another /proc, in which more can be written
ending: [ok]
credit: honest
"""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
assert libc.mount(b"none", b"/proc", None, 0x20 | 0x1000, None) == -1  # remounted, to be written to
assert libc.mount(b"proc", b"/tmp", b"proc", 0, None) == -1
assert libc.umount2(b"/proc", 2) == -1
assert libc.unshare(0x10000000 | 0x00020000) == -1  # namespaces of its own for users and mounts
assert libc.syscall(430, b"proc", 0) == -1  # fsopen
assert libc.syscall(442, -100, b"/proc", 0, ctypes.create_string_buffer(32), 32) == -1  # mount_setattr
# %%
for name in os.listdir("/proc/self/fd"):
    for path in ("self/oom_score_adj", "proc/self/oom_score_adj", "../proc/self/oom_score_adj"):
        try:
            file = os.open(path, os.O_WRONLY, dir_fd=int(name))
        except OSError:
            continue
        raise AssertionError(f"descriptor {name} leads to it")
