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
    metric_type: [mse, r2]
    tolerance: [0.2, -0.5]
"""

X_test, y_test = data[['a', 'b']].tail(30), data.y.tail(30)
model = Rule('a')

# %% submission
model = Rule('a')
