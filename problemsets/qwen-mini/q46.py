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
  Three friends share the cost of a cabin. It costs $84 a night for 5 nights, and there is a cleaning fee of $45. One of them has already paid $100. How many dollars does he still have to pay for his third? Answer with one number.
tags:
- gsm8k
family:
  qwen:
    fields:
      answer: |-
        The nights cost 5 * 84 = <<5*84=420>>420 dollars.
        With the fee these are 420 + 45 = <<420+45=465>>465 dollars.
        A third is 465 / 3 = <<465/3=155>>155 dollars.
        He still has to pay 155 - 100 = <<155-100=55>>55 dollars.
        #### 55
validator:
  template: basic
  final_answer:
    expected: '#### 55'
execution:
  max_time: 30
"""

'#### 55'
