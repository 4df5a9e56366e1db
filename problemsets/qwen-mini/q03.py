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
  With flights.csv, make a heat map of the mean departure delay (dep_delay, minutes): the scheduled hour of departure (hour) on the x axis, the three origin airports (origin) on the y axis. Leave out flights without a departure delay, because they were cancelled. Write the rounded mean into each cell that has flights, and add a colour bar with a label and a title.
tags:
- visualization-hard
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: en
      input_file_path:
      - upload/flights.csv
validator:
  template: basic
  judge:
    scale: right_wrong
    counts: true
execution:
  max_time: 30
"""

pass  # there is no reference answer: what runs without an error is executable
