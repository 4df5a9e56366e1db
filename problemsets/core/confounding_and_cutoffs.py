# language_version: 3
# How large penguins of three species are: uneven samples, misleading averages, telling the sexes apart, lean years.
# Data: _inputs/confounding_and_cutoffs/penguins.csv (K. B. Gorman et al. 2014, CC0-1.0), see README.md.

# %% Preparation
import numpy as np
import pandas as pd

# %% What can be used
"""
id: read-birds
query: |
  Read `inputs/penguins.csv` into a DataFrame `penguins`; each row is one bird. Before we plan anything: how many birds
  were not measured at all, having none of the four body measurements (bill length, bill depth, flipper length, body
  mass), and how many were measured but have no `sex`? Return the two numbers as a tuple.
knowledge_points: [reading a file, missing values, conditions on several columns]
tags: [reading, missing values]
difficulty: easy
validator:
  namespace_check:
    penguins:
examples:
  accept:
    - |
      penguins = pd.read_csv("inputs/penguins.csv")
      known = penguins[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]].notna().sum(axis=1)
      ((known == 0).sum(), ((known > 0) & penguins["sex"].isna()).sum())
  reject:
    - code: |
        penguins = pd.read_csv("inputs/penguins.csv")
        int(penguins["body_mass_g"].isna().sum()), int(penguins["sex"].isna().sum())
      why: counts the birds without measurements twice
    - code: |
        penguins = pd.read_csv("inputs/penguins.csv").dropna(how="all", subset=["bill_length_mm", "body_mass_g"])
        2, int(penguins["sex"].isna().sum())
      why: drops rows of the table
"""

penguins = pd.read_csv("inputs/penguins.csv")
_sizes = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
_is_unmeasured = penguins[_sizes].isna().all(axis=1)
int(_is_unmeasured.sum()), int((~_is_unmeasured & penguins["sex"].isna()).sum())

# %% Where and when the birds were caught
"""
id: survey-effort
query: |
  Was every species sampled alike in all years? Make a DataFrame `effort` with one row for each pair of species and
  island that occurs in `penguins`, and the columns `species`, `island`, `y2007`, `y2008` and `y2009` (number of
  birds). Then take the share of each species in all birds of a year, in percent, and return for each species the
  difference between its largest and its smallest yearly share, in percentage points to 1 decimal, as a Series labelled
  by species.
knowledge_points: [pivoting counts, shares of a total, ranges]
tags: [reshaping, sampling effort]
difficulty: medium
validator:
  namespace_check:
    effort:
      ignore_index: true
      ignore_order: true
  result:
    ignore_order: true
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      effort = penguins.pivot_table(
          index=["species", "island"], columns="year", values="flipper_length_mm", aggfunc="size"
      )
      effort.columns = [f"y{year}" for year in effort.columns]
      effort = effort.reset_index()
      shares = pd.crosstab(penguins["species"], penguins["year"], normalize="columns") * 100
      shares.apply(lambda row: row.max() - row.min(), axis=1)
  reject:
    - code: |
        effort = pd.crosstab([penguins["species"], penguins["island"]], penguins["year"]).add_prefix("y").reset_index()
        shares = pd.crosstab(penguins["species"], penguins["year"], normalize="index") * 100
        (shares.max(axis=1) - shares.min(axis=1)).round(1)
      why: shares of the years in a species, not of the species in a year
    - code: |
        known = penguins.dropna()
        effort = pd.crosstab([known["species"], known["island"]], known["year"]).add_prefix("y").reset_index()
        shares = pd.crosstab(known["species"], known["year"], normalize="columns") * 100
        (shares.max(axis=1) - shares.min(axis=1)).round(1)
      why: counts complete rows only
"""

_counts = penguins.groupby(["species", "island", "year"]).size().unstack(fill_value=0)
effort = _counts.add_prefix("y").rename_axis(columns=None).reset_index()
_by_species = effort.groupby("species")[["y2007", "y2008", "y2009"]].sum()
_shares = 100 * _by_species / _by_species.sum()
(_shares.max(axis=1) - _shares.min(axis=1)).round(1)

