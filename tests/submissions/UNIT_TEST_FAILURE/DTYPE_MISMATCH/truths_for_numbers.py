# published: UNIT_TEST_FAILURE/VALUE_MISMATCH
# %% setup
import numpy as np
import pandas as pd

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  table_test:
    function_name: top
    test_cases:
      - ['`pd.DataFrame({"x": [3, 1, 2], "y": list("abc")})`', 2]
      - ['`pd.DataFrame({"x": np.random.rand(6), "y": range(6)})`', 3]
      - //
"""
def top(frame, n):
    return frame.sort_values("x", ascending=False).head(n)

# %% submission
def top(frame, n):
    return frame.nlargest(n, "x").assign(x=lambda found: found["x"] > 1)
