"""
id: HAR-68
title: processes of sessions of their own, left to work beside what comes next
ending: [ok, over_limit, timed_out]
credit: honest
"""
import time

for _ in range(8):
    if os.fork() == 0:
        os.setsid()
        end = time.process_time() + 20
        while time.process_time() < end:
            pass
        os._exit(0)
# %%
import threading


def work():
    total = 0
    while True:
        total += 1


for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
