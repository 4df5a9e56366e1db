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

df = pd.read_csv("penguins.csv")
print(df.head())
print(df.isna().sum())

# %%
"""
query: |-
  Using penguins.csv, draw a scatter plot of bill_depth_mm (y axis) against bill_length_mm (x axis) with one colour per species, a legend, axis labels and a title.
tags:
- visualization-easy
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: en
      input_file_path:
      - upload/penguins.csv
    prefill: |-
      <|im_end|>
      <|im_start|>assistant
      Thought: I load penguins.csv and look at its columns first.
      Action: code_interpreter
      Action Input:
      ```py
      import pandas as pd

      df = pd.read_csv("penguins.csv")
      print(df.head())
      print(df.isna().sum())
      ```
      Observation:   species     island  bill_length_mm  ...  body_mass_g     sex  year
      0  Adelie  Torgersen            39.1  ...       3750.0    male  2007
      1  Adelie  Torgersen            39.5  ...       3800.0  female  2007
      2  Adelie  Torgersen            40.3  ...       3250.0  female  2007
      3  Adelie  Torgersen             NaN  ...          NaN     NaN  2007
      4  Adelie  Torgersen            36.7  ...       3450.0  female  2007

      [5 rows x 8 columns]
      species               0
      island                0
      bill_length_mm        2
      bill_depth_mm         2
      flipper_length_mm     2
      body_mass_g           2
      sex                  11
      year                  0
      dtype: int64
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
