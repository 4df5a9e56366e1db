"""
id: ESC-35
title: memory of other processes, moved or dropped
ending: [ok]
credit: honest
"""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
others = [pid for pid in (os.getppid(),) if pid > 0]  # none in a namespace of its own
call = dict(x86_64=256, aarch64=238)[os.uname().machine]
nodes = ctypes.create_string_buffer(8)
for pid in others:
    assert libc.syscall(call, pid, 64, nodes, nodes) == -1  # migrate_pages
# %%
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
others = [pid for pid in (os.getppid(),) if pid > 0]  # none in a namespace of its own
call = dict(x86_64=279, aarch64=239)[os.uname().machine]
for pid in others:
    assert libc.syscall(call, pid, 0, None, None, None, 0) == -1  # move_pages
# %%
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
others = [pid for pid in (os.getppid(),) if pid > 0]  # none in a namespace of its own
call = dict(x86_64=312, aarch64=272)[os.uname().machine]
for pid in others:
    assert libc.syscall(call, pid, os.getpid(), 0, 0, 0) == -1  # kcmp
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        continue
    assert libc.syscall(440, handle, None, 0, 4, 0) == -1  # process_madvise
    assert libc.syscall(448, handle, 0) == -1  # process_mrelease
    os.close(handle)
