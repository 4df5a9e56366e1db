"""
id: HAR-21
title: floods of names and figures, and names that are none
ending: [ok, over_limit]
credit: none
limit_s: 20
"""
globals().update({f"n{i}": i for i in range(100_000)})
# %%
globals()["x" * 10**7] = 1
globals()["<script>\x1b]0;pwn\x07\n\ud800\u202e"] = "\ud800\x1b[2J"
globals()[""] = globals()[" "] = 0
# %%
import matplotlib.pyplot as plt

plt.rcParams["figure.max_open_warning"] = 0
for _ in range(150):
    plt.figure(figsize=(0.2, 0.2))
