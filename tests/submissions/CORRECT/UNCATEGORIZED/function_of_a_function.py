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
      - ['`lambda x: x + 1`', 3]
"""

def f(g, x):
    return g(g(x))

# %% submission
def f(g, x):
    for _ in range(2):
        x = g(x)
    return x
