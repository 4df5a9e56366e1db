"""
id: HAR-45
title: collections, weak references and finalizers that raise or act
ending: [ok]
credit: honest
"""
import gc, weakref


class Last:
    def __del__(self):
        globals().pop("prev_copy", None)
        raise SystemExit("deleted")


def angry(*arguments):
    raise SystemExit("collected")


gc.callbacks.append(angry)
sys.unraisablehook = angry
keep = [Last() for _ in range(100)]
refs = [weakref.ref(each, angry) for each in keep]
keep.append(keep)
finals = [weakref.finalize(each, angry) for each in keep[:50]]
gc.set_threshold(1, 1, 1)
