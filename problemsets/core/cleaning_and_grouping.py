# language_version: 3
# Field records of 344 penguins: read, repair, reshape, group.
# Data: _inputs/cleaning_and_grouping/penguins_raw.csv (K. B. Gorman et al. 2014, CC0-1.0), see README.md.

# %% Preparation
import numpy as np
import pandas as pd

# %% Read the field records
"""
id: load-records
query: |
  Read `inputs/penguins_raw.csv` into a DataFrame called `raw`, with pandas' default settings.
  Return its number of rows and its number of columns as a tuple.
knowledge_points: [reading a file, shape of a frame]
tags: [reading]
difficulty: easy
validator:
  namespace_check:
    raw:
"""

raw = pd.read_csv("inputs/penguins_raw.csv")
raw.shape

# %% Count missing values
"""
id: missing-by-column
query: |
  How many values are missing in each column of `raw`? Return a Series whose index holds the column names and whose
  values are the counts, for the columns with at least one missing value only. Sort it by count, largest first;
  columns with the same count in alphabetical order of their names.
knowledge_points: [missing values, sorting with ties]
tags: [missing values]
difficulty: medium
examples:
  accept:
    - |
      counts = raw.isnull().sum()
      counts = counts[counts > 0]
      pd.Series({name: counts[name] for name in sorted(counts.index, key=lambda name: (-counts[name], name))})
  reject:
    - code: raw.isna().sum().sort_values(ascending=False)
      why: complete columns are not left out
    - code: |
        counts = raw.isna().sum().sort_index().sort_values(ascending=False, kind="stable")
        counts[counts > 0].astype(str)
      why: texts where numbers are asked for
    - code: |
        present = raw.notna().sum()
        present[present < len(raw)].sort_index().sort_values(kind="stable")
      why: counts what is there, not what is missing
"""

_missing = raw.isna().sum().sort_index().sort_values(ascending=False, kind="stable")
_missing[_missing > 0]

# %% Choose and rename columns
"""
id: choose-columns
query: |
  Make a DataFrame `birds` from these columns of `raw`, in this order and under these names:
  `Individual ID` as `bird`, `studyName` as `study`, `Species` as `species`, `Island` as `island`,
  `Clutch Completion` as `full_clutch`, `Date Egg` as `egg_date`, `Culmen Length (mm)` as `bill_length`,
  `Culmen Depth (mm)` as `bill_depth`, `Flipper Length (mm)` as `flipper_length`, `Body Mass (g)` as `body_mass`,
  `Sex` as `sex`. Keep all rows in their order. Leave `raw` as it is.
knowledge_points: [selecting columns, renaming columns]
tags: [cleaning]
difficulty: easy
validator:
  template: intact
  namespace_check:
    birds:
examples:
  accept:
    - |
      kept = ["Individual ID", "studyName", "Species", "Island", "Clutch Completion", "Date Egg", "Culmen Length (mm)"]
      kept += ["Culmen Depth (mm)", "Flipper Length (mm)", "Body Mass (g)", "Sex"]
      birds = raw[kept].copy()
      birds.columns = [
          "bird", "study", "species", "island", "full_clutch", "egg_date",
          "bill_length", "bill_depth", "flipper_length", "body_mass", "sex",
      ]
  reject:
    - code: |
        raw.rename(columns={"Individual ID": "bird"}, inplace=True)
        birds = raw
      why: changes the frame that must stay
"""

_names = {
    "Individual ID": "bird",
    "studyName": "study",
    "Species": "species",
    "Island": "island",
    "Clutch Completion": "full_clutch",
    "Date Egg": "egg_date",
    "Culmen Length (mm)": "bill_length",
    "Culmen Depth (mm)": "bill_depth",
    "Flipper Length (mm)": "flipper_length",
    "Body Mass (g)": "body_mass",
    "Sex": "sex",
}
birds = raw[list(_names)].rename(columns=_names)

