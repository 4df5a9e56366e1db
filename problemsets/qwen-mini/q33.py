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
  Write a function that turns a whole number from 1 to 3999 into a Roman numeral and a second one that turns it back. Check for all numbers that the two undo each other, and print the numerals of 49, 944, 1987 and 2026.
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
