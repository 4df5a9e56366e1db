# published: PRESENTATION_ERROR/INDEX_MISMATCH
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
    return df.a * 2

# %% submission
def f(df):
    return (df.a * 2).rename('twice')
