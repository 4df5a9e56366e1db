"""
id: ESC-56
title: holding the interpreter's lock
ending: [timed_out]
credit: none
limit_s: 0.5
"""
import ctypes, threading

sys.setswitchinterval(10**6)
threading.Thread(target=lambda: ctypes.PyDLL(None).sleep(60), daemon=True).start()
while True:
    pass
# %%
import ctypes

ctypes.pythonapi.PyGILState_Ensure()
ctypes.PyDLL(None).sleep(60)
