"""
id: HAR-49
title: functions of C replaced below Python
ending: [ok, died, bad_report, error, timed_out]
credit: none
limit_s: 2
"""
import ctypes, time


def method_of(function):
    return ctypes.c_void_p.from_address(id(function) + 16)


method_of(os.write).value = method_of(time.sleep).value
ans = 41
# %%
import ctypes, json


def method_of(function):
    return ctypes.c_void_p.from_address(id(function) + 16)


method_of(os.read).value = method_of(os.getpid).value
method_of(len).value = method_of(hash).value
ans = 41
