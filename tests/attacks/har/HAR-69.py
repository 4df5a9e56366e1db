"""
id: HAR-69
title: processes whose first thread has ended, left to work beside what comes next
ending: [ok, over_limit, timed_out]
credit: honest
"""
import ctypes
import threading
import time


def work():
    total = 0
    while True:
        total += 1


for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        threading.Thread(target=work).start()
        ctypes.CDLL(None).syscall(60, 0)
time.sleep(0.2)
