"""
id: ESC-33
title: leaving others only the time that nobody wants
ending: [ok]
credit: honest
"""
for pid in [pid for pid in (os.getppid(),) if pid > 0]:
    for change in (
        lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)),
        lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)),
        lambda: os.sched_setparam(pid, os.sched_param(0)),
    ):
        try:
            change()
        except OSError:
            continue
        raise AssertionError("another process is scheduled differently now")
# %%
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
others = [pid for pid in (os.getppid(),) if pid > 0]  # none in a namespace of its own
call = dict(x86_64=314, aarch64=274)[os.uname().machine]
attributes = (ctypes.c_uint32 * 14)(56, 5)  # SCHED_IDLE
for pid in others:
    assert libc.syscall(call, pid, attributes, 0) == -1
# %%
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
others = [pid for pid in (os.getppid(),) if pid > 0]  # none in a namespace of its own
call = dict(x86_64=157, aarch64=167)[os.uname().machine]
for pid in others:
    assert libc.syscall(call, 62, 2, pid, 0, 0) == -1  # PR_SCHED_CORE_SHARE_TO
