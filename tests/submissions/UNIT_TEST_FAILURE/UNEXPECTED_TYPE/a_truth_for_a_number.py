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
      - [1, 2]
      - [3, 4]
"""

def f(a, b):
    return a + b

# %% submission
def f(a, b):
    return (a + b) == 3
