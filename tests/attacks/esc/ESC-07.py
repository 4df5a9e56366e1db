"""
id: ESC-07
title: recursion without a limit
ending: [error, died, timed_out, over_limit]
credit: none
limit_s: 1
memory_mb: 1000
"""
sys.setrecursionlimit(10**8)
f = lambda: f()
f()
