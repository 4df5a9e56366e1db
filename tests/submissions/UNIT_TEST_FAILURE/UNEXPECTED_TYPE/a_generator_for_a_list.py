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
  table_test:
    function_name: clip
    test_cases:
      - [[1, 5, 9], 2, 6]
      - [[], 0, 1]
      - [[-3.5, 0.5], -1, 1]
"""
def clip(values, low, high):
    return [min(max(value, low), high) for value in values]

# %% submission
def clip(values, low, high):
    return (min(max(value, low), high) for value in values)