# %% A misleading correlation
"""
id: bill-paradox
query: |
  From here on use only birds of known sex; all of them have the four measurements. Make a DataFrame `sized` of these
  rows of `penguins`, all columns. Do longer bills tend to be flatter? Return Pearson's correlation of `bill_length_mm`
  and `bill_depth_mm` over all birds of `sized`, and again after the mean of its species has been subtracted from each
  of the two measurements, as a tuple, to 3 decimals.
knowledge_points: [correlation, centring within groups, Simpson's paradox]
tags: [association, grouping]
difficulty: medium
validator:
  namespace_check:
    sized:
      ignore_index: true
      equality: {column-order: correct}
  result:
    atol: 0.00051
    rtol: 0.0
examples:
  accept:
    - |
      sized = penguins.dropna(subset=["sex"])
      parts = [
          part[["bill_length_mm", "bill_depth_mm"]] - part[["bill_length_mm", "bill_depth_mm"]].mean()
          for _, part in sized.groupby("species")
      ]
      within = np.corrcoef(pd.concat(parts).to_numpy(), rowvar=False)[0, 1]
      np.corrcoef(sized["bill_length_mm"], sized["bill_depth_mm"])[0, 1], within
  reject:
    - code: |
        sized = penguins[penguins["sex"].notna()]
        within = [part["bill_length_mm"].corr(part["bill_depth_mm"]) for _, part in sized.groupby("species")]
        round(sized["bill_length_mm"].corr(sized["bill_depth_mm"]), 3), round(np.mean(within), 3)
      why: averages the correlations of the three species
    - code: |
        sized = penguins[penguins["sex"].notna()]
        bills = sized[["bill_length_mm", "bill_depth_mm"]]
        centred = bills - bills.mean()
        round(bills.corr().iloc[0, 1], 3), round(centred.corr().iloc[0, 1], 3)
      why: subtracts the mean of all birds, which changes nothing
"""

sized = penguins[penguins["sex"].notna()].reset_index(drop=True)
_bills = sized[["bill_length_mm", "bill_depth_mm"]]
_centred = _bills - sized.groupby("species")[["bill_length_mm", "bill_depth_mm"]].transform("mean")
tuple(round(float(table.corr().iloc[0, 1]), 3) for table in (_bills, _centred))

# %% How different males and females are
"""
id: dimorphism
query: |
  Which measurement would tell the sexes apart best? Make a DataFrame `dimorphism` with the species as index and the
  four measurement columns of `sized`: the mean of the males minus the mean of the females, divided by the pooled
  standard deviation (the root of the mean of the two variances weighted by n - 1, each variance with n - 1 in the
  denominator). Return for each species the name of the measurement with the largest value, as a dictionary.
knowledge_points: [effect size, pooled variance, position of the maximum by row]
tags: [comparison of groups]
difficulty: medium
execution:
  max_time: 5
validator:
  namespace_check:
    dimorphism:
      ignore_order: true
      atol: 0.00051
      rtol: 0.0
examples:
  accept:
    - |
      names = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
      rows = {}
      for species, part in sized.groupby("species"):
          male, female = part[part["sex"] == "male"][names], part[part["sex"] == "female"][names]
          pooled = ((len(male) - 1) * male.var() + (len(female) - 1) * female.var()) / (len(part) - 2)
          rows[species] = (male.mean() - female.mean()) / pooled**0.5
      dimorphism = pd.DataFrame(rows).T
      dimorphism.idxmax(axis=1).to_dict()
  reject:
    - code: |
        names = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
        means = sized.groupby(["species", "sex"])[names].mean().unstack("sex")
        spread = sized.groupby("species")[names].std()
        dimorphism = (means.xs("male", axis=1, level="sex") - means.xs("female", axis=1, level="sex")) / spread
        dimorphism.idxmax(axis=1).to_dict()
      why: divides by the spread of both sexes together
    - code: |
        names = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
        means = sized.groupby(["species", "sex"])[names].mean().unstack("sex")
        dimorphism = means.xs("male", axis=1, level="sex") - means.xs("female", axis=1, level="sex")
        dimorphism.idxmax(axis=1).to_dict()
      why: compares millimetres with grams
    - code: |
        names = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
        groups = sized.groupby(["species", "sex"])[names]
        gap = groups.mean().xs("female", level="sex") - groups.mean().xs("male", level="sex")
        pooled = (groups.var().groupby("species").mean()) ** 0.5
        dimorphism = gap / pooled
        dimorphism.idxmax(axis=1).to_dict()
      why: females minus males
"""

_sizes = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
_means = sized.groupby(["species", "sex"])[_sizes].mean()
_variances = sized.groupby(["species", "sex"])[_sizes].var()
_freedom = sized.groupby(["species", "sex"]).size() - 1
_pooled = _variances.mul(_freedom, axis=0).groupby("species").sum().div(_freedom.groupby("species").sum(), axis=0)
_difference = _means.xs("male", level="sex") - _means.xs("female", level="sex")
dimorphism = _difference / np.sqrt(_pooled)
dimorphism.idxmax(axis=1).to_dict()

