"""
id: ESC-32
title: pinning others to one processor
ending: [ok]
credit: honest
"""
for pid in [pid for pid in (os.getppid(),) if pid > 0]:
    try:
        os.sched_setaffinity(pid, {0})
    except OSError:
        continue
    raise AssertionError("another process is pinned now")
os.sched_setaffinity(0, os.sched_getaffinity(0))
