"""
id: HAR-70
title: timers that let a process that was stopped go on
ending: [ok, over_limit, timed_out]
credit: none
"""
import ctypes
import signal
import threading
import time


class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("how", ctypes.c_int), ("_", ctypes.c_char * 48)]


def work():
    total = 0
    while True:
        total += 1


signal.signal(signal.SIGCONT, lambda *a: None)
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
libc.timer_create(1, ctypes.byref(Event(0, signal.SIGCONT, 0)), ctypes.byref(timer))
libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000), None)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
# %%
import signal
import time

if os.fork() == 0:
    signal.signal(signal.SIGCONT, lambda *a: None)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    signal.signal(signal.SIGALRM, lambda *a: os.kill(os.getpid(), signal.SIGCONT))
    while True:
        pass
time.sleep(0.2)
