# language_version: 3

# %% The session of CIBench: data/ is inputs/, no GPU, no input, no shell
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
if not os.path.exists("data") and os.path.isdir("inputs"):
    os.symlink("inputs", "data")


def input(*args, **kwargs):
    raise NotImplementedError("input() is disabled here")


get_ipython().system = lambda *command: print("The package is assumed to be here: shell commands are disabled")

# %%
"""
query: |
  Please make a test picture: a numpy array `picture` of 200 rows and 200 columns of floats, 0.0 everywhere, with four filled
  shapes of value 1.0. Use scikit-image's `draw.disk` for a disk with centre (50, 50) and radius 20 and one with centre (60, 140)
  and radius 30, `draw.ellipse` for an ellipse with centre (140, 140), row radius 20 and column radius 40 (all as row, column),
  and fill the rectangle of rows 120 to 159 and columns 30 to 69, both ends included.
family:
  cibench:
    step: 1
    thought: I start with zeros and set the pixels of the two disks, the ellipse and the rectangle to one.
    modules: numpy & skimage
    step_type: exec
validator: {template: basic, namespace_check: {picture: }}
execution: {max_time: 30}
"""
import numpy as np
from skimage import draw

picture = np.zeros((200, 200))
picture[draw.disk((50, 50), 20)] = 1.0
picture[draw.disk((60, 140), 30)] = 1.0
picture[draw.ellipse(140, 140, 20, 40)] = 1.0
picture[120:160, 30:70] = 1.0

# %%
"""
query: |
  Print how many pixels of `picture` have the value 1.0, and then which share of all pixels that is, the share as a
  fraction rounded to 4 decimals. Print nothing but these numbers.
family:
  cibench:
    step: 2
    thought: I count the ones and divide by the number of pixels.
    modules: numpy
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
bright = int((picture == 1.0).sum())
print(bright, round(bright / picture.size, 4))

# %%
"""
query: |
  Add noise to `picture` with scikit-image's `util.random_noise`: `mode="gaussian"`, `var=0.05`, `rng=0`, everything else
  as it is by default. Call the result `noisy`.
family:
  cibench:
    step: 3
    thought: I call random_noise with the given variance and seed.
    modules: skimage
    step_type: exec
validator: {template: basic, namespace_check: {noisy: }}
execution: {max_time: 30}
"""
from skimage.util import random_noise

noisy = random_noise(picture, mode="gaussian", var=0.05, rng=0)

# %%
"""
query: |
  Smooth `noisy` with scikit-image's Gaussian filter, `sigma=2`, and call the result `smooth`. Then tell me how close
  it is to the original `picture`: print the structural similarity (`structural_similarity` with `data_range=1`)
  between `picture` and `noisy`, and then that between `picture` and `smooth`, both rounded to 4 decimals. Print
  nothing but these numbers.
family:
  cibench:
    step: 4
    thought: I smooth the noisy picture and compare both with the original.
    modules: skimage
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from skimage.filters import gaussian
from skimage.metrics import structural_similarity

smooth = gaussian(noisy, sigma=2)
for each in (noisy, smooth):
    print(round(float(structural_similarity(picture, each, data_range=1)), 4))

# %%
"""
query: |
  Show me `smooth` as a picture with matplotlib's `imshow`, in a figure of 5 by 5 inches, with the grey colour map `gray`, the
  axes switched off, no colour bar, and the title "Smoothed shapes".
family:
  cibench:
    step: 5
    thought: I show the array with imshow in grey, without axes.
    modules: matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0.8, facts: [data, labels]}}
execution: {max_time: 30}
"""
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 5))
ax.imshow(smooth, cmap="gray")
ax.set_title("Smoothed shapes")
ax.axis("off")

# %%
"""
query: |
  Draw a histogram of the grey values of all pixels of `smooth`: 40 bins of equal width over the range from 0 to 1, counts of
  pixels on the y axis. Title: "Grey values after smoothing", x axis: "Grey value", y axis: "Pixels".
family:
  cibench:
    step: 6
    thought: I flatten the smoothed picture and draw a histogram with a fixed range.
    modules: matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, ax = plt.subplots()
ax.hist(smooth.ravel(), bins=40, range=(0, 1))
ax.set_title("Grey values after smoothing")
ax.set_xlabel("Grey value")
ax.set_ylabel("Pixels")

# %%
"""
query: |
  Find Otsu's threshold of `smooth` with scikit-image, call it `threshold`, and keep the pixels above it as a boolean
  array `mask`. Print the threshold rounded to 4 decimals and the number of pixels in the mask. Print nothing but
  these numbers.
