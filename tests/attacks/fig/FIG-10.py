"""
id: FIG-10
title: figures that break while they are drawn, beside the answer
ending: [ok]
credit: honest
problem: drawn
"""
import matplotlib.pyplot as plt


class Broken(plt.Artist):
    zorder = 0

    def draw(self, renderer):
        raise SystemExit("drawn")


plt.figure().add_artist(Broken())
plt.figure().canvas = None
plt.figure()._axstack = None
plt.figure().draw = lambda renderer: 1 / 0
figure = plt.figure()
figure.__class__ = type("Figure", (type(figure),), {"savefig": lambda s, *a, **k: 1 / 0})
