# %% setup
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, LogisticRegression

rng = np.random.default_rng(5)
X = rng.normal(size=(60, 3))
y = X @ np.array([2.0, -1.0, 0.5]) + 0.3
labels = (y > 0).astype(int)

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X
    labels_name: y
    metric_type: [r2, mse]
    tolerance: 0
"""
model = LinearRegression().fit(X, y)

# %% submission
model = LinearRegression(positive=False, copy_X=True).fit(X.copy(), y.copy())
