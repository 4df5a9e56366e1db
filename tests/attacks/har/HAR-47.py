"""
id: HAR-47
title: timers of processor time that raise in the export
ending: [ok, died, bad_report, error]
credit: none
"""
import signal


def angry(*arguments):
    raise SystemExit("time")


signal.signal(signal.SIGVTALRM, angry)
signal.signal(signal.SIGPROF, angry)
signal.setitimer(signal.ITIMER_VIRTUAL, 0.002, 0.0005)
signal.setitimer(signal.ITIMER_PROF, 0.002, 0.0005)
ans = 41
# %%
import ctypes, signal

signal.signal(signal.SIGUSR1, signal.SIG_DFL)
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
event = (ctypes.c_int * 16)(0, 0, signal.SIGKILL, 0)
libc.timer_create(1, event, ctypes.byref(timer))
libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 1000, 0, 1000), None)
ans = 41
# %%
import signal

signal.set_wakeup_fd(-1)
for number in set(range(1, 32)) - {9, 19}:
    signal.signal(number, angry) if "angry" in globals() else signal.signal(number, lambda *a: 1 / 0)
signal.alarm(1)
ans = 41
