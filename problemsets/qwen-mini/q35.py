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
  请在工作目录里新建文件夹 notes，在里面写三个文本文件 a.txt、b.txt、c.txt，内容分别是“晴天”“小雨转多云”“大风降温，注意保暖”。然后按文件名顺序列出每个文件的名字和字符数。
tags:
- general
family:
  qwen:
    fields:
      tags: all_ci,general
validator:
  template: basic
execution:
  max_time: 30
"""

pass  # there is no reference answer: what runs without an error is executable
