"""
id: ESC-57
title: threads without number
ending: [error, timed_out, over_limit, died]
credit: none
takes_processes: true
limit_s: 4
"""
import threading, time

threading.stack_size(65536)
while True:
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
