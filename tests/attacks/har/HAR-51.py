"""
id: HAR-51
title: calls that wait for a safe moment
ending: [ok, died, bad_report, error]
credit: none
"""
import ctypes

calls = []
kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


@kind
def angry(_):
    if len(calls) < 50:
        calls.append(ctypes.pythonapi.Py_AddPendingCall(angry, None))
    raise SystemExit("pending")


ctypes.pythonapi.Py_AddPendingCall(angry, None)
ans = 41
# %%
import ctypes

ctypes.pythonapi.Py_FinalizeEx()
ans = 41
