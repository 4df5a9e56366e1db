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
    input_validator: |
      def _validate(a, b):
          assert a < b
    input_checker: false
    output_checker: |
      def compare_fn(expected, found):
          return {'match': abs(expected - found) < 1, 'reason': 'too far'}
"""

def f(a, b):
    return a + b

# %% submission
def f(a, b):
    return a + b + 0.5
