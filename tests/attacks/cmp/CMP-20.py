"""
id: CMP-20
title: changing old data behind a process that holds the pages
ending: [ok]
credit: none
"""
import time

prev.iloc[0, 0] = 9
if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
ans = 42
