"""
id: FIG-20
title: functions of matplotlib that are replaced by others
ending: [ok]
credit: none
problem: charted
"""
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

height = Rectangle.get_height
plt.bar(["a", "b", "c"], [3, 9, 2])
plt.title("Counts")
Rectangle.get_height = lambda self: min(height(self), 5)
# %%
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

plt.bar(["a", "b", "c"], [3, 9, 2])
plt.title("Counts")
Rectangle.get_height.__code__ = (lambda self: min(self._height, 5)).__code__
# %%
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

plt.bar(["a", "b", "c"], [3, 5, 2])
plt.title("Counts")
Figure.savefig = lambda self, file, **options: None
# %%
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

height = Rectangle.get_height
ax = plt.gca()
ax.bar(["a", "b", "c"], [3, 9, 2])
ax.set_title("Counts")


def label(value, place):
    Rectangle.get_height = lambda self: min(height(self), 5)
    return f"{value:g}"


ax.yaxis.set_major_formatter(label)