# %% The best cutoff
"""
id: best-cutoff-function
query: |
  In the field one wants a rule such as "male from 3700 g on". Write a function `best_cutoff(values, is_male)`: two
  lists, arrays or Series of the same length, matched by position, the second with True for males. Candidates are the
  points half way between two neighbouring different values; birds above a candidate count as males, all others as
  females. Return the candidate that is right for the largest share of the birds, and that share, as a tuple; of
  equally good candidates the lowest. There are always at least two different values.
knowledge_points: [functions, exhaustive search, ties]
tags: [functions, classification]
difficulty: hard
validator:
  template: intact
  table_test:
    function_name: best_cutoff
    test_cases:
      - [[1.0, 2.0, 3.0, 4.0], [false, false, true, true]]
      - [[4.0, 1.0, 3.0, 2.0], [true, false, false, true]]
      - [[5.0, 5.0, 5.0, 7.0, 7.0], [false, true, true, true, true]]
      - [[1.0, 2.0, 3.0, 4.0], [true, true, false, false]]
      - ['`pd.Series([10.0, 30.0, 20.0], index=[2, 0, 1])`', '`pd.Series([False, True, False], index=[0, 1, 2])`']
      - ['`np.random.randint(0, 12, 40) * 0.5`', '`np.random.rand(40) < 0.5`']
      - //
      - ['`np.sort(np.random.randint(30, 60, 60)) * 1.0`', '`np.arange(60) > np.random.randint(10, 50, 60)`']
examples:
  accept:
    - |
      def best_cutoff(values, is_male):
          pairs = sorted(zip(list(values), list(is_male)))
          best = None
          for (low, _), (high, _) in zip(pairs, pairs[1:]):
              if low == high:
                  continue
              cutoff = (low + high) / 2
              right = sum((value > cutoff) == bool(male) for value, male in pairs) / len(pairs)
              if best is None or right > best[1]:
                  best = (cutoff, right)
          return best
  reject:
    - code: |
        def best_cutoff(values, is_male):
            x, male = np.asarray(values, dtype=float), np.asarray(is_male, dtype=bool)
            edges = np.unique(x)
            cuts = (edges[1:] + edges[:-1]) / 2
            right = np.array([((x > cut) == male).mean() for cut in cuts])
            place = len(right) - 1 - right[::-1].argmax()
            return float(cuts[place]), float(right[place])
      why: of equally good cutoffs the highest
    - code: |
        def best_cutoff(values, is_male):
            x, male = np.asarray(values, dtype=float), np.asarray(is_male, dtype=bool)
            cuts = np.unique(x)
            right = np.array([((x > cut) == male).mean() for cut in cuts])
            return float(cuts[right.argmax()]), float(right.max())
      why: cuts at the values, not between them
    - code: |
        def best_cutoff(values, is_male):
            x, male = np.asarray(values, dtype=float), np.asarray(is_male, dtype=bool)
            edges = np.unique(x)
            cuts = (edges[1:] + edges[:-1]) / 2
            right = np.array([((x > cut) == male).mean() for cut in cuts])
            right = np.maximum(right, 1 - right)
            return float(cuts[right.argmax()]), float(right.max())
      why: also lets birds below the cutoff be males
    - code: |
        def best_cutoff(values, is_male):
            x, male = np.asarray(values, dtype=float), np.asarray(is_male, dtype=bool)
            cut = (x[male].mean() + x[~male].mean()) / 2 if male.any() and not male.all() else x.mean()
            return float(cut), float(((x > cut) == male).mean())
      why: half way between the means
"""


def best_cutoff(values, is_male):
    x, male = np.asarray(values, dtype=float), np.asarray(is_male, dtype=bool)
    edges = np.unique(x)
    cutoffs = (edges[1:] + edges[:-1]) / 2
    shares = ((x[None, :] > cutoffs[:, None]) == male).mean(axis=1)
    best = shares.argmax()
    return float(cutoffs[best]), float(shares[best])


# %% Rules for the field
"""
id: sexing-rules
query: |
  Apply `best_cutoff` to `sized` for every species and each of the four measurements, and keep the outcome as a
  DataFrame `rules` with the columns `species`, `measurement` (name of the column), `cutoff` and `correct` (share from
  0 to 1). Does the measurement with the largest value in `dimorphism` also make the best rule? Return a DataFrame with
  one row per species and the columns `species`, `by_dimorphism` and `by_rule` (the measurement with the highest
  `correct`).
knowledge_points: [applying a function by group, long form, largest row per group]
tags: [classification, reshaping]
difficulty: hard
execution:
  max_time: 5
validator:
  namespace_check:
    rules:
      ignore_index: true
      ignore_order: true
      atol: 0.00051
      rtol: 0.0
  result:
    ignore_index: true
    ignore_order: true
examples:
  accept:
    - |
      long = sized.melt(
          ["species", "sex"],
          ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"],
          var_name="measurement",
      )
      rows = []
      for (species, measurement), part in long.groupby(["species", "measurement"]):
          rows.append((species, measurement, *best_cutoff(part["value"], part["sex"].eq("male"))))
      rules = pd.DataFrame(rows, columns=["species", "measurement", "cutoff", "correct"])
      table = dimorphism.idxmax(axis=1).rename("by_dimorphism").to_frame()
      table["by_rule"] = rules.pivot(index="species", columns="measurement", values="correct").idxmax(axis=1)
      table.reset_index()
  reject:
    - code: |
        rows = []
        for species, part in sized.groupby("species"):
            for name in dimorphism.columns:
                rows.append((species, name, *best_cutoff(part[name], part["sex"] == "male")))
        rules = pd.DataFrame(rows, columns=["species", "measurement", "cutoff", "correct"])
        best = rules.sort_values("correct").drop_duplicates("species").set_index("species")["measurement"]
        pd.DataFrame({"by_dimorphism": dimorphism.idxmax(axis=1), "by_rule": best}).reset_index()
      why: the worst rule of each species
    - code: |
        rows = []
        for species in dimorphism.index:
            for name in dimorphism.columns:
                rows.append((species, name, *best_cutoff(sized[name], sized["sex"] == "male")))
        rules = pd.DataFrame(rows, columns=["species", "measurement", "cutoff", "correct"])
        best = rules.loc[rules.groupby("species")["correct"].idxmax()].set_index("species")["measurement"]
        pd.DataFrame({"by_dimorphism": dimorphism.idxmax(axis=1), "by_rule": best}).reset_index()
      why: one cutoff for all species
"""

