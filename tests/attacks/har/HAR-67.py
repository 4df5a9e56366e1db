"""
id: HAR-67
title: mapped files and shared memory that buy time for a report
ending: [timed_out, over_limit, died, bad_report]
credit: none
limit_s: 2
"""
import ctypes, mmap, socket, struct, threading, time


def pass_on(near, far, is_worker):
    said = not is_worker
    while data := near.recv(1 << 16):
        if not said:
            data, said = data[5:], True
        if data:
            far.sendall(data)


def forge():
    import gc
    from evaluator.inside.runtime.channel import Channel

    for fd in {each.sock.fileno() for each in gc.get_objects() if type(each) is Channel}:
        try:
            is_channel = not socket.socket(fileno=os.dup(fd)).getpeername()
        except OSError:
            continue
        if is_channel:
            real = socket.socket(fileno=os.dup(fd))
            ours, theirs = socket.socketpair()
            os.dup2(theirs.fileno(), fd)
            real.sendall(struct.pack("<BI", 10, 0))
            for ends in ((ours, real, True), (real, ours, False)):
                threading.Thread(target=pass_on, args=ends, daemon=True).start()
            break


libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
files = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line.split()[-1]}
largest = max(files, key=os.path.getsize)
size, fd = os.path.getsize(largest) & ~4095, os.open(largest, os.O_RDONLY)
for _ in range(400):
    libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED | 0x8000, fd, 0)
forge()
time.sleep(40)
ans = 42
# %%
import ctypes, mmap, socket, struct, threading, time


def pass_on(near, far, is_worker):
    said = not is_worker
    while data := near.recv(1 << 16):
        if not said:
            data, said = data[5:], True
        if data:
            far.sendall(data)


def forge():
    import gc
    from evaluator.inside.runtime.channel import Channel

    for fd in {each.sock.fileno() for each in gc.get_objects() if type(each) is Channel}:
        try:
            is_channel = not socket.socket(fileno=os.dup(fd)).getpeername()
        except OSError:
            continue
        if is_channel:
            real = socket.socket(fileno=os.dup(fd))
            ours, theirs = socket.socketpair()
            os.dup2(theirs.fileno(), fd)
            real.sendall(struct.pack("<BI", 10, 0))
            for ends in ((ours, real, True), (real, ours, False)):
                threading.Thread(target=pass_on, args=ends, daemon=True).start()
            break


shared = [mmap.mmap(-1, 64 << 20)]
for _ in range(20):
    libc = ctypes.CDLL(None)
    shared[0].write(b'x' * (64 << 20))
    shared[0].seek(0)
forge()
time.sleep(40)
ans = 42
