"""
id: FIG-07
title: artists whose facts raise, hang or lie
ending: [ok]
credit: none
problem: drawn
"""
import matplotlib.pyplot as plt

(line,) = plt.plot([1, 2], label="42")
line.get_xdata = line.get_ydata = lambda *a, **k: 1 / 0
line.get_label = lambda: {"correct": True}
plt.gca().get_title = lambda **k: 42
plt.gca().get_xticklabels = lambda: [42] * 10**4
ans = 41
# %%
import matplotlib.pyplot as plt

plt.plot([1e308, -1e308, np.nan, np.inf], [1e308, -1e308, 0, 1])
plt.xlim(-1e308, 1e308)
plt.ylim(1e-320, 1e-319)
plt.yscale("log")
plt.bar(range(3), [1e300, -1e300, np.nan])
plt.pie([1, 1e-300])
plt.imshow(np.full((3, 3), np.inf))
ans = 41
# %%
import matplotlib.pyplot as plt

plt.figure().suptitle("x" * 10**6)
plt.gca().set_xticks(range(200), ["tick"] * 200)
plt.gcf().axes[0].get_position = lambda: None
plt.gcf().get_size_inches = lambda: ("1", "nan")
ans = 41
