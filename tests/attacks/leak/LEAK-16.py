"""
id: LEAK-16
title: a forged end of the cell, to learn what is asked
ending: [ok, bad_report, timed_out]
credit: none
problem: function
limit_s: 2
"""
import socket, struct

heard = []
for name in os.listdir("/proc/self/fd"):
    try:
        if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
            line = socket.socket(fileno=os.dup(int(name)))
            line.settimeout(0.5)
            line.sendall(struct.pack("<BI", 10, 0))
            heard.append(line.recv(65536))
            line.sendall(struct.pack("<BI", 12, 2) + b"{}")
            heard.append(line.recv(65536))
    except OSError:
        pass
f = lambda items: heard