_rows = [
    (species, name, *best_cutoff(part[name], part["sex"] == "male"))
    for species, part in sized.groupby("species")
    for name in dimorphism.columns
]
rules = pd.DataFrame(_rows, columns=["species", "measurement", "cutoff", "correct"])
_best = rules.loc[rules.groupby("species")["correct"].idxmax()].set_index("species")["measurement"]
pd.DataFrame({"by_dimorphism": dimorphism.idxmax(axis=1), "by_rule": _best}).rename_axis("species").reset_index()

# %% Birds of unknown sex
"""
id: guess-sexes
query: |
  Some birds of `penguins` were measured but have no `sex`. Guess it by the rule in `rules` with the highest `correct`
  for their species. Return a DataFrame with the columns `species`, `value` (of the measurement used), `guess` (`male`
  or `female`) and `margin` (`value` minus the cutoff), the most doubtful guess first, that is the one closest to its
  cutoff.
knowledge_points: [lookup of a rule, choosing a column by row, sorting by absolute values]
tags: [classification, joins]
difficulty: hard
execution:
  max_time: 5
validator:
  result:
    ignore_index: true
    equality: {column-order: correct}
examples:
  accept:
    - |
      best = rules.sort_values("correct").drop_duplicates("species", keep="last").set_index("species")
      rows = []
      for bird in penguins[penguins["sex"].isna() & penguins["body_mass_g"].notna()].to_dict("records"):
          rule = best.loc[bird["species"]]
          value = bird[rule["measurement"]]
          guess = "male" if value > rule["cutoff"] else "female"
          rows.append({"species": bird["species"], "value": value, "guess": guess, "margin": value - rule["cutoff"]})
      pd.DataFrame(sorted(rows, key=lambda row: abs(row["margin"])))
  reject:
    - code: |
        best = rules.loc[rules["correct"].idxmax()]
        birds = penguins[penguins["sex"].isna() & penguins["body_mass_g"].notna()]
        table = birds[["species"]].assign(value=birds[best["measurement"]])
        table["guess"] = np.where(table["value"] > best["cutoff"], "male", "female")
        table["margin"] = table["value"] - best["cutoff"]
        table.sort_values("margin", key=abs)
      why: one rule for all species
    - code: |
        best = rules.loc[rules.groupby("species")["correct"].idxmax()]
        birds = penguins[penguins["sex"].isna()].melt(
            ["species"], ["body_mass_g", "bill_length_mm"], var_name="measurement"
        )
        table = birds.merge(best, on=["species", "measurement"])
        table["margin"] = table["value"] - table["cutoff"]
        table["guess"] = np.where(table["margin"] > 0, "male", "female")
        table.sort_values("margin", key=abs)[["species", "value", "guess", "margin"]]
      why: also guesses for the birds without measurements
    - code: |
        best = rules.loc[rules.groupby("species")["correct"].idxmax()].set_index("species")
        birds = penguins[penguins["sex"].isna() & penguins["body_mass_g"].notna()]
        table = birds[["species"]].assign(value=birds["body_mass_g"])
        table["margin"] = table["value"] - table["species"].map(best["cutoff"])
        table["guess"] = np.where(table["margin"] > 0, "male", "female")
        table.sort_values("margin")[["species", "value", "guess", "margin"]]
      why: sorts by the margin with its sign
"""

_chosen = rules.loc[rules.groupby("species")["correct"].idxmax(), ["species", "measurement", "cutoff"]]
_unsexed = penguins[penguins["sex"].isna()].dropna(subset=list(dimorphism.columns))
_values = _unsexed[["species", *dimorphism.columns]].melt("species", var_name="measurement")
_guesses = _values.merge(_chosen, on=["species", "measurement"])
_guesses["margin"] = _guesses["value"] - _guesses["cutoff"]
_guesses["guess"] = np.where(_guesses["margin"] > 0, "male", "female")
_guesses = _guesses.sort_values("margin", key=abs, ignore_index=True)
_guesses[["species", "value", "guess", "margin"]]

