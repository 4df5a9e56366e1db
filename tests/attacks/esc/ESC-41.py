"""
id: ESC-41
title: more than its share for itself
ending: [ok]
credit: honest
"""
for change in (
    lambda: os.nice(-1),
    lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)),
):
    try:
        change()
    except OSError:
        continue
    raise AssertionError("it runs before others now")
# %%
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
others = [pid for pid in (os.getppid(),) if pid > 0]  # none in a namespace of its own
call = dict(x86_64=251, aarch64=30)[os.uname().machine]
assert libc.syscall(call, 1, 0, 1 << 13) == -1  # first at the disk
# %%
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
others = [pid for pid in (os.getppid(),) if pid > 0]  # none in a namespace of its own
call = dict(x86_64=314, aarch64=274)[os.uname().machine]
deadline = (ctypes.c_uint64 * 7)(56 | 6 << 32, 0, 0, 10**7, 10**7, 10**7, 0)  # SCHED_DEADLINE
assert libc.syscall(call, 0, deadline, 0) == -1
