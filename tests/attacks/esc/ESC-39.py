"""
id: ESC-39
title: slowing down itself, to be reported late
ending: [ok, timed_out]
credit: honest
"""
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
os.nice(19)
# %%
import resource

resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
