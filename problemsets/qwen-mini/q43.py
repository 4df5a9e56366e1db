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
  A school hires as few buses as it can for a trip of 212 pupils and 16 teachers. Each bus has 45 seats and costs $310. The school pays $260 itself, and the rest is divided equally among the pupils who come. If 12 pupils stay at home ill and no bus is cancelled, how many dollars does each pupil who comes pay? Answer with one number.
tags:
- gsm8k
family:
  qwen:
    fields:
      answer: |-
        The school hires buses for 212 + 16 = <<212+16=228>>228 people.
        228 / 45 is more than 5, so it takes 6 buses.
        They cost 6 * 310 = <<6*310=1860>>1860 dollars.
        1860 - 260 = <<1860-260=1600>>1600 dollars are divided.
        212 - 12 = <<212-12=200>>200 pupils come.
        Each pays 1600 / 200 = <<1600/200=8>>8 dollars.
        #### 8
validator:
  template: basic
  final_answer:
    expected: '#### 8'
execution:
  max_time: 30
"""

'#### 8'
