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

df = pd.read_csv("gapminder.csv")
print(df.head())
print(df["country"].nunique(), df["year"].min(), df["year"].max())

# %%
"""
query: |-
  请用 gapminder.csv 画出中国（China）、印度（India）和日本（Japan）1952 年到 2007 年预期寿命（lifeExp）的三条折线，带数据点标记、图例和坐标轴标签（标签用英文）。
tags:
- visualization-easy
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: zh
      input_file_path:
      - upload/gapminder.csv
    prefill: |-
      <|im_end|>
      <|im_start|>assistant
      Thought: 我先读取数据，看看有哪些列。
      Action: code_interpreter
      Action Input:
      ```py
      import pandas as pd

      df = pd.read_csv("gapminder.csv")
      print(df.head())
      print(df["country"].nunique(), df["year"].min(), df["year"].max())
      ```
      Observation:        country continent  year  lifeExp       pop   gdpPercap
      0  Afghanistan      Asia  1952   28.801   8425333  779.445314
      1  Afghanistan      Asia  1957   30.332   9240934  820.853030
      2  Afghanistan      Asia  1962   31.997  10267083  853.100710
      3  Afghanistan      Asia  1967   34.020  11537966  836.197138
      4  Afghanistan      Asia  1972   36.088  13079460  739.981106
      142 1952 2007
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
