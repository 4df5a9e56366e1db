# %% setup
import numpy as np
import pandas as pd

# %% reference
"""
query: Name a number near the mean.
validator:
  namespace_check:
    answer: |
      def compare_fn(expected, found):
          return abs(expected - found) < 2, "too far away"
"""

answer = 10

# %% submission
answer = 11
