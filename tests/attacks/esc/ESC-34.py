"""
id: ESC-34
title: limits for other processes
ending: [ok]
credit: honest
"""
import resource

for pid in [pid for pid in (os.getppid(),) if pid > 0]:
    for limit in (resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE):
        try:
            resource.prlimit(pid, limit, (0, 0))
        except OSError:
            continue
        raise AssertionError("another process is limited now")
resource.prlimit(0, resource.RLIMIT_CORE, (0, 0))
