"""
id: ESC-05
title: stuck in C code
ending: [timed_out]
credit: none
limit_s: 0.5
"""
10**10**8
# %%
import re

re.match(r"(a+)+$", "a" * 40 + "b")
