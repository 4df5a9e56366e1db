# %% The session of the Qwen benchmark: its imports, its files by their names, no input
import json
import math
import os
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

try:
    import seaborn as sns

    sns.set_theme()
except ImportError:
    pass
try:
    from sympy import Eq, solve, symbols
except ImportError:
    pass

plt.rcParams["axes.unicode_minus"] = False
if os.path.isdir("inputs"):
    for name in os.listdir("inputs"):
        if not os.path.lexists(name):
            os.symlink(os.path.join("inputs", name), name)


def input(*args, **kwargs):
    raise NotImplementedError("input() is disabled here")

# %%
"""
query: |-
  Omar buys 3 notebooks for $4 each and 5 pens for $2 each. He has a coupon that takes 10% off the whole bill, but at most $2. He pays with a $50 bill. How many dollars does he get back? Answer with one number.
tags:
- gsm8k
family:
  qwen:
    fields:
      answer: |-
        The notebooks cost 3 * 4 = <<3*4=12>>12 dollars and the pens 5 * 2 = <<5*2=10>>10 dollars.
        Together these are 12 + 10 = <<12+10=22>>22 dollars.
        10% of it is 22 * 0.1 = <<22*0.1=2.2>>2.2 dollars, which is more than 2, so the coupon takes off 2 dollars.
        He pays 22 - 2 = <<22-2=20>>20 dollars.
        He gets back 50 - 20 = <<50-20=30>>30 dollars.
        #### 30
validator:
  template: basic
  final_answer:
    expected: '#### 30'
execution:
  max_time: 30
"""

'#### 30'
