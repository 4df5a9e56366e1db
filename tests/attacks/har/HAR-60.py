"""
id: HAR-60
title: half of the recursion, a thousandth of the stack
ending: [ok]
credit: honest
"""
import threading


def lower():
    for limit in range(40, 400, 5):
        try:
            sys.setrecursionlimit(limit)
            return
        except RecursionError:
            pass


lower()
threading.stack_size(32768)
