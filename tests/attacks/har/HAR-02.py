"""
id: HAR-02
title: work for the interpreter's end
ending: [ok]
credit: honest
"""
import atexit, time, weakref


class Last:
    def __del__(self):
        time.sleep(60)


atexit.register(time.sleep, 60)
last = Last()
weakref.finalize(last, time.sleep, 60)
os.register_at_fork(before=lambda: time.sleep(0.01), after_in_child=lambda: time.sleep(0.01))
