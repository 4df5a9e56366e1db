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
  Lena cycles to work on 4 days a week. The way to work is 7 kilometres long, and she comes home by a road that is 2 kilometres longer. How many kilometres does she cycle in 6 weeks? Answer with one number.
tags:
- gsm8k
family:
  qwen:
    fields:
      answer: |-
        The way home is 7 + 2 = <<7+2=9>>9 kilometres long.
        She cycles 7 + 9 = <<7+9=16>>16 kilometres a day.
        In a week these are 4 * 16 = <<4*16=64>>64 kilometres.
        In 6 weeks she cycles 6 * 64 = <<6*64=384>>384 kilometres.
        #### 384
validator:
  template: basic
  final_answer:
    expected: '#### 384'
execution:
  max_time: 30
"""

'#### 384'
