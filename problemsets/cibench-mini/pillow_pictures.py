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
query: >-
  Please paint a small landscape with Pillow. Make a new RGB image `picture`, 240 pixels wide and 160 high, filled with
  the sky blue (135, 206, 235). On it draw with ImageDraw, in this order and without outlines: a meadow, the rectangle
  with the corners (0, 110) and (239, 159), in (60, 160, 60); a sun, the ellipse in the box from (180, 15) to (220, 55), in
  (255, 220, 0); the wall of a house, the rectangle with the corners (40, 70) and (119, 129), in (200, 60, 40); and its
  roof, the polygon with the corners (30, 70), (80, 30) and (129, 70), in (90, 50, 30).
family:
  cibench:
    step: 1
    thought: I make the image with the sky as background and draw the four shapes in order.
    modules: PIL
    step_type: exec
probes: {pixels: '__import__("numpy").asarray(picture)'}
validator: {template: basic, namespace_check: {pixels: }}
execution: {max_time: 30}
"""
from PIL import Image, ImageDraw

picture = Image.new("RGB", (240, 160), (135, 206, 235))
draw = ImageDraw.Draw(picture)
draw.rectangle([(0, 110), (239, 159)], fill=(60, 160, 60))
draw.ellipse([(180, 15), (220, 55)], fill=(255, 220, 0))
draw.rectangle([(40, 70), (119, 129)], fill=(200, 60, 40))
draw.polygon([(30, 70), (80, 30), (129, 70)], fill=(90, 50, 30))

# %%
"""
query: >-
  Which of these points of `picture`, written as (x, y) from the upper left corner, have the colour of the roof, (90,
  50, 30): A (40, 60), B (100, 60), C (110, 75), D (60, 65), E (80, 40)? Print the letters of those that have it, in
  alphabetical order with a comma and a space between them, and nothing else.
family:
  cibench:
    step: 2
    thought: getpixel gives the colour of a point; I keep the letters of the points whose colour is that of the roof.
    modules: PIL
    step_type: text
validator: {template: basic, text: {pass_at: 0.9}}
execution: {max_time: 30}
"""
points = {"A": (40, 60), "B": (100, 60), "C": (110, 75), "D": (60, 65), "E": (80, 40)}
print(", ".join(letter for letter, point in points.items() if picture.getpixel(point) == (90, 50, 30)))

# %%
"""
query: Show `picture` with matplotlib's `imshow` in a new figure of the default size, without axes.
family:
  cibench:
    step: 3
    thought: I open a figure, show the image and turn the axes off.
    modules: PIL & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0.85, facts: [data]}}
execution: {max_time: 30}
"""
import matplotlib.pyplot as plt

fig, ax = plt.subplots()
ax.imshow(picture)
ax.axis("off");

# %%
"""
query: >-
  Print how many different colours `picture` has, and then how many of its pixels have exactly the colour of the wall,
  (200, 60, 40). Print nothing but these numbers.
family:
  cibench:
    step: 4
    thought: getcolors gives each colour with its number of pixels.
    modules: PIL
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
colors = {color: count for count, color in picture.getcolors()}
print(len(colors), colors[(200, 60, 40)])

# %%
"""
query: Convert `picture` to grayscale with Pillow's mode "L" and keep it as `gray`.
family:
  cibench:
    step: 5
    thought: Pillow converts between modes with convert.
    modules: PIL
    step_type: exec
probes: {pixels: '__import__("numpy").asarray(gray)'}
validator: {template: basic, namespace_check: {pixels: }}
execution: {max_time: 30}
"""
gray = picture.convert("L")

# %%
"""
query: >-
  Print the darkest gray value of `gray`, the brightest one, and the mean of all its pixels rounded to 2 decimals, in
  this order. Print nothing but these numbers.
family:
  cibench:
    step: 6
    thought: getextrema gives the smallest and the largest value, and ImageStat gives the mean.
    modules: PIL
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from PIL import ImageStat

darkest, brightest = gray.getextrema()
print(darkest, brightest, round(ImageStat.Stat(gray).mean[0], 2))

# %%
"""
query: >-
  Draw the histogram of `gray` as a line: the gray values from 0 to 255 on the x axis and the number of pixels with each
  value on the y axis, 256 points in one line. Title: "Gray values of the landscape"; x label: "Gray value"; y label:
  "Pixels".
family:
  cibench:
    step: 7
    thought: The histogram method counts the pixels of each gray value; I plot the 256 counts as a line.
    modules: PIL & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, ax = plt.subplots()
ax.plot(range(256), gray.histogram())
ax.set_title("Gray values of the landscape")
ax.set_xlabel("Gray value")
ax.set_ylabel("Pixels");

# %%
"""
query: >-
  Mirror `picture` left to right and call the result `mirrored`. Show it with `imshow` in a new figure of the default
  size, without axes.
family:
  cibench:
    step: 8
    thought: ImageOps.mirror flips the image horizontally; then I show it.
    modules: PIL & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0.85, facts: [data]}}
execution: {max_time: 30}
"""
from PIL import ImageOps

mirrored = ImageOps.mirror(picture)
fig, ax = plt.subplots()
ax.imshow(mirrored)
ax.axis("off");

# %%
"""
query: >-
  Where do `picture` and `mirrored` differ? Take the absolute difference of the two images, and print the bounding box
  of all pixels that are not black in it as Pillow gives it: left, upper, right and lower, four numbers. Print nothing
  but these numbers.
family:
  cibench:
    step: 9
    thought: ImageChops.difference is black where both images agree, and getbbox gives the box of the rest.
    modules: PIL
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from PIL import ImageChops

print(*ImageChops.difference(picture, mirrored).getbbox())

# %%
"""
query: >-
  Cut the house out of `picture`: crop the box with left 30, upper 30, right 130 and lower 130, and enlarge the result to
  200 x 200 pixels with nearest-neighbour resampling. Keep it as `house`.
family:
  cibench:
    step: 10
    thought: I crop the box and resize it with the nearest filter.
    modules: PIL
    step_type: exec
probes: {pixels: '__import__("numpy").asarray(house)'}
validator: {template: basic, namespace_check: {pixels: }}
execution: {max_time: 30}
"""
house = picture.crop((30, 30, 130, 130)).resize((200, 200), Image.Resampling.NEAREST)

# %%
"""
query: >-
  List the colours of `house`, the most frequent first, one a line with four numbers: how many of its pixels have the
  colour, and then the red, green and blue value of the colour. Print nothing but these numbers.
family:
  cibench:
    step: 11
    thought: I sort what getcolors gives by the counts, largest first.
    modules: PIL
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
for count, color in sorted(house.getcolors(), reverse=True):
    print(count, *color)

# %%
"""
query: >-
  Blur `house` with Pillow's Gaussian blur of radius 8, convert the result to grayscale (mode "L"), and show it with
  `imshow` and the colour map "gray" in a new figure of the default size, without axes. Keep imshow's default scaling, so
  that the darkest pixel is black and the brightest one white.
family:
  cibench:
    step: 12
    thought: I apply the GaussianBlur filter, convert to L and show the result in gray.
    modules: PIL & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0.85, facts: [data]}}
execution: {max_time: 30}
"""
from PIL import ImageFilter

blurred = house.filter(ImageFilter.GaussianBlur(8)).convert("L")
fig, ax = plt.subplots()
ax.imshow(blurred, cmap="gray")
ax.axis("off");
