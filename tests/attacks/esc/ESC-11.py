"""
id: ESC-11
title: a fork bomb
ending: [error, timed_out, over_limit, bad_report]
credit: none
limit_s: 1
"""
while True:
    if os.fork() == 0:
        os.setsid()