# %% Repair texts
"""
id: repair-texts
query: |
  In `birds`, cut `species` down to its first word (such as `Adelie`) and write `sex` in lower case (`male`, `female`);
  where the sex is missing, it stays missing. Change `birds` itself and leave no other variable changed.
knowledge_points: [text methods, changing a frame in place]
tags: [cleaning, text]
difficulty: easy
validator:
  template: intact
  namespace_intact:
    update: [birds]
  namespace_check:
    birds:
examples:
  accept:
    - |
      birds = birds.assign(
          species=[text.split()[0] for text in birds["species"]], sex=birds["sex"].map({"MALE": "male", "FEMALE": "female"})
      )
  reject:
    - code: |
        birds["species"] = birds["species"].str.split().str[0]
        birds["sex"] = birds["sex"].fillna("unknown").str.lower()
      why: a missing sex does not stay missing
"""

birds["species"] = birds["species"].str.split().str[0]
birds["sex"] = birds["sex"].str.lower()

# %% Repair types
"""
id: repair-types
query: |
  In `birds`, turn `egg_date` into dates with `pd.to_datetime` and `full_clutch` into booleans (`Yes` is True, `No` is
  False). Change `birds` itself; no variable may be added.
knowledge_points: [dates, booleans, dtypes]
tags: [cleaning, dates]
difficulty: easy
validator:
  template: intact
  namespace_intact:
    addition: false
  namespace_check:
    birds:
examples:
  accept:
    - |
      birds = birds.assign(
          egg_date=pd.to_datetime(birds["egg_date"], format="%Y-%m-%d"),
          full_clutch=birds["full_clutch"].map({"Yes": True, "No": False}).astype(bool),
      )
  reject:
    - code: |
        birds["egg_date"] = pd.to_datetime(birds["egg_date"])
        birds["full_clutch"] = birds["full_clutch"].astype(bool)
      why: every text that is not empty counts as True
    - code: |
        dates = pd.to_datetime(birds["egg_date"])
        birds["egg_date"] = dates
        birds["full_clutch"] = birds["full_clutch"] == "Yes"
      verdict: INTACT_VIOLATION
      why: leaves a variable behind
"""

birds["egg_date"] = pd.to_datetime(birds["egg_date"])
birds["full_clutch"] = birds["full_clutch"] == "Yes"

# %% Birds met again
"""
id: met-again
query: |
  The same `bird` may stand in several rows of `birds`. For each species, how many different birds were recorded, and in
  how many rows on average did each of them appear? Return a DataFrame with the columns `species`, `birds` and
  `rows_per_bird` (rounded to 3 decimals), one row per species in alphabetical order.
assumptions: A name such as N1A1 that appears with two species stands for two birds.
knowledge_points: [distinct counts per group, grouping]
tags: [grouping, duplicates]
difficulty: medium
validator:
  result:
    ignore_index: true
examples:
  accept:
    - |
      rows = []
      for species in sorted(birds["species"].unique()):
          own = birds.loc[birds["species"] == species, "bird"]
          rows.append({"species": species, "birds": len(set(own)), "rows_per_bird": own.value_counts().mean().round(3)})
      pd.DataFrame(rows)
  reject:
    - code: |
        birds.groupby("species", as_index=False).agg(birds=("bird", "size"), rows_per_bird=("bird", "nunique"))
      why: counts rows, not birds
"""

_met = birds.groupby("species", as_index=False).agg(birds=("bird", "nunique"), rows=("bird", "size"))
_met["rows_per_bird"] = (_met["rows"] / _met["birds"]).round(3)
_met[["species", "birds", "rows_per_bird"]]

