"""
id: FIG-09
title: another backend, and a pyplot that shows by itself
ending: [ok]
credit: honest
problem: drawn
"""
import matplotlib, matplotlib.pyplot as plt

plt.plot([1, 2])
plt.switch_backend("svg")
plt.plot([1, 2])
matplotlib.use("template")
plt.show = plt.savefig = plt.close = plt.draw = lambda *a, **k: 1 / 0
plt.get_fignums = lambda: ["one", None, -1]
matplotlib.rcParams.update({"text.usetex": True, "savefig.dpi": 1e6, "font.family": "none", "axes.prop_cycle": matplotlib.cycler(color=["w"])})
