"""
id: ESC-63
title: no descriptor left to open
ending: [ok, died, bad_report]
credit: none
"""
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
ans = 41
