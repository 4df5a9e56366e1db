"""
id: ESC-04
title: ignoring every signal
ending: [timed_out, error]
credit: none
limit_s: 0.5
"""
import signal

for s in set(range(1, 32)) - {9, 19}:
    signal.signal(s, signal.SIG_IGN)
while True:
    pass
