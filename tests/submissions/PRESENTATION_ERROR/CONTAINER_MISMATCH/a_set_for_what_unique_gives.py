# published: WRONG_OUTPUT/UNEXPECTED_TYPE
# %% setup
import numpy as np
import pandas as pd

orders = pd.DataFrame(
    {
        "order": range(1, 9),
        "shop": ["a", "b", "a", "c", "b", "a", "c", "b"],
        "day": pd.date_range("2024-03-01", periods=8, freq="D"),
        "items": [2, 5, 1, 7, 3, 3, 4, 6],
        "price": [9.5, 3.25, 12.0, 1.5, 8.0, 2.75, 6.0, 4.5],
    }
)
shops = pd.DataFrame({"shop": ["a", "b", "d"], "owner": ["Ana", "Bo", "Dee"]})

# %% reference
"""
query: Answer the question.
"""
orders["shop"].unique()

# %% submission
set(orders["shop"])
