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
  A water tank holds 900 litres and is one third full. A pump fills it with 25 litres a minute, while a leak loses 5 litres a minute. After how many minutes is the tank full? Answer with one number.
tags:
- gsm8k
family:
  qwen:
    fields:
      answer: |-
        The tank holds 900 / 3 = <<900/3=300>>300 litres at first.
        900 - 300 = <<900-300=600>>600 litres are missing.
        Each minute 25 - 5 = <<25-5=20>>20 litres are gained.
        It takes 600 / 20 = <<600/20=30>>30 minutes.
        #### 30
validator:
  template: basic
  final_answer:
    expected: '#### 30'
execution:
  max_time: 30
"""

'#### 30'
