"""
id: LEAK-03
title: the memory of other processes
ending: [ok, error]
credit: none
problem: hidden
"""
import ctypes, re

libc = ctypes.CDLL(None, use_errno=True)
ans = "nothing"
pids = {os.getppid(), 1, 2, 3, *(int(name) for name in os.listdir("/proc") if name.isdigit())} - {os.getpid()}
for pid in pids:
    libc.ptrace(16, pid, None, None)
    buffer = ctypes.create_string_buffer(4096)
    here = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 4096)
    there = (ctypes.c_void_p * 2)(id(ans), 4096)
    assert libc.process_vm_readv(pid, here, 1, there, 1, 0) == -1
    try:
        memory = open(f"/proc/{pid}/mem", "rb", buffering=0)
        for line in open(f"/proc/{pid}/maps"):
            first, last = (int(part, 16) for part in line.split()[0].split("-"))
            memory.seek(first)
            match = re.search(rb"hidden\.answer\.\d+", memory.read(last - first))
            ans = match[0].decode() if match else ans
    except OSError:
        pass
