"""
id: FIG-03
title: a false figure
ending: [ok]
credit: none
problem: drawn
"""
import matplotlib.pyplot as plt


class Fig:
    axes = property(lambda s: 1 / 0)
    savefig = _repr_png_ = lambda s, *a, **k: b"\x89PNG"


plt.gcf()
plt.Axes.get_lines = lambda s: [object()]
plt.Figure.savefig = lambda s, *a, **k: None
ans = Fig()
Fig()