# %% Does the rule hold next year
"""
id: rule-next-year
query: |
  `correct` was measured on the birds that the cutoffs were made from. For an honest figure, take for each species the
  measurement of its best rule in `rules`, find the cutoff anew from the birds of 2007 and 2008 in `sized`, and apply
  it to those of 2009. Return a DataFrame with the columns `species`, `cutoff`, `learned` (share correct in 2007 and
  2008) and `tested` (share correct in 2009).
knowledge_points: [train and test split by time, applying a function by group]
tags: [classification, validation]
difficulty: hard
execution:
  max_time: 5
validator:
  result:
    ignore_index: true
    ignore_order: true
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      rows = []
      for species, own in rules.groupby("species"):
          name = own.loc[own["correct"].idxmax(), "measurement"]
          birds = sized[sized["species"] == species]
          past, new = birds[birds["year"] != 2009], birds[birds["year"] == 2009]
          cutoff, learned = best_cutoff(past[name].to_numpy(), (past["sex"] == "male").to_numpy())
          tested = np.mean(np.where(new[name] > cutoff, "male", "female") == new["sex"])
          rows.append({"species": species, "cutoff": cutoff, "learned": learned, "tested": tested})
      pd.DataFrame(rows).round({"learned": 2, "tested": 2})
  reject:
    - code: |
        best = rules.loc[rules.groupby("species")["correct"].idxmax()]
        rows = []
        for rule in best.itertuples():
            new = sized[(sized["species"] == rule.species) & (sized["year"] == 2009)]
            tested = ((new[rule.measurement] > rule.cutoff) == (new["sex"] == "male")).mean()
            rows.append((rule.species, rule.cutoff, rule.correct, tested))
        pd.DataFrame(rows, columns=["species", "cutoff", "learned", "tested"])
      why: tests the cutoffs that were made from all years
    - code: |
        best = rules.loc[rules.groupby("species")["correct"].idxmax()]
        rows = []
        for rule in best.itertuples():
            own = sized[sized["species"] == rule.species]
            past, new = own[own["year"] < 2009], own[own["year"] == 2009]
            cutoff, learned = best_cutoff(past[rule.measurement], past["sex"] == "male")
            tested = best_cutoff(new[rule.measurement], new["sex"] == "male")[1]
            rows.append((rule.species, cutoff, learned, tested))
        pd.DataFrame(rows, columns=["species", "cutoff", "learned", "tested"])
      why: finds a new cutoff on the birds of 2009
"""

_best_rules = rules.loc[rules.groupby("species")["correct"].idxmax()]
_rows = []
for _rule in _best_rules.itertuples():
    _own = sized[sized["species"] == _rule.species]
    _past, _new = _own[_own["year"] < 2009], _own[_own["year"] == 2009]
    _cutoff, _learned = best_cutoff(_past[_rule.measurement], _past["sex"] == "male")
    _tested = float(((_new[_rule.measurement] > _cutoff) == (_new["sex"] == "male")).mean())
    _rows.append((_rule.species, _cutoff, _learned, _tested))
pd.DataFrame(_rows, columns=["species", "cutoff", "learned", "tested"])

# %% Body condition
"""
id: body-condition
query: |
  A heavy bird may just be a large one. For each combination of species and sex in `sized`, fit a straight line by
  least squares to the natural logarithm of `body_mass_g` against that of `flipper_length_mm`. Add a column `condition`
  to `sized`: 100 times the difference between a bird's log mass and its line (about the percentage by which it is
  heavier than expected). Return the mean `condition` as a table with the species as index and the years as columns, to
  2 decimals.
knowledge_points: [least squares by group, residuals, logarithms, pivot table]
tags: [regression, reshaping]
difficulty: hard
execution:
  max_time: 5
validator:
  namespace_check:
    sized:
      ignore_index: true
      atol: 0.00051
      rtol: 0.0
      equality: {column-order: correct}
  namespace_intact:
    update: [sized]
  result:
    ignore_order: true
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      x, y = np.log(sized["flipper_length_mm"]), np.log(sized["body_mass_g"])
      keys = [sized["species"], sized["sex"]]
      dx, dy = x - x.groupby(keys).transform("mean"), y - y.groupby(keys).transform("mean")
      slope = (dx * dy).groupby(keys).transform("sum") / (dx**2).groupby(keys).transform("sum")
      sized["condition"] = 100 * (dy - slope * dx)
      sized.groupby(["species", "year"])["condition"].mean().unstack()
  reject:
    - code: |
        x, y = np.log(sized["flipper_length_mm"]), np.log(sized["body_mass_g"])
        sized["condition"] = 100 * (y - np.polyval(np.polyfit(x, y, 1), x))
        sized.pivot_table(index="species", columns="year", values="condition").round(2)
      why: one line for all birds
    - code: |
        x, y = np.log(sized["flipper_length_mm"]), np.log(sized["body_mass_g"])
        for _, rows in sized.groupby("species").groups.items():
            line = np.polyfit(x[rows], y[rows], 1)
            sized.loc[rows, "condition"] = 100 * (y[rows] - np.polyval(line, x[rows]))
        sized.pivot_table(index="species", columns="year", values="condition").round(2)
      why: one line for both sexes
    - code: |
        for _, rows in sized.groupby(["species", "sex"]).groups.items():
            part = sized.loc[rows]
            line = np.polyfit(part["flipper_length_mm"], part["body_mass_g"], 1)
            expected = np.polyval(line, part["flipper_length_mm"])
            sized.loc[rows, "condition"] = 100 * (part["body_mass_g"] / expected - 1)
        sized.pivot_table(index="species", columns="year", values="condition").round(2)
      why: without logarithms
"""

