"""
id: ESC-55
title: the first thread ends and others go on
ending: [timed_out, died, bad_report, ok]
credit: none
limit_s: 0.5
"""
import ctypes, threading, time, platform

threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)  # exit of this thread only
