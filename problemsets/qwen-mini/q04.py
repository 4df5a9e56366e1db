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
  Read macrodata.csv, which has one row per quarter (columns year and quarter). Draw two panels one above the other that share the time axis: real GDP (realgdp) as a line in the upper one, the unemployment rate (unemp, percent) in the lower one. In both panels, shade the quarters in which real GDP was lower than in the quarter before. Give each panel a y label and the figure a title.
tags:
- visualization-hard
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: en
      input_file_path:
      - upload/macrodata.csv
validator:
  template: basic
  judge:
    scale: right_wrong
    counts: true
execution:
  max_time: 30
"""

pass  # there is no reference answer: what runs without an error is executable
