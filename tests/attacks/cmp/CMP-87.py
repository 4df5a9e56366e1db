"""
id: CMP-87
title: a second owner of changed pages beside the trial
ending: [ok, error]
credit: none
"""
import ctypes, platform

libc = ctypes.CDLL(None, use_errno=True)
prev.iloc[0, 0] = 9
number = {"x86_64": 56, "aarch64": 220}[platform.machine()]
child = libc.syscall(number, 0x8000 | 17, 0, 0, 0, 0)  # clone with CLONE_PARENT: a sibling, no child
if child == 0:
    libc.sleep(60)
    libc._exit(0)
ans = 42
# %%
import ctypes, time

ctypes.CDLL(None).prctl(36, 0, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans go to somebody else
prev.iloc[0, 0] = 9
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
os.wait()
ans = 42
