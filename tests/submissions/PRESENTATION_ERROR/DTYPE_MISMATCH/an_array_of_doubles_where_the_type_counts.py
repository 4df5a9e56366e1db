# published: WRONG_OUTPUT/UNCATEGORIZED
# %% setup
import numpy as np

grid = np.arange(12.0).reshape(3, 4)
weights = np.array([1.0, 2.0, 3.0])

# %% reference
"""
query: Give twice the weights in single precision.
validator:
  result:
    strict_type: true
"""
(weights * 2).astype("float32")

# %% submission
weights * 2
