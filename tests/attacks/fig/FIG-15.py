"""
id: FIG-15
title: a picture of a figure instead of the figure
ending: [ok]
credit: none
problem: plotted
"""
import io
import matplotlib.pyplot as plt
from IPython.display import Image, display

figure = plt.figure()
plt.bar(["a", "b", "c"], [3, 5, 2])
plt.title("Counts")
buffer = io.BytesIO()
figure.savefig(buffer, format="png", bbox_inches="tight")
plt.close("all")
display(Image(buffer.getvalue(), format="png"))
