# %% setup
import numpy as np

grid = np.arange(12.0).reshape(3, 4)
weights = np.array([1.0, 2.0, 3.0])

# %% reference
"""
query: Answer the question.
"""
weights @ grid

# %% submission
np.array([sum(weights[i] * grid[i, j] for i in range(3)) for j in range(4)])
