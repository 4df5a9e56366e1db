"""
id: ESC-11
title: a fork bomb
ending: [error, timed_out, over_limit, bad_report]
credit: none
takes_processes: true
limit_s: 0.5
"""
while True:
    if os.fork() == 0:
        os.setsid()
