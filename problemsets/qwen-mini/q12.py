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

flights = pd.read_csv("flights.csv")
print(flights.shape)
print(flights[["carrier", "origin", "dest", "dep_delay"]].head())

# %%
"""
query: |-
  From flights.csv, draw a bar chart of the number of flights of each carrier, the carrier with the most flights on the left and the one with the fewest on the right. Label both axes.
tags:
- visualization-easy
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: en
      input_file_path:
      - upload/flights.csv
    prefill: |-
      <|im_end|>
      <|im_start|>assistant
      Thought: First I read the file and see what it holds.
      Action: code_interpreter
      Action Input:
      ```py
      import pandas as pd

      flights = pd.read_csv("flights.csv")
      print(flights.shape)
      print(flights[["carrier", "origin", "dest", "dep_delay"]].head())
      ```
      Observation: (12208, 19)
        carrier origin dest  dep_delay
      0      UA    EWR  IAH        2.0
      1      UA    LGA  IAH        4.0
      2      AA    JFK  MIA        2.0
      3      B6    JFK  BQN       -1.0
      4      DL    LGA  ATL       -6.0
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