_logs = np.log(sized[["flipper_length_mm", "body_mass_g"]])
_condition = pd.Series(0.0, index=sized.index)
for _labels in sized.groupby(["species", "sex"]).groups.values():
    _length, _mass = _logs.loc[_labels, "flipper_length_mm"], _logs.loc[_labels, "body_mass_g"]
    _condition[_labels] = 100 * (_mass - np.polyval(np.polyfit(_length, _mass, 1), _length))
sized["condition"] = _condition
sized.pivot_table(index="species", columns="year", values="condition").round(2)

# %% Chance or a lean year
"""
id: lean-year
query: |
  The `condition` of Adelie penguins in `sized` was lower in 2009 than in 2008. Could that be chance? Return the
  difference of the two means (2009 minus 2008, to 2 decimals) and a two-sided p-value from a permutation test: shuffle
  the years among the Adelie penguins of these two years 10,000 times, and take the share of shuffles with a difference
  at least as large in absolute value. Fix the random seed, so that we get the same figure again; a p-value within
  0.015 of the exact one is fine.
knowledge_points: [permutation test, difference of means, random numbers with a fixed seed]
tags: [simulation, statistics]
difficulty: hard
execution:
  max_time: 5
validator:
  result: |
    def compare_fn(expected, found):
        difference, p_value = (float(part) for part in found)
        assert abs(difference - expected[0]) <= 0.0051, f"the difference is {expected[0]:.2f}, not {difference:.2f}"
        return abs(p_value - expected[1]) <= 0.015, f"a p-value of {p_value:.3f} where about {expected[1]:.3f} is right"
examples:
  accept:
    - |
      import random
      random.seed(7)
      old = sized.loc[sized["species"].eq("Adelie") & sized["year"].eq(2008), "condition"].tolist()
      new = sized.loc[sized["species"].eq("Adelie") & sized["year"].eq(2009), "condition"].tolist()
      observed, everyone, extreme = np.mean(new) - np.mean(old), new + old, 0
      for _ in range(10000):
          drawn = sum(random.sample(everyone, len(new)))
          gap = drawn / len(new) - (sum(everyone) - drawn) / len(old)
          extreme += abs(gap) >= abs(observed)
      observed, (extreme + 1) / 10001
  reject:
    - code: |
        rng = np.random.default_rng(1)
        own = sized[(sized["species"] == "Adelie") & sized["year"].isin([2008, 2009])]
        values, new = own["condition"].to_numpy(), (own["year"] == 2009).to_numpy()
        gap = values[new].mean() - values[~new].mean()
        draws = rng.permuted(np.tile(values, (10000, 1)), axis=1)
        round(gap, 2), float((draws[:, new].mean(axis=1) - draws[:, ~new].mean(axis=1) <= gap).mean())
      why: one-sided
    - code: |
        rng = np.random.default_rng(1)
        own = sized[(sized["species"] == "Adelie") & sized["year"].isin([2008, 2009])]
        values, new = own["condition"].to_numpy(), (own["year"] == 2009).to_numpy()
        gap = values[new].mean() - values[~new].mean()
        draws = rng.choice(values, (10000, len(values))) - values.mean()
        boot = rng.choice(values[new], (10000, new.sum())).mean(axis=1) - rng.choice(
            values[~new], (10000, (~new).sum())
        ).mean(axis=1)
        round(gap, 2), float((np.abs(boot) >= abs(gap)).mean())
      why: a bootstrap around the observed difference, not around none
    - code: |
        rng = np.random.default_rng(1)
        own = sized[(sized["species"] == "Adelie") & sized["year"].isin([2007, 2009])]
        values, new = own["condition"].to_numpy(), (own["year"] == 2009).to_numpy()
        gap = values[new].mean() - values[~new].mean()
        draws = rng.permuted(np.tile(values, (10000, 1)), axis=1)
        round(gap, 2), float((np.abs(draws[:, new].mean(axis=1) - draws[:, ~new].mean(axis=1)) >= abs(gap)).mean())
      why: another pair of years
"""

_rng = np.random.default_rng(2009)
_adelie = sized[(sized["species"] == "Adelie") & sized["year"].isin([2008, 2009])]
_observed_values, _is_2009 = _adelie["condition"].to_numpy(), (_adelie["year"] == 2009).to_numpy()
_shuffled = _rng.permuted(np.tile(_observed_values, (10_000, 1)), axis=1)
_gaps = _shuffled[:, _is_2009].mean(axis=1) - _shuffled[:, ~_is_2009].mean(axis=1)
_gap = float(_observed_values[_is_2009].mean() - _observed_values[~_is_2009].mean())
round(_gap, 2), float((np.abs(_gaps) >= abs(_gap)).mean())

