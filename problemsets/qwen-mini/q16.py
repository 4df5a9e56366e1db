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

airports = pd.read_csv("airports.csv")
print(airports[["faa", "lat", "lon", "alt"]].head())
print(airports[["lat", "lon", "alt"]].describe())

# %%
"""
query: |-
  请用 airports.csv 画散点图：横轴为经度（lon），纵轴为纬度（lat），只画经度在 -130 到 -60 之间、纬度在 20 到 50 之间的机场，颜色表示海拔（alt，英尺），并加上颜色条和坐标轴标签（标签用英文）。
tags:
- visualization-easy
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: zh
      input_file_path:
      - upload/airports.csv
    prefill: |-
      <|im_end|>
      <|im_start|>assistant
      Thought: 先读取机场表，看看经纬度和海拔的范围。
      Action: code_interpreter
      Action Input:
      ```py
      import pandas as pd

      airports = pd.read_csv("airports.csv")
      print(airports[["faa", "lat", "lon", "alt"]].head())
      print(airports[["lat", "lon", "alt"]].describe())
      ```
      Observation:    faa        lat        lon   alt
      0  04G  41.130472 -80.619583  1044
      1  06A  32.460572 -85.680028   264
      2  06C  41.989341 -88.101243   801
      3  06N  41.431912 -74.391561   523
      4  09J  31.074472 -81.427778    11
                     lat          lon          alt
      count  1458.000000  1458.000000  1458.000000
      mean     41.648008  -103.392289  1001.415638
      std      10.449509    29.843118  1523.626105
      min      19.721375  -176.646000   -54.000000
      25%      34.257539  -119.185652    70.250000
      50%      40.087722   -94.661854   473.000000
      75%      45.067150   -82.516717  1062.500000
      max      72.270833   174.113620  9078.000000
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
