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
  weather.csv 是纽约三个机场 2013 年 1 月 1 日至 14 日每小时的天气。请在同一行画三个子图，每个机场（origin）一个，纵轴范围相同：横轴为气温（temp，华氏度），纵轴为相对湿度（humid，百分比），画半透明的散点图。每个子图以机场代码为标题，坐标轴标签和总标题请用英文。
tags:
- visualization-hard
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: zh
      input_file_path:
      - upload/weather.csv
validator:
  template: basic
  judge:
    scale: right_wrong
    counts: true
execution:
  max_time: 30
"""

pass  # there is no reference answer: what runs without an error is executable
