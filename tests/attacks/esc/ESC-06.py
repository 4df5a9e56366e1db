"""
id: ESC-06
title: catching whatever would end it
ending: [timed_out]
credit: none
limit_s: 0.5
"""
import time

while True:
    try:
        time.sleep(1)
    except BaseException:
        pass
