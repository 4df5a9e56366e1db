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
  In an orchard there are 15 rows of apple trees with 12 trees each, and two thirds as many pear trees as apple trees. Each apple tree gives 40 kilograms of fruit and each pear tree 35 kilograms. How many kilograms of fruit does the orchard give? Answer with one number.
tags:
- gsm8k
family:
  qwen:
    fields:
      answer: |-
        There are 15 * 12 = <<15*12=180>>180 apple trees.
        There are 180 * 2 / 3 = <<180*2/3=120>>120 pear trees.
        The apples weigh 180 * 40 = <<180*40=7200>>7200 kilograms.
        The pears weigh 120 * 35 = <<120*35=4200>>4200 kilograms.
        Together the orchard gives 7200 + 4200 = <<7200+4200=11400>>11400 kilograms.
        #### 11400
validator:
  template: basic
  final_answer:
    expected: '#### 11400'
execution:
  max_time: 30
"""

'#### 11400'
