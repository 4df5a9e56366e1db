"""
id: ESC-51
title: a filter of its own that forbids everything but reading, writing and leaving
ending: [ok, died, error, timed_out]
credit: none
limit_s: 2
"""
import ctypes

ctypes.CDLL(None).prctl(22, 1, 0, 0, 0)  # SECCOMP_MODE_STRICT
ans = 41
