"""
id: FIG-08
title: millions of points in figures without number
ending: [ok, error, over_limit]
credit: none
problem: drawn
limit_s: 20
"""
import matplotlib.pyplot as plt

plt.plot(np.arange(1_200_000.0))
plt.figure()
plt.scatter(np.arange(50_000.0), np.zeros(50_000))
ans = 41
