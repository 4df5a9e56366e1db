"""
id: HAR-72
title: a child that is started and gone while all else stands still
ending: [ok, over_limit]
credit: none
"""
import ctypes
import signal
import time


class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("how", ctypes.c_int), ("_", ctypes.c_char * 48)]


def wake(*_):
    signal.signal(signal.SIGCONT, signal.SIG_DFL)
    if os.fork() == 0:
        sum(range(10_000_000))
        os._exit(0)
    os.kill(os.getpid(), signal.SIGSTOP)


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.signal(signal.SIGCONT, wake)
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
libc.timer_create(1, ctypes.byref(Event(0, signal.SIGCONT, 0)), ctypes.byref(timer))
libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 0, 0, 50_000_000), None)
