"""
id: CMP-16
title: protocol methods that hang, allocate or raise
ending: [ok, timed_out, over_limit]
credit: none
problem: value
limit_s: 0.5
memory_mb: 500
"""
import time


class Slow:
    __repr__ = __str__ = _repr_html_ = lambda s: time.sleep(60)


Slow()
# %%
class Large:
    __repr__ = lambda s: "x" * 10**10


Large()
# %%
class Angry:
    def __getattribute__(self, name):
        raise BaseException(name)

    __repr__ = __len__ = __iter__ = __array__ = __eq__ = __bool__ = lambda s, *a: 1 / 0


Angry();
