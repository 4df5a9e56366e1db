"""
id: ESC-71
title: children of children that stop and go on
ending: [ok, timed_out, over_limit, bad_report]
credit: none
takes_processes: true
limit_s: 2
"""
import signal, time

for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        while True:
            child = os.fork()
            if child:
                os._exit(0)
            os.setpgid(0, 0)
ans = 41
