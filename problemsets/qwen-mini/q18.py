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

planes = pd.read_csv("planes.csv")
print(planes.head(3))
print(planes["manufacturer"].nunique())

# %%
"""
query: 请用 planes.csv 统计各制造商（manufacturer）的飞机数量，用饼图显示数量最多的五家制造商，其余合并为 OTHERS，并标出百分比（保留一位小数）。制造商的名称按文件中的写法，写法不同的算作不同的制造商；请加上标题，标题用英文。
tags:
- visualization-easy
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: zh
      input_file_path:
      - upload/planes.csv
    prefill: |-
      <|im_end|>
      <|im_start|>assistant
      Thought: 先读取飞机表，看看制造商一列。
      Action: code_interpreter
      Action Input:
      ```py
      import pandas as pd

      planes = pd.read_csv("planes.csv")
      print(planes.head(3))
      print(planes["manufacturer"].nunique())
      ```
      Observation:   tailnum    year                     type  ...  seats  speed     engine
      0  N10156  2004.0  Fixed wing multi engine  ...     55    NaN  Turbo-fan
      1  N102UW  1998.0  Fixed wing multi engine  ...    182    NaN  Turbo-fan
      2  N103US  1999.0  Fixed wing multi engine  ...    182    NaN  Turbo-fan

      [3 rows x 9 columns]
      35
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