# %% Fill body measurements
"""
id: fill-measurements
query: |
  Make a DataFrame `measured` from `birds` in two steps. First drop the rows in which all four of `bill_length`,
  `bill_depth`, `flipper_length` and `body_mass` are missing; the index labels of the other rows stay as they are. Then
  fill a missing `sex`: with `male` if the bird weighs more than the median `body_mass` of the rows of its species
  (after dropping), else with `female`. `birds` stays as it is.
knowledge_points: [dropping rows, filling by group, transform]
tags: [missing values, grouping]
difficulty: hard
validator:
  template: intact
  namespace_check:
    measured:
examples:
  accept:
    - |
      measured = birds[birds[["bill_length", "bill_depth", "flipper_length", "body_mass"]].notna().any(axis=1)].copy()
      medians = measured.groupby("species")["body_mass"].median()
      for label, row in measured[measured["sex"].isna()].iterrows():
          measured.loc[label, "sex"] = "male" if row["body_mass"] > medians[row["species"]] else "female"
  reject:
    - code: |
        measured = birds.dropna()
      why: drops the rows without a sex
    - code: |
        measured = birds.dropna(subset=["body_mass"]).copy()
        guess = np.where(measured["body_mass"] > measured["body_mass"].median(), "male", "female")
        measured["sex"] = measured["sex"].where(measured["sex"].notna(), guess)
      why: takes one median for all species
"""

_sizes = ["bill_length", "bill_depth", "flipper_length", "body_mass"]
measured = birds.dropna(subset=_sizes, how="all").copy()
_typical = measured.groupby("species")["body_mass"].transform("median")
_guessed = np.where(measured["body_mass"] > _typical, "male", "female")
measured["sex"] = measured["sex"].where(measured["sex"].notna(), _guessed)

# %% Mean mass by species and sex
"""
id: mass-by-species-and-sex
query: |
  From `measured`, compute the mean `body_mass` in grams for each combination of `species` and `sex`. Return a DataFrame
  with the columns `species`, `sex` and `mean_mass`, rounded to 1 decimal, the heaviest combination first.
knowledge_points: [grouping by two keys, rounding, sorting]
tags: [grouping]
difficulty: easy
validator:
  result:
    ignore_index: true
examples:
  accept:
    - |
      table = measured.pivot_table(index=["species", "sex"], values="body_mass", aggfunc="mean").reset_index()
      table = table.rename(columns={"body_mass": "mean_mass"}).round({"mean_mass": 1})
      table.sort_values("mean_mass", ascending=False)
  reject:
    - code: |
        table = measured.groupby(["species", "sex"], as_index=False)["body_mass"].median()
        table.rename(columns={"body_mass": "mean_mass"}).sort_values("mean_mass", ascending=False)
      why: medians
"""

_mass = measured.groupby(["species", "sex"], as_index=False).agg(mean_mass=("body_mass", "mean"))
_mass.round({"mean_mass": 1}).sort_values("mean_mass", ascending=False, ignore_index=True)

# %% Outliers within species
"""
id: outliers
query: |
  Which rows of `measured` are outliers of `flipper_length` within their species? A row is an outlier when its value lies
  below Q1 - 1.5 * IQR or above Q3 + 1.5 * IQR, where Q1 and Q3 are the quartiles of that column within the species
  (linear interpolation, as pandas does by default) and IQR = Q3 - Q1. Return a DataFrame with the columns `bird`,
  `species` and `flipper_length`, sorted by `flipper_length` and, where equal, by `bird`.
knowledge_points: [quantiles by group, outliers, boolean masks]
tags: [outliers, grouping]
difficulty: hard
validator:
  result:
    ignore_index: true
examples:
  accept:
    - |
      kept = []
      for species, rows in measured.groupby("species"):
          low, high = np.percentile(rows["flipper_length"], [25, 75])
          edge = 1.5 * (high - low)
          kept.append(rows[(rows["flipper_length"] < low - edge) | (rows["flipper_length"] > high + edge)])
      pd.concat(kept)[["bird", "species", "flipper_length"]].sort_values(["flipper_length", "bird"])
  reject:
    - code: |
        low, high = measured["flipper_length"].quantile([0.25, 0.75])
        edge = 1.5 * (high - low)
        outside = (measured["flipper_length"] < low - edge) | (measured["flipper_length"] > high + edge)
        measured.loc[outside, ["bird", "species", "flipper_length"]]
      why: quartiles of all species together
"""

