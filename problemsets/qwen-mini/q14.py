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

# %% Given: the first action
import pandas as pd

macro = pd.read_csv("macrodata.csv")
print(macro.columns.tolist())
print(macro[["year", "quarter", "infl", "tbilrate"]].tail(4))

# %%
"""
query: |-
  With macrodata.csv, plot inflation (infl) and the treasury bill rate (tbilrate) as two lines over time from 1959 to 2009, both in percent. Add a legend, axis labels and a title.
tags:
- visualization-easy
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: en
      input_file_path:
      - upload/macrodata.csv
    prefill: |-
      <|im_end|>
      <|im_start|>assistant
      Thought: I load the data and check which columns give the time.
      Action: code_interpreter
      Action Input:
      ```py
      import pandas as pd

      macro = pd.read_csv("macrodata.csv")
      print(macro.columns.tolist())
      print(macro[["year", "quarter", "infl", "tbilrate"]].tail(4))
      ```
      Observation: ['year', 'quarter', 'realgdp', 'realcons', 'realinv', 'realgovt', 'realdpi', 'cpi', 'm1', 'tbilrate', 'unemp', 'pop', 'infl', 'realint']
           year  quarter  infl  tbilrate
      199  2008        4 -8.79      0.12
      200  2009        1  0.94      0.22
      201  2009        2  3.37      0.18
      202  2009        3  3.56      0.12
      Thought:
validator:
  template: basic
  judge:
    scale: right_wrong
    counts: true
execution:
  max_time: 30
"""

pass  # there is no reference answer: what runs without an error is executable
