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
  Read the penguins in `data/penguins.csv` into a DataFrame `penguins`. Print its number of rows, then its number of
  columns. Print nothing but these numbers.
family:
  cibench:
    step: 1
    thought: I read the file with pandas and print both parts of its shape.
    modules: pandas
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
import pandas as pd

penguins = pd.read_csv("data/penguins.csv")
print(penguins.shape[0], penguins.shape[1])

# %%
"""
query: |
  Which column of `penguins` has the most missing values? Print one line with its name, its number of missing values
  and the number of all rows, in the form `column: missing of rows`, such as `year: 3 of 50`, and nothing else.
family:
  cibench:
    step: 2
    thought: I count the missing values of each column and print the largest count with its column.
    modules: pandas
    step_type: text
validator: {template: basic, text: {pass_at: 0.9}, numeric: }
execution: {max_time: 30}
"""
missing = penguins.isna().sum()
print(f"{missing.idxmax()}: {missing.max()} of {len(penguins)}")

# %%
"""
query: |
  Drop every penguin that has a missing value in any column. Keep the rest as `complete`, with a new index that
  counts from 0. Print nothing.
family:
  cibench:
    step: 3
    thought: I drop the incomplete rows and reset the index.
    modules: pandas
    step_type: exec
validator: {template: basic, namespace_check: {complete: }}
execution: {max_time: 30}
"""
complete = penguins.dropna().reset_index(drop=True)

# %%
"""
query: |
  Compute the mean body mass in grams of each species in `complete`. Print the three means, each rounded to one
  decimal place: Adelie first, then Chinstrap, then Gentoo. Print nothing but these numbers.
family:
  cibench:
    step: 4
    thought: I group by species, take the mean of the body mass and print the values in alphabetical order.
    modules: pandas
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
mean_mass = complete.groupby("species")["body_mass_g"].mean().round(1)
for species in ["Adelie", "Chinstrap", "Gentoo"]:
    print(mean_mass[species])

# %%
"""
query: |
  Draw a stacked bar chart of the number of penguins on each island in `complete`: one vertical bar for each island,
  named by it, from left to right in alphabetical order, with the females at the bottom and the males on top of them,
  and a legend of the entries "female" and "male". Use the title "Penguins by island", the x axis label "island" and
  the y axis label "number of penguins".
family:
  cibench:
    step: 5
    thought: I cross-tabulate island and sex and draw the table as stacked bars.
    modules: pandas & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
import matplotlib.pyplot as plt

fig, ax = plt.subplots()
pd.crosstab(complete["island"], complete["sex"]).plot.bar(stacked=True, ax=ax, rot=0)
ax.set_title("Penguins by island")
ax.set_xlabel("island")
ax.set_ylabel("number of penguins")
ax.legend();

# %%
"""
query: |
  Add two columns to `complete`: `body_mass_kg`, the body mass in kilograms, and `bill_ratio`, the bill length
  divided by the bill depth. Do not round them, and print nothing.
family:
  cibench:
    step: 6
    thought: I compute both columns from the columns that are there.
    modules: pandas
    step_type: exec
validator: {template: basic, namespace_check: {complete: }}
execution: {max_time: 30}
"""
complete["body_mass_kg"] = complete["body_mass_g"] / 1000
complete["bill_ratio"] = complete["bill_length_mm"] / complete["bill_depth_mm"]

# %%
"""
query: |
  Draw a histogram of `flipper_length_mm` in `complete`: 20 bins of equal width from the smallest to the largest
  value, filled bars that show counts, all species together. Use the title "Flipper length", the x axis label
  "flipper length (mm)" and the y axis label "number of penguins".
family:
  cibench:
    step: 7
    thought: I draw the flipper lengths as a histogram with 20 bins and label it.
    modules: pandas & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, ax = plt.subplots()
complete["flipper_length_mm"].plot.hist(bins=20, ax=ax)
ax.set_title("Flipper length")
ax.set_xlabel("flipper length (mm)")
ax.set_ylabel("number of penguins");

# %%
"""
query: |
  Which species in `complete` is the most frequent on each island? Print one line for each island, in alphabetical
  order of the islands, with the species and its number of penguins there, in the form `Island: number Species`, and
  nothing else.
family:
  cibench:
    step: 8
    thought: I count the species of each island and print the most frequent one with its count.
    modules: pandas
    step_type: text
validator: {template: basic, text: {pass_at: 0.9}, numeric: }
execution: {max_time: 30}
"""
for island, species in complete.groupby("island")["species"]:
    counts = species.value_counts()
    print(f"{island}: {counts.max()} {counts.idxmax()}")

# %%
"""
query: |
  How strongly do `bill_length_mm` and `bill_depth_mm` go together? Print four Pearson correlations, each rounded to
  three decimal places: over all penguins in `complete`, then within Adelie, within Chinstrap and within Gentoo.
  Print nothing but these numbers.
family:
  cibench:
    step: 9
    thought: I compute the correlation over all rows first and then again for each species.
    modules: pandas
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
print(round(complete["bill_length_mm"].corr(complete["bill_depth_mm"]), 3))
for _, group in complete.groupby("species"):
    print(round(group["bill_length_mm"].corr(group["bill_depth_mm"]), 3))

# %%
"""
query: |
  Draw one scatter plot of all penguins in `complete`, with `flipper_length_mm` on the x axis and `body_mass_kg` on
  the y axis, in another colour for each species, and with a legend of the entries "Adelie", "Chinstrap" and
  "Gentoo". Use the title "Body mass and flipper length", the x axis label "flipper length (mm)" and the y axis
  label "body mass (kg)".
family:
  cibench:
    step: 10
    thought: I draw the points of each species onto the same axes and add the legend.
    modules: pandas & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, ax = plt.subplots()
for species, group in complete.groupby("species"):
    ax.scatter(group["flipper_length_mm"], group["body_mass_kg"], label=species)
ax.set_title("Body mass and flipper length")
ax.set_xlabel("flipper length (mm)")
ax.set_ylabel("body mass (kg)")
ax.legend();

# %%
"""
query: |
  Build a table `mass_table` from `complete` that holds the mean of `body_mass_kg`: one row for each species and one
  column for each sex (`female` and `male`), both in alphabetical order. Do not round, and print nothing.
family:
  cibench:
    step: 11
    thought: A pivot table of the mean gives one row per species and one column per sex.
    modules: pandas
    step_type: exec
validator: {template: basic, namespace_check: {mass_table: }}
execution: {max_time: 30}
"""
mass_table = complete.pivot_table(index="species", columns="sex", values="body_mass_kg", aggfunc="mean")

# %%
"""
query: |
  By how much are the males heavier? Draw a vertical bar chart of the mean of the males minus the mean of the
  females in `mass_table`, in kilograms, one bar for each species, from left to right by this difference, the
  largest first. Use the title "Males minus females", the x axis label "species" and the y axis label "difference of
  mean body mass (kg)".
family:
  cibench:
    step: 12
    thought: I subtract the two columns, sort the differences from large to small and draw them as bars.
    modules: pandas & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
difference = (mass_table["male"] - mass_table["female"]).sort_values(ascending=False)
fig, ax = plt.subplots()
difference.plot.bar(ax=ax, rot=0)
ax.set_title("Males minus females")
ax.set_xlabel("species")
ax.set_ylabel("difference of mean body mass (kg)");
