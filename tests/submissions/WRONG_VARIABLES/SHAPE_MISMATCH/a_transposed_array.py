# published: WRONG_VARIABLES/UNCATEGORIZED
# %% setup
import numpy as np

grid = np.arange(12.0).reshape(3, 4)
weights = np.array([1.0, 2.0, 3.0])

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = grid

# %% submission
answer = grid.T
