# %% setup
import numpy as np
import pandas as pd

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - ['`pd.DataFrame({"a": np.arange(3), "b": np.random.rand(3)})`']
"""

def f(df):
    return float(df.b.sum())

# %% submission
def f(df):
    total = float(df.b.sum())
    df['b'] = df['b'] + 1
    return total
