"""
id: FIG-05
title: a huge figure
ending: [ok, error, over_limit, timed_out, bad_report]
credit: none
problem: drawn
limit_s: 1
memory_mb: 1000
"""
import matplotlib.pyplot as plt

plt.figure(figsize=(10**4, 10**4))
# %%
import matplotlib.pyplot as plt

for _ in range(20_000):
    plt.gca().add_line(plt.Line2D([0, 1], [0, 1]))