family:
  cibench:
    step: 7
    thought: I compute the threshold with threshold_otsu and compare the smoothed picture with it.
    modules: skimage
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from skimage.filters import threshold_otsu

threshold = threshold_otsu(smooth)
mask = smooth > threshold
print(round(float(threshold), 4), int(mask.sum()))

# %%
"""
query: |
  Label the connected regions of `mask` with `skimage.measure.label` (diagonal neighbours count: `connectivity=2`),
  call the result `labels`, and describe each region, in increasing order of its label, by four numbers on a line of
  its own: its area in pixels, its eccentricity rounded to 2 decimals, and the row and the column of its centroid,
  both rounded to 1 decimal. Print nothing but these numbers: no labels and no words.
family:
  cibench:
    step: 8
    thought: I label the mask and print area, eccentricity and centroid of each of the regionprops.
    modules: skimage
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from skimage.measure import label, regionprops

labels = label(mask, connectivity=2)
for region in regionprops(labels):
    row, column = region.centroid
    print(int(region.area), round(region.eccentricity, 2), round(row, 1), round(column, 1))

# %%
"""
query: |
  Draw a vertical bar chart of the areas of these regions, one bar per region, from the largest on the left to the
  smallest on the right. Each bar is named by the label of its region as text, so that the x axis is one of
  categories. Title: "Areas of the regions", x axis: "Region", y axis: "Area in pixels".
family:
  cibench:
    step: 9
    thought: I sort the regions by area, largest first, and draw a bar for each with its label below.
    modules: skimage & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
regions = sorted(regionprops(labels), key=lambda region: region.area, reverse=True)
fig, ax = plt.subplots()
ax.bar([str(region.label) for region in regions], [region.area for region in regions])
ax.set_title("Areas of the regions")
ax.set_xlabel("Region")
ax.set_ylabel("Area in pixels")

# %%
"""
query: |
  I want to see what smoothing does to the borders. Draw the grey values along row 60 (counted from 0) against the column, one
  line for `noisy` and one for `smooth`, and a legend with the texts "noisy" and "smooth". Title: "Grey values along row 60",
  x axis: "Column", y axis: "Grey value".
family:
  cibench:
    step: 10
    thought: I take row 60 of both pictures and draw them as two lines.
    modules: matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, ax = plt.subplots()
ax.plot(noisy[60], label="noisy")
ax.plot(smooth[60], label="smooth")
ax.set_title("Grey values along row 60")
ax.set_xlabel("Column")
ax.set_ylabel("Grey value")
ax.legend()

# %%
"""
query: |
  Erode `mask` with `skimage.morphology.erosion` and a disk of radius 10 (`skimage.morphology.disk(10)`) as footprint.
  Print how many pixels are left and how many connected regions (again with `connectivity=2`) they make. Print nothing
  but these numbers.
family:
  cibench:
    step: 11
    thought: I erode the mask with a disk and count the pixels and the regions that remain.
    modules: skimage
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from skimage.morphology import disk, erosion

eroded = erosion(mask, disk(10))
print(int(eroded.sum()), int(label(eroded, connectivity=2).max()))

# %%
"""
query: |
  Otsu's is not the only threshold. Of scikit-image's `threshold_li`, `threshold_mean`, `threshold_minimum`,
  `threshold_triangle` and `threshold_yen`, each with its default settings on `smooth`, find the one with the lowest
  value and the one with the highest, and count the pixels of `smooth` above each of these two. Print two lines, the
  lowest first, in the form `lowest: li, 1234 pixels` and `highest: mean, 1234 pixels`, and nothing else.
family:
  cibench:
    step: 12
    thought: I compute the five thresholds, take the smallest and the largest, and count the pixels above them.
    modules: skimage
    step_type: text
validator: {template: basic, text: {pass_at: 0.95}, numeric: }
execution: {max_time: 30}
"""
from skimage import filters

thresholds = {
    name: getattr(filters, f"threshold_{name}")(smooth) for name in ("li", "mean", "minimum", "triangle", "yen")
}
for word, choose in (("lowest", min), ("highest", max)):
    name = choose(thresholds, key=thresholds.get)
    print(f"{word}: {name}, {int((smooth > thresholds[name]).sum())} pixels")
