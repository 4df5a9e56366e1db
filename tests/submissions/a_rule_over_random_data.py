# %% setup
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
data = pd.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80)})
data["y"] = (data.a + 0.1 * rng.normal(size=80) > 0).astype(int)


class Rule:
    def __init__(self, column, sign=1):
        self.column, self.sign = column, sign

    def predict(self, inputs):
        return (self.sign * inputs[self.column] > 0).astype(int).to_numpy()

# %% reference
"""
query: Fit a model.
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X_test
    labels_name: y_test
    metric_type: rmse
    tolerance: 0.2
"""

X_test, y_test = data[['a', 'b']].tail(30), data.y.tail(30)
model = Rule('a')

# %% submission: BAD_MODEL/UNCATEGORIZED a greater loss
model = Rule('b')

# %% reference
"""
query: Fit a model.
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X_test
    labels_name: y_test
    metric_type: accuracy
    tolerance: 0
"""

X_test, y_test = data[['a', 'b']].tail(30), data.y.tail(30)
model = Rule('a')

# %% submission: BAD_MODEL/UNCATEGORIZED another score
model = Rule('a', -1)

# %% reference
"""
query: Fit a model.
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X_test
    labels_name: y_test
    metric_type: [accuracy, f1]
    tolerance: -0.1
"""

X_test, y_test = data[['a', 'b']].tail(30), data.y.tail(30)
model = Rule('a')

# %% submission: BAD_MODEL/UNCATEGORIZED no model
1

# %% submission: BAD_MODEL/UNCATEGORIZED no predict
model = 3

# %% submission: BAD_MODEL/UNCATEGORIZED predict fails
class Broken:
    def predict(self, inputs):
        raise ValueError('no')


model = Broken()

# %% submission: BAD_MODEL/UNCATEGORIZED the other column
model = Rule('b')

# %% submission: BAD_MODEL/UNCATEGORIZED too few predictions
class Short:
    def predict(self, inputs):
        return [1]


model = Short()

# %% submission: CORRECT/UNCATEGORIZED a model as good
class Other:
    def predict(self, inputs):
        return [int(value > 0.01) for value in inputs['a']]


model = Other()

# %% reference
"""
query: Fit a model.
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X_test
    labels_name: y_test
    metric_type: [mse, r2]
    tolerance: [0.2, -0.5]
"""

X_test, y_test = data[['a', 'b']].tail(30), data.y.tail(30)
model = Rule('a')

# %% submission: CORRECT/UNCATEGORIZED a model with as small a loss
model = Rule('a')
