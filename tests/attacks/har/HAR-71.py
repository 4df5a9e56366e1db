"""
id: HAR-71
title: a thread that takes the interpreter's lock and keeps it
ending: [ok, timed_out, died, bad_report]
credit: honest
"""
import ctypes
import threading
import time


def hold():
    time.sleep(0.2)
    ctypes.PyDLL(None).sleep(3000)


threading.Thread(target=hold, daemon=True).start()
# %%
started = 1
