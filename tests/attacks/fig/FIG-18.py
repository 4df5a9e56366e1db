"""
id: FIG-18
title: artists of which one instance tells something else than it shows
ending: [ok]
credit: none
problem: plotted
"""
import matplotlib.pyplot as plt

bars = plt.bar(["a", "b", "c"], [3, 9, 2])
bars[1].get_height = lambda: 5
plt.title("Counts")
