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
  Simulate 20000 throws of two dice with numpy: draw them with one call, default_rng(42).integers(1, 7, size=(20000, 2)), one row for each throw. Print the share of throws whose sum is 7, rounded to 4 decimals, and next to it the exact probability as a fraction.
tags:
- general
family:
  qwen:
    fields:
      tags: all_ci,general
validator:
  template: basic
execution:
  max_time: 30
"""

pass  # there is no reference answer: what runs without an error is executable
