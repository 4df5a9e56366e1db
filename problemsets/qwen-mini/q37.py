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
  A bakery bakes 18 trays of rolls with 24 rolls on each tray. In the morning it sells 256 rolls, and in the afternoon it sells half of what is left. How many rolls are unsold at the end of the day? Answer with one number.
tags:
- gsm8k
family:
  qwen:
    fields:
      answer: |-
        It bakes 18 * 24 = <<18*24=432>>432 rolls.
        After the morning 432 - 256 = <<432-256=176>>176 rolls are left.
        Half of them are sold, so 176 / 2 = <<176/2=88>>88 rolls are unsold.
        #### 88
validator:
  template: basic
  final_answer:
    expected: '#### 88'
execution:
  max_time: 30
"""

'#### 88'
