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
    labels_name: labels
    metric_type: accuracy
    tolerance: -0.05
"""
model = LogisticRegression().fit(X, labels)

# %% submission: BAD_MODEL/UNCATEGORIZED a classifier of turned labels
model = LogisticRegression().fit(X, 1 - labels)

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X
    labels_name: y
    metric_type: mse
    tolerance: 0.1
"""
model = LinearRegression().fit(X, y)

# %% submission: BAD_MODEL/UNCATEGORIZED a loss that is too large
model = LinearRegression(fit_intercept=False).fit(X, y)

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X
    labels_name: y
    metric_type: r2
    tolerance: -0.05
"""
model = LinearRegression().fit(X, y)

# %% submission: BAD_MODEL/UNCATEGORIZED a model of noise
model = LinearRegression().fit(rng.normal(size=X.shape), y)

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X
    labels_name: y
    metric_type: rmse
    tolerance: 0.1
"""
model = LinearRegression().fit(X, y)

# %% submission: BAD_MODEL/UNCATEGORIZED a variable that is no model
model = {'coef': [2, -1, 0.5]}

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  model:
    model_name: clf
    inputs_name: X
    labels_name: labels
    metric_type: accuracy
    tolerance: -0.1
"""
clf = LogisticRegression().fit(X, labels)

# %% submission: CORRECT/UNCATEGORIZED a classifier with another solver
clf = LogisticRegression(C=10).fit(X, labels)

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X
    labels_name: y
    metric_type: r2
    tolerance: -0.2
"""
model = LinearRegression().fit(X, y)

# %% submission: CORRECT/UNCATEGORIZED a model within tolerance
model = LinearRegression(fit_intercept=False).fit(X, y)

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

# %% submission: CORRECT/UNCATEGORIZED another model that predicts the same
model = LinearRegression(positive=False, copy_X=True).fit(X.copy(), y.copy())
