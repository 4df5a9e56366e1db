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

weather = pd.read_csv("seattle_weather.csv")
print(weather.head(3))
print(weather["temp_max"].describe())

# %%
"""
query: |-
  Draw a histogram of the daily highest temperature (temp_max) in seattle_weather.csv with 20 bins, and mark the mean with a vertical dashed line. Add axis labels and a legend that gives the mean.
tags:
- visualization-easy
family:
  qwen:
    fields:
      tags: all_ci,visualization
      lang: en
      input_file_path:
      - upload/seattle_weather.csv
    prefill: |-
      <|im_end|>
      <|im_start|>assistant
      Thought: Let me read the table and look at the temperatures.
      Action: code_interpreter
      Action Input:
      ```py
      import pandas as pd

      weather = pd.read_csv("seattle_weather.csv")
      print(weather.head(3))
      print(weather["temp_max"].describe())
      ```
      Observation:          date  precipitation  temp_max  temp_min  wind  weather
      0  2012/01/01            0.0      12.8       5.0   4.7  drizzle
      1  2012/01/02           10.9      10.6       2.8   4.5     rain
      2  2012/01/03            0.8      11.7       7.2   2.3     rain
      count    1461.000000
      mean       16.439083
      std         7.349758
      min        -1.600000
      25%        10.600000
      50%        15.600000
      75%        22.200000
      max        35.600000
      Name: temp_max, dtype: float64
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