_flippers = measured.groupby("species")["flipper_length"]
_first, _third = _flippers.transform("quantile", 0.25), _flippers.transform("quantile", 0.75)
_reach = 1.5 * (_third - _first)
_is_outlier = (measured["flipper_length"] < _first - _reach) | (measured["flipper_length"] > _third + _reach)
_outliers = measured.loc[_is_outlier, ["bird", "species", "flipper_length"]]
_outliers.sort_values(["flipper_length", "bird"], ignore_index=True)

# %% Rank within species
"""
id: rank-within-species
query: |
  Add a column `mass_rank` of integers to `measured`: the rank of `body_mass` within the species, the heaviest bird has
  rank 1, equal masses share the smallest rank (1, 2, 2, 4). Then return, for each species, how many different ranks occur,
  as a dictionary from species to count.
knowledge_points: [rank, ties, dictionary of counts]
tags: [ranking, grouping]
difficulty: medium
validator:
  namespace_check:
    measured:
  namespace_intact:
    update: [measured]
examples:
  accept:
    - |
      measured["mass_rank"] = [
          1 + int((measured.loc[measured["species"] == row.species, "body_mass"] > row.body_mass).sum())
          for row in measured.itertuples()
      ]
      measured.groupby("species")["mass_rank"].nunique().to_dict()
"""

_ranks = measured.groupby("species")["body_mass"].rank(method="min", ascending=False)
measured["mass_rank"] = _ranks.astype("int64")
_different = measured.groupby("species")["mass_rank"].nunique()
{species: int(count) for species, count in _different.items()}

# %% Size classes
"""
id: size-classes
query: |
  Put every row of `measured` into a class by `body_mass`: `light` up to and including 3500 g, `medium` above 3500 g up to
  and including 4750 g, `heavy` above 4750 g. Count the rows by species and class. The answer is a DataFrame with the
  columns `species`, `light`, `medium` and `heavy`, one row per species in alphabetical order, 0 where there is none.
  Store it in a variable `size_classes` or give it back as the value of the cell, as you like.
knowledge_points: [binning, cross tabulation]
tags: [binning, reshaping]
difficulty: medium
validator:
  template: intact
  or:
    namespace_check:
      size_classes:
        ignore_index: true
    result:
      ignore_index: true
examples:
  accept:
    - |
      mass = measured["body_mass"]
      size_classes = pd.DataFrame(
          {"light": mass <= 3500, "medium": (mass > 3500) & (mass <= 4750), "heavy": mass > 4750}
      ).groupby(measured["species"]).sum().reset_index()
    - |
      mass = measured["body_mass"]
      flags = pd.DataFrame({"light": mass <= 3500, "medium": mass.gt(3500) & mass.le(4750), "heavy": mass > 4750})
      flags.groupby(measured["species"]).sum().reset_index()
    - |
      classes = pd.cut(measured["body_mass"], [0, 3500, 4750, np.inf], labels=["light", "medium", "heavy"])
      pd.crosstab(measured["species"], classes).reset_index()
  reject:
    - code: |
        classes = pd.cut(measured["body_mass"], [0, 3500, 4750, np.inf], labels=["heavy", "medium", "light"])
        pd.crosstab(measured["species"], classes).reset_index()
      why: the counts of light and heavy are exchanged
    - code: |
        edges = [0, 3500, 4750, np.inf]
        labels = ["light", "medium", "heavy"]
        classes = pd.cut(measured["body_mass"], edges, labels=labels, right=False)
        size_classes = measured.groupby(["species", classes], observed=False).size().unstack().reset_index()
      why: 3500 g and 4750 g fall into the next class
"""

_classes = pd.cut(measured["body_mass"], [0, 3500, 4750, np.inf], labels=["light", "medium", "heavy"]).astype(str)
_counts = measured.groupby(["species", _classes]).size().unstack(fill_value=0)
size_classes = _counts[["light", "medium", "heavy"]].reset_index().rename_axis(columns=None)
size_classes

