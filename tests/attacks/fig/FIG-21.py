"""
id: FIG-21
title: artists, plots and figures that draw something else than their data
ending: [ok]
credit: none
problem: charted
"""
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle


class Bar(Rectangle):
    def get_patch_transform(self):
        return super().get_patch_transform().scale(1, 2)


bars = plt.bar(["a", "b", "c"], [3, 5, 2])
bars[1].__class__ = Bar
plt.title("Counts")
# %%
import matplotlib.pyplot as plt

bars = plt.bar(["a", "b", "c"], [3, 5, 2])
bars[1].draw = lambda renderer: None
plt.title("Counts")
# %%
import matplotlib.pyplot as plt
from matplotlib.figure import Figure


class Blank(Figure):
    def draw(self, renderer):
        self.patch.draw(renderer)


plt.figure(FigureClass=Blank)
plt.bar(["a", "b", "c"], [3, 5, 2])
plt.title("Counts")
# %%
import matplotlib.pyplot as plt

plt.bar(["a", "b", "c"], [3, 5, 2])
plt.title("Counts")
plt.gca().draw = lambda renderer: None
# %%
import matplotlib.pyplot as plt

plt.bar(["a", "b", "c"], [3, 5, 2])
plt.title("Sums")
plt.gca().title.get_text = lambda: "Counts"
