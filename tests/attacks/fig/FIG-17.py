"""
id: FIG-17
title: what is expected, drawn so that nobody sees it
ending: [ok]
credit: none
problem: plotted
"""
import matplotlib.pyplot as plt

bars = plt.bar(["a", "b", "c"], [3, 5, 2])
bars[1].set_visible(False)
plt.title("Counts")
# %%
import matplotlib.pyplot as plt

plt.bar(["a", "b", "c"], [3, 5, 2])
plt.ylim(1e6, 2e6)
plt.title("Counts")
