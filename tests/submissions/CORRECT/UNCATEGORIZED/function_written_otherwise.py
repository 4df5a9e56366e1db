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
      - {a: 5, b: 6}
      - '`[7, 8]`'
      - |
        ```
        def _generate():
            return [random.randint(0, 9), np.random.randint(9)]
        ```
      - //
"""

def f(a, b):
    return a + b

# %% submission
f = lambda a, b: b + a
