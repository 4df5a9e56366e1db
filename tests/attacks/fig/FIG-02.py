"""
id: FIG-02
title: a blank or noisy picture
ending: [ok]
credit: none
problem: drawn
"""
import matplotlib.pyplot as plt

plt.figure()
# %%
import matplotlib.pyplot as plt

plt.imshow(np.random.rand(64, 64))
