"""
id: ESC-21
title: local services behind sockets
ending: [error]
credit: none
"""
import socket

socket.socket(socket.AF_UNIX).connect("\0/tmp/.X11-unix/X0")
# %%
import socket

socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock")
# %%
import socket

socket.socket(socket.AF_UNIX).connect("/run/dbus/system_bus_socket")
