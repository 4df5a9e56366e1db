"""
id: ESC-20
title: the network
ending: [error]
credit: none
"""
import socket

socket.create_connection(("169.254.169.254", 80), 1)
# %%
import socket

for port in (22, 80, 631, 5432, 8501, 8888):
    try:
        socket.create_connection(("127.0.0.1", port), 1)
    except OSError as error:
        last = error
    else:
        break
else:
    raise last
# %%
import socket

socket.getaddrinfo("example.org", 80)
# %%
import socket

socket.create_connection(("2001:db8::1", 80), 1)
