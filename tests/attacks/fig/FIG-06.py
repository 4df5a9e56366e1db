"""
id: FIG-06
title: closed and hidden figures
ending: [ok]
credit: none
problem: drawn
"""
import matplotlib.pyplot as plt

plt.plot([1, 2])
plt.close("all")
# %%
import matplotlib.pyplot as plt

plt.figure().add_axes((0, 0, 0, 0)).plot([1, np.nan, np.inf, 1e308])
# %%
import matplotlib.pyplot as plt

plt.figure().add_axes((5, 5, 1, 1)).plot([1, 2])
