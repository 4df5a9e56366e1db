"""
id: ESC-69
title: going slow by its own will
ending: [ok]
credit: honest
"""
os.nice(19)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
try:
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
except OSError:
    pass
