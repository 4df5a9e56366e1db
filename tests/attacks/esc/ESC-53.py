"""
id: ESC-53
title: shutting, filling and replacing every socket and pipe
ending: [bad_report, died, timed_out, over_limit, error, ok]
credit: none
limit_s: 2
"""
import socket

for fd in range(3, 64):
    try:
        socket.socket(fileno=os.dup(fd)).shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
ans = 41
# %%
import socket

ours, theirs = socket.socketpair()
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:") and fd not in (ours.fileno(), theirs.fileno()):
            os.dup2(ours.fileno(), fd)
    except OSError:
        pass
ans = 41
# %%
zero = os.open("/dev/zero", os.O_RDONLY)
for fd in range(3, 64):
    if fd == zero:
        continue
    try:
        os.set_blocking(fd, False)
        os.sendfile(fd, zero, None, 1 << 30)
    except OSError:
        pass
    try:
        os.write(fd, bytes(1 << 20))
    except OSError:
        pass
ans = 41
# %%
for fd in range(3, 64):
    try:
        os.set_blocking(fd, False)
        os.set_inheritable(fd, True)
    except OSError:
        pass
ans = 41
