# published: PRESENTATION_ERROR/NON_CODE
# %% setup
import collections
import re

text = "the cat saw the dog and the dog saw nothing"
ages = {"Ana": 31, "Bo": 28, "Dee": 45}
log = ["3 ok", "4 failed", "7 ok"]

# %% reference
"""
query: Answer the question.
"""
len(ages) > 2

# %% submission
# True False
pass
