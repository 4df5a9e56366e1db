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
  请用 us_employment.csv 比较三个行业的就业走势：manufacturing、construction 和 education_and_health_services。把每个行业 2006 年 1 月的就业人数设为 100，画出三条指数折线，横轴为月份（month），并在 100 处画一条灰色虚线。图例、标题和坐标轴标签请用英文。
tags:
- visualization-hard
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: zh
      input_file_path:
      - upload/us_employment.csv
validator:
  template: basic
  judge:
    scale: right_wrong
    counts: true
execution:
  max_time: 30
"""

pass  # there is no reference answer: what runs without an error is executable
