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

crime = pd.read_csv("statecrime.csv")
print(crime.shape)
print(crime[["state", "poverty", "murder"]].head())

# %%
"""
query: |-
  请用 statecrime.csv 画散点图：横轴为贫困率（poverty），纵轴为谋杀率（murder），并画出最小二乘法拟合的直线，在标题中写出直线的斜率（保留两位小数）。标题和坐标轴标签用英文。
tags:
- visualization-easy
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: zh
      input_file_path:
      - upload/statecrime.csv
    prefill: |-
      <|im_end|>
      <|im_start|>assistant
      Thought: 我先加载数据并查看这两列。
      Action: code_interpreter
      Action Input:
      ```py
      import pandas as pd

      crime = pd.read_csv("statecrime.csv")
      print(crime.shape)
      print(crime[["state", "poverty", "murder"]].head())
      ```
      Observation: (51, 8)
              state  poverty  murder
      0     Alabama     17.5     7.1
      1      Alaska      9.0     3.2
      2     Arizona     16.5     5.5
      3    Arkansas     18.8     6.3
      4  California     14.2     5.4
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
