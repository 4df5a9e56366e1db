"""
id: HAR-24
title: a forged end of the cell, and work after it
ending: [timed_out, bad_report, died, error]
credit: none
limit_s: 2
"""
import gc, time
from evaluator.inside.runtime.channel import Channel

send = Channel.send
for channel in [one for one in gc.get_objects() if type(one) is Channel]:
    try:
        send(channel, 10)
    except OSError:
        pass
Channel.send = lambda self, kind, body=b"", descriptors=(): kind == 10 or send(self, kind, body, descriptors)
time.sleep(50)
ans = 42
# %%
import gc, time
from evaluator.inside.runtime.channel import Channel

send = Channel.send
for channel in [one for one in gc.get_objects() if type(one) is Channel]:
    try:
        send(channel, 10)
    except OSError:
        pass
Channel.send = lambda self, kind, body=b"", descriptors=(): kind == 10 or send(self, kind, body, descriptors)
until = time.monotonic() + 50
while time.monotonic() < until:
    sum(range(10_000))
ans = 42
# %%
import socket, struct, threading, time


def pass_on(near, far, is_worker):
    said = not is_worker
    while data := near.recv(1 << 16):
        if not said:  # the worker's own word for the end of the cell
            data, said = data[5:], True
        if data:
            far.sendall(data)


for fd in range(3, 64):
    try:
        is_socket = os.readlink(f"/proc/self/fd/{fd}").startswith("socket:")
    except OSError:
        continue
    if is_socket:
        real = socket.socket(fileno=os.dup(fd))
        ours, theirs = socket.socketpair()
        os.dup2(theirs.fileno(), fd)
        real.sendall(struct.pack("<BI", 10, 0))
        for ends in ((ours, real, True), (real, ours, False)):
            threading.Thread(target=pass_on, args=ends, daemon=True).start()
        break
time.sleep(50)
ans = 42
# %%
import gc, time
from evaluator.inside.runtime.channel import Channel

send = Channel.send
for channel in [one for one in gc.get_objects() if type(one) is Channel]:
    try:
        send(channel, 10)
    except OSError:
        pass
Channel.send = lambda self, kind, body=b"", descriptors=(): kind == 10 or send(self, kind, body, descriptors)

real_receive = Channel.receive
Channel.receive = lambda self: (time.sleep(50), real_receive(self))[1]
ans = 42
# %%
import gc, time
from evaluator.inside.runtime.channel import Channel

send = Channel.send
for channel in [one for one in gc.get_objects() if type(one) is Channel]:
    try:
        send(channel, 10)
    except OSError:
        pass
Channel.send = lambda self, kind, body=b"", descriptors=(): kind == 10 or send(self, kind, body, descriptors)

held = bytearray(500 << 20)  # more memory, more patience
time.sleep(50)
ans = 42
