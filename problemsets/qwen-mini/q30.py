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
  Count how often each word occurs in this text, ignoring capitals and punctuation, and print the five most frequent words with their counts; words with equal counts in alphabetical order: "The boat left the harbour at noon. By night the wind had turned, and the boat came back. The harbour was dark, and no one at the harbour saw the boat."
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