# %% Years with another mix of birds
"""
id: standard-mix
query: |
  The mean mass of the birds in `sized` changes from year to year, but so does the mix of species and sexes that was
  caught. Return a DataFrame with one row per year and the columns `year`, `raw` (mean `body_mass_g` of the year) and
  `standardised`: the mean of the year's means by species and sex, weighted by how many birds of each combination
  `sized` holds in all years together. Grams, to 1 decimal.
knowledge_points: [direct standardisation, weighted means, reshaping]
tags: [weights, comparison of groups]
difficulty: hard
validator:
  result:
    ignore_index: true
    ignore_order: true
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      weights = sized.groupby(["species", "sex"]).size()
      rows = []
      for year, part in sized.groupby("year"):
          means = part.groupby(["species", "sex"])["body_mass_g"].mean()
          rows.append((year, part["body_mass_g"].mean(), np.average(means, weights=weights[means.index])))
      pd.DataFrame(rows, columns=["year", "raw", "standardised"])
  reject:
    - code: |
        table = sized.groupby("year")["body_mass_g"].mean().rename("raw").to_frame()
        table["standardised"] = sized.groupby(["year", "species", "sex"])["body_mass_g"].mean().groupby("year").mean()
        table.round(1).reset_index()
      why: every combination counts the same
    - code: |
        table = sized.groupby("year")["body_mass_g"].mean().rename("raw").to_frame()
        weights = sized["species"].value_counts(normalize=True)
        means = sized.groupby(["year", "species"])["body_mass_g"].mean().unstack("species")
        table["standardised"] = (means * weights).sum(axis=1)
        table.round(1).reset_index()
      why: standardises the species only
"""

_cells = sized.pivot_table(index=["species", "sex"], columns="year", values="body_mass_g")
_mix = sized.groupby(["species", "sex"]).size() / len(sized)
_by_year = sized.groupby("year")["body_mass_g"].mean().to_frame("raw")
_by_year["standardised"] = _cells.mul(_mix, axis=0).sum()
_by_year.round(1).reset_index()

# %% Look-alikes
"""
id: look-alikes
query: |
  Could a bird be taken for another species by its size? Standardise the four measurements over all birds of `sized`
  (subtract the mean, divide by the standard deviation) and find for each bird the other bird with the smallest
  Euclidean distance. Return the birds whose nearest one is of another species, as a DataFrame with the columns
  `species`, `island`, `nearest_species` and `distance`, in any order.
knowledge_points: [standardisation, pairwise distances, nearest neighbour]
tags: [distances, outliers]
difficulty: medium
execution:
  max_time: 5
validator:
  result:
    ignore_index: true
    ignore_order: true
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      from scipy.spatial import cKDTree

      sizes = sized[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]].to_numpy()
      scaled = (sizes - sizes.mean(axis=0)) / sizes.std(axis=0, ddof=1)
      distance, place = cKDTree(scaled).query(scaled, k=2)
      table = sized[["species", "island"]].assign(
          nearest_species=sized["species"].to_numpy()[place[:, 1]], distance=distance[:, 1]
      )
      table.query("species != nearest_species")
  reject:
    - code: |
        sizes = sized[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]].to_numpy()
        gaps = np.sqrt(((sizes[:, None] - sizes[None]) ** 2).sum(axis=2))
        np.fill_diagonal(gaps, np.inf)
        table = sized[["species", "island"]].assign(
            nearest_species=sized["species"].to_numpy()[gaps.argmin(axis=1)], distance=gaps.min(axis=1)
        )
        table[table["species"] != table["nearest_species"]]
      why: without standardising, grams count most
    - code: |
        names = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
        groups = sized.groupby("species")[names]
        sizes = ((sized[names] - groups.transform("mean")) / groups.transform("std")).to_numpy()
        gaps = np.sqrt(((sizes[:, None] - sizes[None]) ** 2).sum(axis=2))
        np.fill_diagonal(gaps, np.inf)
        table = sized[["species", "island"]].assign(
            nearest_species=sized["species"].to_numpy()[gaps.argmin(axis=1)], distance=gaps.min(axis=1)
        )
        table[table["species"] != table["nearest_species"]]
      why: standardises within species, which hides what tells them apart
"""

_measured = sized[list(dimorphism.columns)]
_scaled = ((_measured - _measured.mean()) / _measured.std(ddof=0)).to_numpy()
_distances = np.sqrt(((_scaled[:, None, :] - _scaled[None, :, :]) ** 2).sum(axis=2))
np.fill_diagonal(_distances, np.inf)
_alike = sized[["species", "island"]].copy()
_alike["nearest_species"] = sized["species"].to_numpy()[_distances.argmin(axis=1)]
_alike["distance"] = _distances.min(axis=1)
_alike[_alike["species"] != _alike["nearest_species"]].reset_index(drop=True)

