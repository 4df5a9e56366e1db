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
  Mia is 6 years older than her brother Jonas. In 4 years, their ages will add up to 40. How old is Mia now? Answer with her age only.
tags:
- gsm8k
family:
  qwen:
    fields:
      answer: |-
        In 4 years both together are 40, so now they are 40 - 4 - 4 = <<40-4-4=32>>32.
        Without the 6 years that Mia is older, both would be 32 - 6 = <<32-6=26>>26 together.
        Jonas is 26 / 2 = <<26/2=13>>13 years old.
        Mia is 13 + 6 = <<13+6=19>>19 years old.
        #### 19
validator:
  template: basic
  final_answer:
    expected: '#### 19'
execution:
  max_time: 30
"""

'#### 19'
