# %%
import pandas as pd
import numpy as np

# %%
"""
question: |
  Read `inputs/crossings.tsv`, whose columns are separated by tabs.
  Assign it to a variable called crossings.

validator:
  namespace_check:
    crossings:

data:
  crossings.tsv: https://example.org/crossings.tsv
"""

crossings = pd.read_csv('inputs/crossings.tsv', sep = '\t')

# %%
"""
question: How many crossings are there?
"""

crossings.shape[0]  # five

# %%
"""
question: The names of the columns.

validator:
  result:
    compare_fn:
      value_only: true
"""

crossings.columns

# %%
"""
question: The passengers of every crossing, as an array.

validator:
  result:
    value_only: true
"""

crossings["passengers"].to_numpy()

# %%
"""
question: |
  Add a column `revenue`, the passengers times the fare, in place.

validator:
  namespace_check:
    crossings:
"""

crossings['revenue'] = crossings['passengers'] * crossings['fare']

# %%
"""
question: The mean fare of each port.
"""

crossings.groupby("port")["fare"].mean()

# %%
"""
question: Print the name of each port and, below it, how many crossings go there.

validator:
  stream:
"""

for port, group in crossings.groupby('port'):
    print(port)
    print(len(group))

# %%
"""
question: Draw two crossings at random.

validator:
  result: |
    def compare_fn(ref, sub):
      if ref.shape != sub.shape:
        return {"match": False, "reason": f"Shape: {ref.shape} vs {sub.shape}"}
      return {"match": True, "reason": ""}
"""

crossings.sample(n=2, random_state=0)

# %%
train, held_out = crossings.iloc[:3], crossings.iloc[3:]

class FareModel:
    def fit(self, rows):
        self.factor = (rows["fare"] / rows["passengers"]).mean()
        return self

    def predict(self, rows):
        return rows["passengers"].to_numpy() * self.factor

passengers, fares = held_out, held_out["fare"]

# %%
"""
question: Fit a `FareModel` to the training rows and call it `model`.

validator:
  template: intact
  namespace_check:
    model:
      type_only: true
  model:
    model_name: model
    inputs_name: passengers
    labels_name: fares
    metric_type: [mse, rmse]
    tolerance: [0.5, 0.5]

execution:
  forbid_names:
    - held_out
    - passengers
    - fares
  max_time: 5
"""

model = FareModel().fit(train)

# %%
"""
question: Nothing is known of the fare in winter. Say so with not-a-number.
"""

float("nan")

# %%
"""
question: |
  Replace every digit of a fare, written as text, by '#'. The pattern is \d, the line end \n.
"""

crossings["fare"].astype(str).str.replace(r"\d", "#", regex=True).tolist()

# %%
"""
question: The highest fare.
"""

crossings.fare.max()

# %%
"""
question: The crossings with more than 90 passengers.
"""

crossings[crossings["passengers"] > 90]

# %%
"""
question: The ferry with the longest name.
"""

crossings.loc[crossings["ferry"].str.len().idxmax(), "ferry"]