# %% What a model adds
"""
id: mass-model
query: |
  How well could we estimate the mass of a bird without weighing it? Learn from the birds of 2007 and 2008 in `sized`
  and test on those of 2009, by the root mean squared error in grams: (a) the mean `body_mass_g` of birds of the same
  species and sex; (b) a linear regression by ordinary least squares with intercept on species and sex (as categories,
  without interaction) and on flipper length, bill length and bill depth. Return the two errors as a tuple, to 1
  decimal.
knowledge_points: [linear regression, dummy variables, train and test split by time, root mean squared error]
tags: [models, validation]
difficulty: hard
execution:
  max_time: 10
validator:
  result:
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      from sklearn.linear_model import LinearRegression

      inputs = pd.get_dummies(
          sized[["species", "sex", "flipper_length_mm", "bill_length_mm", "bill_depth_mm"]], dtype=float
      )
      old, new = sized["year"] < 2009, sized["year"] == 2009
      fitted = LinearRegression().fit(inputs[old], sized.loc[old, "body_mass_g"])
      means = sized[old].groupby(["species", "sex"])["body_mass_g"].mean().rename("expected").reset_index()
      plain = sized[new].merge(means, on=["species", "sex"])
      errors = (plain["expected"] - plain["body_mass_g"], fitted.predict(inputs[new]) - sized.loc[new, "body_mass_g"])
      tuple(round(float(np.sqrt(np.mean(error**2))), 1) for error in errors)
  reject:
    - code: |
        inputs = pd.get_dummies(
            sized[["species", "sex", "flipper_length_mm", "bill_length_mm", "bill_depth_mm"]],
            drop_first=True,
            dtype=float,
        )
        inputs.insert(0, "one", 1.0)
        weights = np.linalg.lstsq(inputs.to_numpy(), sized["body_mass_g"].to_numpy(), rcond=None)[0]
        new = sized["year"] == 2009
        means = sized.groupby(["species", "sex"])["body_mass_g"].transform("mean")
        errors = (sized["body_mass_g"] - means)[new], (sized["body_mass_g"] - inputs.to_numpy() @ weights)[new]
        tuple(round(float(np.sqrt((error**2).mean())), 1) for error in errors)
      why: learns from the birds that it is tested on
    - code: |
        inputs = pd.get_dummies(
            sized[["species", "sex", "flipper_length_mm", "bill_length_mm", "bill_depth_mm"]],
            drop_first=True,
            dtype=float,
        )
        inputs.insert(0, "one", 1.0)
        old, new = sized["year"] < 2009, sized["year"] == 2009
        weights = np.linalg.lstsq(inputs[old].to_numpy(), sized.loc[old, "body_mass_g"].to_numpy(), rcond=None)[0]
        means = sized[old].groupby(["species", "sex"])["body_mass_g"].mean().rename("mean")
        expected = sized[new].join(means, on=["species", "sex"])["mean"]
        errors = (
            sized.loc[new, "body_mass_g"] - expected,
            sized.loc[new, "body_mass_g"] - inputs[new].to_numpy() @ weights,
        )
        tuple(round(float(error.abs().mean()), 1) for error in errors)
      why: mean absolute errors
    - code: |
        inputs = pd.get_dummies(
            sized[["species", "flipper_length_mm", "bill_length_mm", "bill_depth_mm"]], drop_first=True, dtype=float
        )
        inputs.insert(0, "one", 1.0)
        old, new = sized["year"] < 2009, sized["year"] == 2009
        weights = np.linalg.lstsq(inputs[old].to_numpy(), sized.loc[old, "body_mass_g"].to_numpy(), rcond=None)[0]
        expected = sized[new].join(sized[old].groupby("species")["body_mass_g"].mean().rename("mean"), on="species")[
            "mean"
        ]
        errors = (
            sized.loc[new, "body_mass_g"] - expected,
            sized.loc[new, "body_mass_g"] - inputs[new].to_numpy() @ weights,
        )
        tuple(round(float(np.sqrt((error**2).mean())), 1) for error in errors)
      why: without the sex
"""

_design = pd.get_dummies(sized[["species", "sex"]], drop_first=True, dtype=float)
_design[["flipper", "length", "depth"]] = sized[["flipper_length_mm", "bill_length_mm", "bill_depth_mm"]]
_design["intercept"] = 1.0
_is_test = sized["year"] == 2009
_train, _test = sized[~_is_test], sized[_is_test]
_weights = np.linalg.lstsq(_design[~_is_test].to_numpy(), _train["body_mass_g"].to_numpy(), rcond=None)[0]
_typical = _train.groupby(["species", "sex"])["body_mass_g"].mean().rename("typical")
_error_means = _test["body_mass_g"] - _test.join(_typical, on=["species", "sex"])["typical"]
_error_model = _test["body_mass_g"] - _design[_is_test].to_numpy() @ _weights
tuple(round(float(np.sqrt((error**2).mean())), 1) for error in (_error_means, _error_model))
