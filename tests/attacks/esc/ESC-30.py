"""
id: ESC-30
title: stopping instead of ending
ending: [timed_out, died, ok]
credit: none
limit_s: 0.5
"""
import signal

os.kill(os.getpid(), signal.SIGSTOP)
ans = 41
# %%
import signal

if os.fork() == 0:
    os.kill(os.getppid(), signal.SIGSTOP)
    os._exit(0)
os.wait()
ans = 41
