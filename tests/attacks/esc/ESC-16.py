"""
id: ESC-16
title: crashing the interpreter
ending: [died]
credit: none
"""
import ctypes

ctypes.string_at(0)
# %%
os.abort()