# %% Comments in words
"""
id: comments
query: |
  The column `Comments` of `raw` holds sentences that end with a full stop; some rows have several, most have none.
  Count how often each sentence occurs over all rows. Return a DataFrame with the columns `sentence` (without
  surrounding blanks and without the full stop) and `rows`, most frequent first; equally frequent sentences in
  alphabetical order.
knowledge_points: [splitting text, explode, counting values]
tags: [text, reshaping]
difficulty: hard
validator:
  result:
    ignore_index: true
examples:
  accept:
    - |
      from collections import Counter
      found = Counter(
          part.strip() for text in raw["Comments"].dropna() for part in text.split(".") if part.strip()
      )
      pd.DataFrame(sorted(found.items(), key=lambda item: (-item[1], item[0])), columns=["sentence", "rows"])
  reject:
    - code: |
        table = raw["Comments"].value_counts().reset_index()
        table.columns = ["sentence", "rows"]
        table
      why: counts whole comments
"""

_sentences = raw["Comments"].dropna().str.split(".").explode().str.strip()
_sentences = _sentences[_sentences != ""]
_frequency = _sentences.value_counts().rename_axis("sentence").reset_index(name="rows")
_frequency.sort_values(["rows", "sentence"], ascending=[False, True], ignore_index=True)

# %% A printed report
"""
id: printed-report
query: |
  Print one line for each island in alphabetical order, built from `measured` like this example:
  `Ross: 12 rows, 3456 g, 1 species` - the number of rows, the mean `body_mass` rounded to whole grams, and the number
  of different species. Print nothing else.
knowledge_points: [printing, grouping, format of numbers]
tags: [output, grouping]
difficulty: medium
validator:
  template: intact
  stream:
examples:
  accept:
    - |
      report = measured.groupby("island").agg(n=("bird", "size"), m=("body_mass", "mean"), s=("species", "nunique"))
      print("\n".join(f"{island}: {row.n:.0f} rows, {row.m:.0f} g, {row.s:.0f} species" for island, row in report.iterrows()))
  reject:
    - code: |
        for island, rows in measured.groupby("island"):
            print(f"{island}: {len(rows)} rows, {rows['body_mass'].mean():.1f} g, {rows['species'].nunique()} species")
      why: one decimal
"""

for _island, _rows in measured.groupby("island"):
    print(f"{_island}: {len(_rows)} rows, {_rows['body_mass'].mean():.0f} g, {_rows['species'].nunique()} species")

# %% Back to the records
"""
id: isotopes
query: |
  Work from `raw` alone: `birds` and `measured` are not available in this task. Among the rows of `raw` in which both
  `Delta 15 N (o/oo)` and `Delta 13 C (o/oo)` are present, compute Pearson's correlation of these two columns separately
  for each `studyName`. Return a Series with the study as index and the correlation as value, the largest correlation
  first; 3 correct significant digits are enough.
knowledge_points: [correlation by group, complete cases]
tags: [statistics, grouping]
difficulty: medium
validator:
  result:
    rtol: 1.0e-3
execution:
  forbid_names: [birds, measured, _flippers]
examples:
  accept:
    - |
      nitrogen, carbon = "Delta 15 N (o/oo)", "Delta 13 C (o/oo)"
      found = {study: np.corrcoef(*rows[[nitrogen, carbon]].dropna().T.to_numpy())[0, 1] for study, rows in raw.groupby("studyName")}
      pd.Series(found).sort_values(ascending=False).round(5)
  reject:
    - code: |
        nitrogen, carbon = "Delta 15 N (o/oo)", "Delta 13 C (o/oo)"
        found = raw.groupby("studyName")[[nitrogen, carbon]].apply(lambda rows: rows[nitrogen].corr(rows[carbon], method="spearman"))
        found.sort_values(ascending=False)
      why: rank correlation
    - code: birds.groupby("study").size()
      verdict: CRASH
      why: uses a name that is hidden
"""

_nitrogen, _carbon = "Delta 15 N (o/oo)", "Delta 13 C (o/oo)"
_correlations = {study: rows[_nitrogen].corr(rows[_carbon]) for study, rows in raw.groupby("studyName")}
pd.Series(_correlations).sort_values(ascending=False)

