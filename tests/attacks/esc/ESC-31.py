"""
id: ESC-31
title: slowing down whoever waits for it
ending: [ok]
credit: honest
"""
for pid in [pid for pid in (os.getppid(),) if pid > 0]:
    for kind in (os.PRIO_PROCESS, os.PRIO_PGRP):
        try:
            os.setpriority(kind, pid, 19)
        except OSError:
            continue
        raise AssertionError("another process is slow now")
# %%
if os.getppid():
    for kind, who in ((os.PRIO_USER, 0), (os.PRIO_USER, os.getuid()), (os.PRIO_USER, os.geteuid())):
        try:
            os.setpriority(kind, who, 19)
        except OSError:
            continue
        raise AssertionError("all processes of the user are slow now")
# %%
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
others = [pid for pid in (os.getppid(),) if pid > 0]  # none in a namespace of its own
call = dict(x86_64=251, aarch64=30)[os.uname().machine]
for pid in others:
    for kind, who in ((1, pid), (2, pid), (3, os.getuid()), (3, os.geteuid())):
        assert libc.syscall(call, kind, who, 3 << 13 | 7) == -1
