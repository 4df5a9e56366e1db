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
      - [[3, 1, 2]]
"""

def f(items):
    items.sort()
    return items[0]

# %% submission
def f(items):
    items[:] = sorted(items)
    return min(items)
