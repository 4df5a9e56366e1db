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
query: 求最小的正整数 n，使它除以 9 余 4，除以 11 余 7，除以 13 余 10。
tags:
- math
family:
  qwen:
    fields:
      tags: all_ci,math
validator:
  template: basic
execution:
  max_time: 30
"""

pass  # there is no reference answer: what runs without an error is executable
