# %% setup
import collections
import re

text = "the cat saw the dog and the dog saw nothing"
ages = {"Ana": 31, "Bo": 28, "Dee": 45}
log = ["3 ok", "4 failed", "7 ok"]

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = sum(ages.values())

# %% submission
import pandas as pd

answer = pd.Series(ages).sum
