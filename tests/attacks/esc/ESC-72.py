"""
id: ESC-72
title: an interrupted, stopped and traced group
ending: [ok, died, error]
credit: none
"""
import signal

signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGWINCH, signal.SIGCONT, signal.SIGURG):
    for group in (0, -1):
        try:
            os.kill(group, number)
        except OSError:
            pass
ans = 41
