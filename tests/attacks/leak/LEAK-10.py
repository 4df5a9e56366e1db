"""
id: LEAK-10
title: System V memory, message queues and key rings for the next trial
ending: [ok]
credit: honest
"""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
libc.shmget(0x4242, 4096, 0o1666)
libc.msgget(0x4242, 0o1666)
libc.semget(0x4242, 1, 0o1666)
libc.mq_open(b"/attack-left-this", os.O_CREAT | os.O_RDWR, 0o666, None)
libc.syscall(248, b"user", b"attack-left-this", b"42", 2, -5)
# %%
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
assert libc.shmget(0x4242, 4096, 0o666) == -1
assert libc.msgget(0x4242, 0o666) == -1
assert libc.semget(0x4242, 1, 0o666) == -1
assert libc.mq_open(b"/attack-left-this", os.O_RDWR, 0, None) == -1
assert libc.syscall(249, b"user", b"attack-left-this", None, 0) == -1
