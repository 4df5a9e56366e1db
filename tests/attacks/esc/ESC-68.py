"""
id: ESC-68
title: asking for what only the machine's owner may
ending: [ok]
credit: none
"""
import ctypes, socket, time

libc = ctypes.CDLL(None)
name = socket.gethostname().encode()
assert libc.sethostname(name, len(name)) == -1
assert libc.setdomainname(b"x", 1) == -1
assert libc.swapoff(b"/none") == -1
assert libc.acct(b"/none") == -1
assert libc.klogctl(8, None, 1) == -1  # the level of the console
assert libc.clock_settime(0, (ctypes.c_long * 2)(int(time.time()), 0)) == -1
assert libc.setpriority(0, os.getpid(), -10) == -1
assert libc.ioperm(0, 1, 1) == -1 if hasattr(libc, "ioperm") else True
assert libc.setgroups(0, None) == -1
ans = 41
