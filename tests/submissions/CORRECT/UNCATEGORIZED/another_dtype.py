# published: PRESENTATION_ERROR/INDEX_MISMATCH
# %% setup
import numpy as np
import pandas as pd

df = pd.DataFrame({"city": ["Oslo", "Bergen", "Oslo", "Troms\u00f8"], "sales": [3, 1, 2, 5], "rate": [0.5, 1.5, None, 2.5]})
limit = 2

# %% reference
"""
query: Answer the question.
"""
df.groupby("city", as_index=False)["sales"].sum()

# %% submission
df.groupby("city", as_index=False)["sales"].sum().astype({"sales": float})
