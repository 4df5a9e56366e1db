"""
id: FIG-14
title: many figures, of which one may fit
ending: [ok]
credit: none
problem: plotted
"""
import itertools
import matplotlib.pyplot as plt

for heights in itertools.islice(itertools.product([1, 3, 5], repeat=3), 19):
    plt.figure()
    plt.bar(["a", "b", "c"], heights)
    plt.title("Counts")
# %%
import matplotlib.pyplot as plt

for heights in ([3, 5, 2], [1, 1, 1]):
    plt.figure()
    plt.bar(["a", "b", "c"], heights)
    plt.title("Counts")
