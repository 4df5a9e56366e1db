"""
id: ESC-58
title: another name, parent's death signal and personality
ending: [ok]
credit: honest
"""
import ctypes

libc = ctypes.CDLL(None)
libc.prctl(15, b") R 1 1 (\nUid:\t0", 0, 0, 0)  # PR_SET_NAME
libc.prctl(1, 0, 0, 0, 0)  # PR_SET_PDEATHSIG
libc.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
libc.prctl(29, 2**40, 0, 0, 0)  # PR_SET_TIMERSLACK
libc.personality(0x0040000 | 0x0008)  # no random addresses, 32 bits
