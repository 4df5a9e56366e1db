"""A still copy of a process: a fork has one thread only, whatever else ran in the original."""

import os
import warnings
from collections.abc import Callable

_fork, _exit, _listdir, _waitpid = os.fork, os._exit, os.listdir, os.waitpid  # before any cell can replace them
_catch_warnings, _simplefilter = warnings.catch_warnings, warnings.simplefilter


def has_threads() -> bool:
    """Return whether something besides the calling thread runs in this process."""
    try:
        return len(_listdir("/proc/self/task")) > 1
    except OSError:
        return True


def fork_single_thread(work: Callable[[], None]) -> int:
    """Do `work` in a fork, while this process waits, and return the fork's wait status."""
    with _catch_warnings():
        _simplefilter("ignore")  # Python warns of forks beside threads: they are why we fork
        pid = _fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            _exit(status)
    while True:
        try:
            return _waitpid(pid, 0)[1]
        except ChildProcessError:  # the cell's own code may collect children
            return 0
        except BaseException:  # noqa: BLE001, S112  # thrown into this thread by one that the cell left
            continue
