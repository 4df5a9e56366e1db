"""
id: ESC-36
title: signals over a descriptor of a process
ending: [ok]
credit: honest
"""
import signal

for pid in [pid for pid in (os.getppid(),) if pid > 0]:
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        continue
    for number in (0, signal.SIGSTOP, signal.SIGKILL):
        try:
            signal.pidfd_send_signal(handle, number)
        except OSError:
            continue
        raise AssertionError("another process can be signalled")
    os.close(handle)
# %%
import fcntl, signal

for pid in [pid for pid in (os.getppid(),) if pid > 0]:
    ours, theirs = os.pipe()
    try:
        fcntl.fcntl(ours, fcntl.F_SETOWN, pid)
        fcntl.fcntl(ours, 10, signal.SIGKILL)  # F_SETSIG: what its owner gets when something arrives
        fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.write(theirs, b"x")
    except OSError:
        pass
    os.close(ours)
    os.close(theirs)
