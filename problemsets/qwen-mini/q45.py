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
  A library has 1,200 books. In spring it buys 15% more, and in summer it gives away 80 old books. In autumn, a quarter of the books that it then has are lent out. How many books are lent out? Answer with one number.
tags:
- gsm8k
family:
  qwen:
    fields:
      answer: |-
        It buys 1200 * 0.15 = <<1200*0.15=180>>180 books.
        Then it has 1200 + 180 = <<1200+180=1380>>1380 books.
        After the summer it has 1380 - 80 = <<1380-80=1300>>1300 books.
        1300 / 4 = <<1300/4=325>>325 books are lent out.
        #### 325
validator:
  template: basic
  final_answer:
    expected: '#### 325'
execution:
  max_time: 30
"""

'#### 325'
