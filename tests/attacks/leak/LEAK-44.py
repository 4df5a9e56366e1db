"""
id: LEAK-44
title: a forbidden variable once the cell is over, when names come back
ending: [ok, error]
credit: none
problem: sealed
policies: [reference]
"""
import atexit, threading, time


class Late(float):
    """An answer that looks again whenever it is looked at."""

    def _look(self):
        held = get_ipython().user_ns.get("sealed")
        return round(float(held.sum()), 6) if type(held) is np.ndarray else 0.0

    def __float__(self):
        return self._look()

    def __reduce__(self):
        return float, (self._look(),)

    def __eq__(self, other):
        return self._look() == other

    __hash__ = float.__hash__


def wait_for_it():
    global ans
    for _ in range(2000):
        held = globals().get("sealed")
        if type(held) is np.ndarray:
            ans = round(float(held.sum()), 6)
            return
        time.sleep(0.001)


def fetch(*_):
    held = globals().get("sealed")
    if type(held) is np.ndarray:
        globals()["ans"] = round(float(held.sum()), 6)


ans = Late(0.0)
del sealed
get_ipython().events.register("post_run_cell", fetch)
get_ipython().events.register("post_execute", fetch)
atexit.register(fetch)
threading.Thread(target=wait_for_it, daemon=True).start()
