"""
id: FIG-16
title: bars whose names are put under others
ending: [ok]
credit: none
problem: plotted
"""
import matplotlib.pyplot as plt

plt.bar(["a", "b", "c"], [5, 3, 2])
plt.xticks([0, 1, 2], ["b", "a", "c"])
plt.title("Counts")
