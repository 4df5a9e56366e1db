"""
id: HAR-18
title: an exception that arrives later
ending: [ok, error, bad_report, died]
credit: none
"""
import ctypes, threading, time

main = threading.main_thread().ident


def shoot():
    for _ in range(2000):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), ctypes.py_object(SystemExit))
        time.sleep(0.0005)


threading.Thread(target=shoot, daemon=True).start()
ans = 41
