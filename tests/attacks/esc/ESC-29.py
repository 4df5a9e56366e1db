"""
id: ESC-29
title: taking the machine for itself
ending: [ok, timed_out, error]
credit: none
limit_s: 0.5
"""
import ctypes, threading

os.sched_setaffinity(0, range(os.cpu_count()))
ctypes.CDLL(None).mlockall(3)
for _ in range(os.cpu_count() * 4):
    threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
sum(iter(int, 1))