# %% A function for later
"""
id: share-above
query: |
  Write a function `share_above(frame, column, limit)`. Of the rows of `frame` in which `column` is not missing, it
  returns for each value of the column `species` the share (from 0 to 1) whose value in `column` is greater than
  `limit`: a Series with the species in alphabetical order as index. A species in which `column` is missing everywhere
  does not appear; `species` itself is never missing. The function leaves `frame` as it is.
knowledge_points: [functions, shares, missing values]
tags: [functions, grouping]
difficulty: medium
validator:
  template: intact
  table_test:
    function_name: share_above
    test_cases:
      - ['`pd.DataFrame({"species": list("babac"), "mass": [3.0, 5.0, np.nan, 1.0, np.nan]})`', mass, 2.0]
      - ['`pd.DataFrame({"species": np.random.choice(["Gentoo", "Adelie", "Chinstrap"], 60), "depth": np.random.randint(10, 20, 60)})`', depth, 14]
      - //
      - ['`pd.DataFrame({"species": ["x", "x", "x", "w"], "size": [1.5, 2.5, 2.5, 2.5]})`', size, 2.5]
examples:
  accept:
    - |
      def share_above(frame, column, limit):
          known = frame[frame[column].notna()]
          found = {name: (rows[column] > limit).mean() for name, rows in known.groupby("species")}
          return pd.Series(found, dtype=float)
  reject:
    - code: |
        def share_above(frame, column, limit):
            return (frame[column] > limit).groupby(frame["species"]).mean()
      why: counts missing values as not greater
    - code: |
        def share_above(frame, column, limit):
            known = frame.dropna(subset=[column])
            return (known[column] >= limit).groupby(known["species"]).mean()
      why: counts the limit itself
    - code: share_above = None
      why: not a function
"""


def share_above(frame, column, limit):
    _known = frame.dropna(subset=[column])
    return (_known[column] > limit).groupby(_known["species"]).mean()


# %% Tell the species apart
"""
id: species-model
query: |
  Hold back every fifth row of `measured` (positions 0, 5, 10, ...). On the other rows, fit a classifier called
  `species_model` that predicts `species` from the columns `bill_length`, `bill_depth` and `flipper_length`, given as a
  DataFrame with these columns in this order. Of the rows held back it must get at least 90 % as many right as a
  decision tree of depth 3 (`random_state=0`) does. `species_model.predict` returns the species as text.
knowledge_points: [classification, train and test split]
tags: [models]
difficulty: hard
execution:
  max_time: 20
validator:
  template: intact
  model:
    model_name: species_model
    inputs_name: _held_back
    labels_name: _held_species
    metric_type: accuracy
    tolerance: -0.1
examples:
  accept:
    - |
      from sklearn.neighbors import KNeighborsClassifier
      rest = measured[np.arange(len(measured)) % 5 != 0]
      species_model = KNeighborsClassifier(5).fit(rest[["bill_length", "bill_depth", "flipper_length"]], rest["species"])
  reject:
    - code: |
        from sklearn.dummy import DummyClassifier
        rest = measured[np.arange(len(measured)) % 5 != 0]
        species_model = DummyClassifier().fit(rest[["bill_length", "bill_depth", "flipper_length"]], rest["species"])
      verdict: BAD_MODEL
      why: always the most frequent species
    - code: species_model = "Adelie"
      verdict: BAD_MODEL
      why: not a model
"""

from sklearn.tree import DecisionTreeClassifier

_columns = ["bill_length", "bill_depth", "flipper_length"]
_is_held_back = np.arange(len(measured)) % 5 == 0
_held_back, _held_species = measured.loc[_is_held_back, _columns], measured.loc[_is_held_back, "species"]
species_model = DecisionTreeClassifier(max_depth=3, random_state=0)
species_model.fit(measured.loc[~_is_held_back, _columns], measured.loc[~_is_held_back, "species"])
