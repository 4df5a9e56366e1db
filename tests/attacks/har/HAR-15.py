"""
id: HAR-15
title: a value that acts when it is unpickled
ending: [ok]
credit: none
"""
class B:
    __reduce__ = __reduce_ex__ = lambda s, *a: (os.system, ("touch /tmp/attack-left-this",))
    __getstate__ = lambda s: 1 / 0
    __deepcopy__ = __copy__ = lambda s, *a: 42


ans = B()
# %%
class B:
    __reduce__ = lambda s: (eval, ("42",))


ans = np.array([B()], dtype=object)
