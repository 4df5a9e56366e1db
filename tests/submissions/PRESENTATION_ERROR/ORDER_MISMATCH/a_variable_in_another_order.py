# published: PRESENTATION_ERROR/INDEX_MISMATCH
# %% setup
import numpy as np
import pandas as pd

df = pd.DataFrame({"city": ["Oslo", "Bergen", "Oslo", "Troms\u00f8"], "sales": [3, 1, 2, 5], "rate": [0.5, 1.5, None, 2.5]})
limit = 2

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    order:
"""
order = [1, 2, 3]

# %% submission
order = [3, 2, 1]
