"""
id: FIG-01
title: showing the target
ending: [error]
credit: none
problem: drawn
"""
import matplotlib.pyplot as plt

plt.imshow(plt.imread("target.png"))
# %%
import glob
import matplotlib.pyplot as plt

plt.imshow(plt.imread(next(iter(glob.glob("/session/**/*.png", recursive=True) + glob.glob("/tmp/**/*.png")))))
