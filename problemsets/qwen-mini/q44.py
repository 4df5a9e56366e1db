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
  A painter needs 3 hours for a small room and 5 hours for a large one. A house has 4 small rooms and 3 large rooms, and its stairs take him 9 hours. He earns $32 an hour. How many dollars does he earn for the whole house? Answer with one number.
tags:
- gsm8k
family:
  qwen:
    fields:
      answer: |-
        The small rooms take 4 * 3 = <<4*3=12>>12 hours.
        The large rooms take 3 * 5 = <<3*5=15>>15 hours.
        With the stairs these are 12 + 15 + 9 = <<12+15+9=36>>36 hours.
        He earns 36 * 32 = <<36*32=1152>>1152 dollars.
        #### 1152
validator:
  template: basic
  final_answer:
    expected: '#### 1152'
execution:
  max_time: 30
"""

'#### 1152'
