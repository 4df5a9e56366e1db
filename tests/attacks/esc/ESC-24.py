"""
id: ESC-24
title: typing into a terminal
ending: [error]
credit: none
"""
import fcntl, termios

for name in (0, 1, 2):
    try:
        fcntl.ioctl(name, termios.TIOCSTI, b"x")
    except OSError as error:
        last = error
    else:
        break
else:
    raise last
# %%
open("/dev/tty", "w")
