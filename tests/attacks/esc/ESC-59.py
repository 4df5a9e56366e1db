"""
id: ESC-59
title: tracing itself, its parent and by descriptors of processes
ending: [ok]
credit: none
"""
import ctypes, signal

libc = ctypes.CDLL(None, use_errno=True)
assert libc.ptrace(0, 0, 0, 0) == -1  # PTRACE_TRACEME
assert libc.ptrace(16, os.getppid(), 0, 0) == -1
for pid in {1, os.getppid()} - {os.getpid(), 0}:
    try:
        descriptor = os.pidfd_open(pid)
        assert libc.syscall(438, descriptor, 0, 0) == -1  # pidfd_getfd
        assert libc.syscall(440, descriptor, 0, 0, 0, 0) == -1  # process_madvise
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    except OSError:
        pass
ans = 41
