"""
id: HAR-46
title: hooks of threads, exceptions and unraisable errors
ending: [ok]
credit: honest
"""
import threading


def angry(*arguments):
    os._exit(3)


threading.excepthook = sys.excepthook = sys.unraisablehook = sys.displayhook = sys.breakpointhook = angry
threading.settrace(angry)
threading.setprofile(angry)
sys.last_value = sys.last_traceback = angry
if hasattr(sys, "monitoring"):
    sys.monitoring.use_tool_id(2, "x")
    sys.monitoring.register_callback(2, sys.monitoring.events.PY_START, lambda *a: sys.monitoring.DISABLE)
    sys.monitoring.set_events(2, sys.monitoring.events.PY_START)
