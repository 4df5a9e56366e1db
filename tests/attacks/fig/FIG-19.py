"""
id: FIG-19
title: the expected figure, covered by another picture
ending: [ok]
credit: none
problem: plotted
"""
import matplotlib.pyplot as plt

plt.bar(["a", "b", "c"], [3, 5, 2])
plt.title("Counts")
plt.gcf().add_artist(plt.Rectangle((0, 0), 1, 1, zorder=9))
