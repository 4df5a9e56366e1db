"""
id: ESC-66
title: asked files that are folders, sockets, or grow while they are read
ending: [ok]
credit: none
problem: drawn
"""
import socket

os.makedirs("out.csv/passwd")
os.makedirs("one/passwd/deeper")
try:
    left = socket.socket(socket.AF_UNIX)
    left.bind("out.png")
except OSError:
    pass
ans = 41
# %%
import threading

os.mkdir("one")


def grow():
    with open("out.csv", "ab", 0) as file:
        while True:
            file.write(b"x" * 100_000)
            file.truncate(10)


threading.Thread(target=grow, daemon=True).start()
with open("one/passwd", "wb") as file:
    file.truncate(150_000_000)
with open("out.png", "wb") as file:
    file.write(b"\x89PNG" * 10_000_000)
ans = 41
