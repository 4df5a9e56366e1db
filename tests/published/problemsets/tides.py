'''
### Prompt ###

A problem of one line.
'''

# %%
import numpy as np

tides = np.array([[1.5, 0.5], [2.5, 1.0]])

# %%
"""
question: Convert the tides to whole numbers of type int32, cut off, not rounded

validator:
  result:
    strict_type: true
"""

tides.astype("int32")
