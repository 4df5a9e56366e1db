# %% setup
import numpy as np

grid = np.arange(12.0).reshape(3, 4)
weights = np.array([1.0, 2.0, 3.0])

# %% reference
"""
query: Answer the question.
"""
weights @ grid

# %% submission: CORRECT/UNCATEGORIZED a matrix product by hand
np.array([sum(weights[i] * grid[i, j] for i in range(3)) for j in range(4)])

# %% reference
"""
query: Answer the question.
"""
grid.mean()

# %% submission: CORRECT/UNCATEGORIZED a number within tolerance
grid.mean() * (1 + 1e-9)

# %% reference
"""
query: Answer the question.
"""
grid * weights[:, None]

# %% submission: CORRECT/UNCATEGORIZED an array from einsum
np.einsum("ij,i->ij", grid, weights)

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    total:
"""
total = grid.sum()

# %% submission: CORRECT/UNCATEGORIZED more variables than the reference
rows = grid.sum(axis=1)
total = rows.sum()

# %% reference
"""
query: Answer the question.
"""
weights.max()

# %% submission: INTACT_VIOLATION/UNCATEGORIZED a name is taken for something else
weights = weights.max()
weights

# %% reference
"""
query: Answer the question.
"""
grid.sum()

# %% submission: INTACT_VIOLATION/UNCATEGORIZED an array is scaled in place
found = grid.sum()
grid *= 2
found

# %% reference
"""
query: Give twice the weights in single precision.
validator:
  result:
    strict_type: true
"""
(weights * 2).astype("float32")

# %% submission: PRESENTATION_ERROR/DTYPE_MISMATCH (published: WRONG_OUTPUT/UNCATEGORIZED) an array of doubles where the type counts
weights * 2

# %% reference
"""
query: Answer the question.
"""
grid

# %% submission: WRONG_OUTPUT/SHAPE_MISMATCH (published: WRONG_OUTPUT/UNCATEGORIZED) a transposed array
grid.T

# %% submission: WRONG_OUTPUT/SHAPE_MISMATCH (published: WRONG_OUTPUT/UNCATEGORIZED) an array of fewer columns
grid[:, :2]

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = grid

# %% submission: WRONG_VARIABLES/SHAPE_MISMATCH (published: WRONG_VARIABLES/UNCATEGORIZED) a transposed array
answer = grid.T
