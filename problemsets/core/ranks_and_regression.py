# language_version: 3
# Crime and living conditions in 51 states: ranks, outliers, groups, a regression and its weak spots, peers.
# Data: _inputs/ranks_and_regression/statecrime.csv (American Statistical Abstracts, public domain), see README.md.

# %% Preparation
import numpy as np
import pandas as pd

# %% Read the states
"""
id: load-states
query: |
  Read `inputs/statecrime.csv` into a DataFrame `states`: one row per state, crimes per 100,000 inhabitants, all other
  figures in percent. Some names in `state` have blanks at their end, so that a state could not be looked up by its
  name: remove these blanks. Return a list of the names that you repaired, as they read now, in the order of the file.
knowledge_points: [reading a file, stray blanks]
tags: [reading, cleaning, text]
difficulty: easy
validator:
  namespace_check:
    states:
  result:
    equality: {container: correct}
examples:
  accept:
    - |
      states = pd.read_csv("inputs/statecrime.csv")
      tidy = states["state"].str.rstrip()
      repaired = tidy[tidy != states["state"]]
      states = states.assign(state=tidy)
      repaired
  reject:
    - code: |
        states = pd.read_csv("inputs/statecrime.csv", skipinitialspace=True)
        [name for name in states["state"] if name != name.strip()]
      why: finds the names and leaves the blanks
    - code: |
        states = pd.read_csv("inputs/statecrime.csv")
        repaired = [name for name in states["state"] if " " in name]
        states["state"] = states["state"].str.strip()
        repaired
      why: names of two words have a blank as well
"""

states = pd.read_csv("inputs/statecrime.csv")
_as_read = states["state"]
states["state"] = _as_read.str.strip()
states.loc[states["state"] != _as_read, "state"].tolist()

# %% Murders among violent crimes
"""
id: murder-among-crimes
query: |
  Murders (`murder`) are part of the violent crimes (`violent`). Where is a violent crime most often a murder, and are
  these the states with much crime? Add a column `murder_share` to `states`, murders in percent of the violent crimes.
  Return a DataFrame of the five states where it is highest, highest first, with the columns `state`, `murder_share` and
  `violent_rank`: the place of the state among all 51 by `violent`, where 1 has the most.
knowledge_points: [derived columns, ranks, largest values]
tags: [ranking]
difficulty: medium
validator:
  namespace_check:
    states:
      atol: 0.0051
      rtol: 0.0
  result:
    ignore_index: true
    atol: 0.0051
    rtol: 0.0
    equality: {column-order: correct}
examples:
  accept:
    - |
      states["murder_share"] = states["murder"] / states["violent"] * 100
      ordered = states.sort_values("violent", ascending=False)["state"].tolist()
      top = states.nlargest(5, "murder_share")[["state", "murder_share"]].round(2)
      top["violent_rank"] = [ordered.index(name) + 1 for name in top["state"]]
      top
  reject:
    - code: |
        states["murder_share"] = 100 * states["murder"] / states["violent"]
        top = states.nlargest(5, "murder_share")[["state", "murder_share"]]
        top.assign(violent_rank=states["violent"].rank().astype(int))
      why: rank 1 has the fewest crimes
    - code: |
        states["murder_share"] = 100 * states["murder"] / states["violent"]
        top = states.nlargest(5, "murder_share")[["state", "murder_share", "violent"]].reset_index(drop=True)
        top["violent_rank"] = top.pop("violent").rank(ascending=False).astype(int)
        top
      why: ranks among the five states, not among all
    - code: |
        states["murder_share"] = states["murder"] / states["violent"]
        top = states.nlargest(5, "murder_share")[["state", "murder_share"]]
        top.assign(violent_rank=states["violent"].rank(ascending=False).astype(int))
      why: fractions in place of percent
"""

states["murder_share"] = 100 * states["murder"] / states["violent"]
_by_share = states.assign(violent_rank=states["violent"].rank(ascending=False).astype("int64"))
_by_share.nlargest(5, "murder_share")[["state", "murder_share", "violent_rank"]].reset_index(drop=True)

# %% Figures out of line
"""
id: unusual-figures
query: |
  Which figures are far out of line with the typical state? Measure it robustly, so that an outlier does not hide
  itself: the score of a value is 0.6745 * (value - median) / MAD, with the median of its column over all states and MAD
  the median of the absolute deviations from it. Score `violent`, `murder`, `hs_grad`, `poverty`, `single` and `urban`,
  and make a DataFrame `unusual` of all scores further than 2.5 from zero: one row each, columns `state`, `measure`
  (name of the column) and `score`, the most extreme first.
knowledge_points: [median absolute deviation, outliers, wide to long]
tags: [outliers, reshaping]
difficulty: hard
validator:
  template: intact
  namespace_check:
    unusual:
      ignore_index: true
      atol: 0.0051
      rtol: 0.0
      equality: {column-order: correct}
examples:
  accept:
    - |
      rows = []
      for measure in ["violent", "murder", "hs_grad", "poverty", "single", "urban"]:
          away = states[measure] - np.median(states[measure])
          scores = 0.6745 * away / np.median(np.abs(away))
          rows += [(name, measure, score) for name, score in zip(states["state"], scores) if abs(score) > 2.5]
      unusual = pd.DataFrame(sorted(rows, key=lambda row: -abs(row[2])), columns=["state", "measure", "score"])
    - |
      wide = states.set_index("state")[["violent", "murder", "hs_grad", "poverty", "single", "urban"]]
      wide = wide - wide.median()
      long = (0.6745 * wide / wide.abs().median()).stack().rename_axis(["state", "measure"]).reset_index(name="score")
      unusual = long[long["score"].abs() > 2.5].sort_values("score", key=lambda x: -x.abs())
  reject:
    - code: |
        wide = states.set_index("state")[["violent", "murder", "hs_grad", "poverty", "single", "urban"]]
        long = ((wide - wide.mean()) / wide.std()).stack().rename_axis(["state", "measure"]).reset_index(name="score")
        unusual = long[long["score"].abs() > 2.5].sort_values("score", key=lambda x: -x.abs())
      why: mean and standard deviation
    - code: |
        wide = states.set_index("state")[["violent", "murder", "hs_grad", "poverty", "single", "urban"]]
        wide = wide - wide.median()
        long = (0.6745 * wide / wide.abs().mean()).stack().rename_axis(["state", "measure"]).reset_index(name="score")
        unusual = long[long["score"].abs() > 2.5].sort_values("score", key=lambda x: -x.abs())
      why: mean of the absolute deviations
"""

_measures = ["violent", "murder", "hs_grad", "poverty", "single", "urban"]
_deviation = states[_measures] - states[_measures].median()
_scores = (0.6745 * _deviation / _deviation.abs().median()).assign(state=states["state"])
_long = _scores.melt(id_vars="state", var_name="measure", value_name="score")
_long = _long[_long["score"].abs() > 2.5]
unusual = _long.sort_values("score", key=lambda scores: scores.abs(), ascending=False, ignore_index=True)

# %% Correlations that hang on a few states
"""
id: fragile-correlations
query: |
  How much of what goes together with `violent` hangs on the states that appear in `unusual`? For `hs_grad`, `poverty`,
  `single` and `urban`, in this order, return a DataFrame with one row per measure and the columns `measure`, `all`
  (Pearson's correlation with `violent` over all states), `without` (the same without every state that appears in
  `unusual`) and `ranks` (Spearman's rank correlation over all states).
knowledge_points: [Pearson and Spearman correlation, excluding rows by another table]
tags: [statistics, outliers]
difficulty: medium
validator:
  result:
    ignore_index: true
    atol: 0.0051
    rtol: 0.0
    equality: {column-order: correct}
examples:
  accept:
    - |
      rest = states[~states["state"].isin(unusual["state"])]
      rows = []
      for measure in ["hs_grad", "poverty", "single", "urban"]:
          full = np.corrcoef(states[measure], states["violent"])[0, 1]
          short = np.corrcoef(rest[measure], rest["violent"])[0, 1]
          ranked = np.corrcoef(states[measure].rank(), states["violent"].rank())[0, 1]
          rows.append((measure, full, short, ranked))
      pd.DataFrame(rows, columns=["measure", "all", "without", "ranks"]).round(2)
  reject:
    - code: |
        measures = ["hs_grad", "poverty", "single", "urban"]
        rest = states[states["state"] != unusual["state"].iloc[0]]
        table = pd.DataFrame({"all": states[measures].corrwith(states["violent"])})
        table["without"] = rest[measures].corrwith(rest["violent"])
        table["ranks"] = states[measures].rank().corrwith(states["violent"].rank())
        table.rename_axis("measure").reset_index()
      why: leaves out the most extreme state only
    - code: |
        measures = ["hs_grad", "poverty", "single", "urban"]
        rest = states[~states["state"].isin(unusual["state"])]
        table = pd.DataFrame({"all": states[measures].corrwith(states["violent"])})
        table["without"] = rest[measures].corrwith(rest["violent"])
        table["ranks"] = rest[measures].rank().corrwith(rest["violent"].rank())
        table.rename_axis("measure").reset_index()
      why: rank correlation of the states left over
"""

_conditions = ["hs_grad", "poverty", "single", "urban"]
_rest = states[~states["state"].isin(unusual["state"])]
_correlations = {
    "all": states[_conditions].corrwith(states["violent"]),
    "without": _rest[_conditions].corrwith(_rest["violent"]),
    "ranks": states[_conditions].rank().corrwith(states["violent"].rank()),
}
pd.DataFrame(_correlations).rename_axis("measure").reset_index()

# %% Groups of poverty and city life
"""
id: poverty-by-urban
query: |
  Does poverty go with crime in the country as it does in the cities? Add the columns `poverty_group` and `urban_group`
  to `states` with the texts `low`, `middle` and `high`: cut `poverty`, and likewise `urban`, at their quantiles 1/3 and
  2/3 (linear interpolation); a value on a cut belongs to the lower group. Return the median of `violent` for each
  combination as a table with `poverty_group` as rows and `urban_group` as columns, both in the order `low`, `middle`,
  `high`.
knowledge_points: [cutting at quantiles, pivot table]
tags: [binning, reshaping]
difficulty: medium
validator:
  namespace_check:
    states:
      atol: 0.0051
      rtol: 0.0
      equality: {column-order: correct}
examples:
  accept:
    - |
      for measure in ("poverty", "urban"):
          first, second = np.quantile(states[measure], [1 / 3, 2 / 3])
          above = (states[measure] > first).astype(int) + (states[measure] > second)
          states[f"{measure}_group"] = above.map({0: "low", 1: "middle", 2: "high"})
      groups = ["low", "middle", "high"]
      table = states.groupby(["poverty_group", "urban_group"])["violent"].median().unstack()
      table.loc[groups, groups]
  reject:
    - code: |
        for measure in ("poverty", "urban"):
            places = states[measure].rank(method="first")
            states[f"{measure}_group"] = pd.qcut(places, 3, labels=["low", "middle", "high"]).astype(str)
        groups = ["low", "middle", "high"]
        states.pivot_table(index="poverty_group", columns="urban_group", values="violent", aggfunc="median").loc[groups, groups]
      why: 17 states in each group, so that equal values are torn apart
    - code: |
        for measure in ("poverty", "urban"):
            places = pd.cut(states[measure], 3, labels=["low", "middle", "high"])
            states[f"{measure}_group"] = places.astype(str)
        groups = ["low", "middle", "high"]
        states.pivot_table(index="poverty_group", columns="urban_group", values="violent", aggfunc="median").loc[groups, groups]
      why: thirds of the range, not of the states
    - code: |
        for measure in ("poverty", "urban"):
            states[f"{measure}_group"] = pd.qcut(states[measure], 3, labels=["low", "middle", "high"]).astype(str)
        states.pivot_table(index="poverty_group", columns="urban_group", values="violent", aggfunc="median")
      why: the groups stand in alphabetical order
"""

_groups = ["low", "middle", "high"]
for _measure in ("poverty", "urban"):
    states[f"{_measure}_group"] = pd.qcut(states[_measure], 3, labels=_groups).astype(str)
_medians = states.pivot_table(index="poverty_group", columns="urban_group", values="violent", aggfunc="median")
_medians.loc[_groups, _groups]

# %% Poverty at equal city life
"""
id: poverty-adjusted
query: |
  Poor states are less urban, which may hide what poverty does. By how much does the median of `violent` in the group
  `high` of `poverty_group` exceed that in the group `low`? Return a dictionary with two answers: `raw` compares all
  states of the two groups in `states`; `adjusted` compares them within each `urban_group` and averages the three
  differences, all counting alike.
knowledge_points: [stratified comparison, median by group]
tags: [statistics, grouping]
difficulty: medium
validator:
  result:
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      def contrast(rows):
          poor, rich = (rows.loc[rows["poverty_group"] == group, "violent"].median() for group in ("high", "low"))
          return poor - rich

      within = [contrast(rows) for _, rows in states.groupby("urban_group")]
      {"raw": round(contrast(states), 2), "adjusted": round(sum(within) / 3, 2)}
  reject:
    - code: |
        table = states.pivot_table(index="poverty_group", columns="urban_group", values="violent")
        means = states.groupby("poverty_group")["violent"].mean()
        {"raw": means["high"] - means["low"], "adjusted": (table.loc["high"] - table.loc["low"]).mean()}
      why: means
    - code: |
        table = states.pivot_table(index="poverty_group", columns="urban_group", values="violent", aggfunc="median")
        medians = table.mean(axis=1)
        {"raw": medians["high"] - medians["low"], "adjusted": (table.loc["high"] - table.loc["low"]).mean()}
      why: the raw difference is made from the table, too
"""

_overall = states.groupby("poverty_group")["violent"].median()
_within = states.groupby(["poverty_group", "urban_group"])["violent"].median().unstack()
{
    "raw": float(_overall["high"] - _overall["low"]),
    "adjusted": float((_within.loc["high"] - _within.loc["low"]).mean()),
}

# %% A regression
"""
id: crime-regression
query: |
  How much of the differences do living conditions account for? Regress `violent` on `poverty`, `single` and `urban` by
  ordinary least squares with an intercept, over all states. Keep the coefficients as a Series `coefficients` with the
  index `intercept`, `poverty`, `single`, `urban`, add the columns `expected` (fitted value) and `residual` (observed
  minus fitted) to `states`, and return R squared.
knowledge_points: [multiple regression, residuals]
tags: [regression]
difficulty: medium
execution:
  max_time: 10
validator:
  namespace_check:
    coefficients:
      rtol: 5.0e-3
    states:
      atol: 0.051
      rtol: 0.0
      equality: {column-order: correct}
  result:
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      from sklearn.linear_model import LinearRegression
      names = ["poverty", "single", "urban"]
      fitted = LinearRegression().fit(states[names], states["violent"])
      coefficients = pd.Series([fitted.intercept_, *fitted.coef_], index=["intercept", *names])
      states["expected"] = fitted.predict(states[names])
      states["residual"] = states["violent"] - states["expected"]
      fitted.score(states[names], states["violent"])
    - |
      design = states[["poverty", "single", "urban"]].assign(intercept=1.0)
      design = design[["intercept", "poverty", "single", "urban"]]
      coefficients = pd.Series(np.linalg.solve(design.T @ design, design.T @ states["violent"]), index=design.columns)
      states["expected"] = design @ coefficients
      states["residual"] = states["violent"] - states["expected"]
      round(np.corrcoef(states["expected"], states["violent"])[0, 1] ** 2, 3)
  reject:
    - code: |
        design = states[["poverty", "single", "urban"]]
        slopes = np.linalg.lstsq(design.to_numpy(), states["violent"].to_numpy(), rcond=None)[0]
        coefficients = pd.Series([0.0, *slopes], index=["intercept", "poverty", "single", "urban"])
        states["expected"] = design @ slopes
        states["residual"] = states["violent"] - states["expected"]
        1 - (states["residual"] ** 2).sum() / ((states["violent"] - states["violent"].mean()) ** 2).sum()
      why: without an intercept
    - code: |
        names = ["poverty", "single", "urban"]
        design = np.column_stack([np.ones(len(states)), states[names]])
        solution = np.linalg.lstsq(design, states["violent"].to_numpy(), rcond=None)[0]
        coefficients = pd.Series(solution, index=["intercept", *names])
        states["expected"] = design @ solution
        states["residual"] = states["expected"] - states["violent"]
        1 - states["residual"].var() / states["violent"].var()
      why: residuals with the wrong sign
"""

_names = ["poverty", "single", "urban"]
_design = np.column_stack([np.ones(len(states)), states[_names].to_numpy()])
_solution = np.linalg.lstsq(_design, states["violent"].to_numpy(), rcond=None)[0]
coefficients = pd.Series(_solution, index=["intercept", *_names])
states["expected"] = _design @ _solution
states["residual"] = states["violent"] - states["expected"]
float(1 - states["residual"].var(ddof=0) / states["violent"].var(ddof=0))

# %% States that bend the regression
"""
id: influential-states
query: |
  Which states bend the regression behind `residual` towards themselves? Add two columns to `states`: `leverage`, the
  diagonal h of the matrix X (X'X)^-1 X', where X holds a column of ones, `poverty`, `single` and `urban`; and Cook's
  distance `cook`, that is residual^2 / (p * s2) * h / (1 - h)^2 with p = 4 coefficients and s2 the sum of the squared
  residuals divided by n - p. Return a list of the states with a distance above 4 / n, the most influential first.
knowledge_points: [leverage, Cook's distance, matrix algebra]
tags: [regression, outliers]
difficulty: hard
execution:
  max_time: 10
validator:
  namespace_check:
    states:
      rtol: 1.0e-3
      atol: 0.0006
      equality: {column-order: correct}
  result:
    equality: {container: correct}
examples:
  accept:
    - |
      design = np.linalg.qr(np.column_stack([np.ones(51), states[["poverty", "single", "urban"]]]))[0]
      states["leverage"] = (design**2).sum(axis=1)
      variance = (states["residual"] ** 2).sum() / 47
      states["cook"] = states["residual"] ** 2 / 4 / variance * states["leverage"] / (1 - states["leverage"]) ** 2
      states[states["cook"] > 4 / 51].sort_values("cook", ascending=False)["state"]
    - |
      design = states[["poverty", "single", "urban"]].assign(one=1.0).to_numpy()
      variance = (states["residual"] ** 2).sum() / (len(states) - 4)
      leverages, cooks = [], []
      for place in range(len(states)):
          leverages.append(design[place] @ np.linalg.inv(design.T @ design) @ design[place])
          others = np.arange(len(states)) != place
          without = np.linalg.lstsq(design[others], states["violent"].to_numpy()[others], rcond=None)[0]
          cooks.append(((design @ without - states["expected"]) ** 2).sum() / (4 * variance))
      states["leverage"], states["cook"] = leverages, cooks
      states.loc[states["cook"] > 4 / len(states)].sort_values("cook", ascending=False)["state"].tolist()
  reject:
    - code: |
        design = np.column_stack([np.ones(len(states)), states[["poverty", "single", "urban"]]])
        states["leverage"] = np.diag(design @ np.linalg.inv(design.T @ design) @ design.T)
        states["cook"] = states["residual"] ** 2 / (4 * states["residual"].var()) * states["leverage"] / (1 - states["leverage"]) ** 2
        states[states["cook"] > 4 / len(states)].sort_values("cook", ascending=False)["state"].tolist()
      why: divides the squares by n - 1
    - code: |
        design = states[["poverty", "single", "urban"]].to_numpy()
        states["leverage"] = np.diag(design @ np.linalg.inv(design.T @ design) @ design.T)
        variance = (states["residual"] ** 2).sum() / (len(states) - 4)
        states["cook"] = states["residual"] ** 2 / (4 * variance) * states["leverage"] / (1 - states["leverage"]) ** 2
        states[states["cook"] > 4 / len(states)].sort_values("cook", ascending=False)["state"].tolist()
      why: the column of ones is missing
    - code: |
        design = np.column_stack([np.ones(len(states)), states[["poverty", "single", "urban"]]])
        states["leverage"] = np.diag(design @ np.linalg.inv(design.T @ design) @ design.T)
        variance = (states["residual"] ** 2).sum() / (len(states) - 4)
        states["cook"] = states["residual"] ** 2 / (4 * variance) * states["leverage"] / (1 - states["leverage"]) ** 2
        states.sort_values("residual", key=abs, ascending=False)["state"].head(4).tolist()
      why: the largest residuals are not the most influential states
"""

_design = np.column_stack([np.ones(len(states)), states[["poverty", "single", "urban"]].to_numpy()])
_n, _p = _design.shape
_leverage = np.diag(_design @ np.linalg.inv(_design.T @ _design) @ _design.T)
_variance = (states["residual"] ** 2).sum() / (_n - _p)
states["leverage"] = _leverage
states["cook"] = states["residual"] ** 2 / (_p * _variance) * _leverage / (1 - _leverage) ** 2
states[states["cook"] > 4 / _n].sort_values("cook", ascending=False)["state"].tolist()

# %% What the conditions are worth
"""
id: worth-of-conditions
query: |
  Do the conditions keep their weight when the states with a `cook` above 4 / n are left out (n = 51)? Express each
  slope as the change of `violent` that goes with one standard deviation (sample, n - 1) of that condition, so that the
  three can be compared. Return a DataFrame with the columns `condition` (`poverty`, `single` and `urban`, in this
  order), `all` (from `coefficients`) and `without` (from the regression refitted without these states); both use the
  standard deviations over all 51 states.
knowledge_points: [refitting, standardised coefficients]
tags: [regression, outliers]
difficulty: hard
execution:
  max_time: 10
validator:
  result:
    ignore_index: true
    atol: 0.051
    rtol: 0.0
    equality: {column-order: correct}
examples:
  accept:
    - |
      from sklearn.linear_model import LinearRegression
      names = ["poverty", "single", "urban"]
      kept = states.query("cook <= 4 / 51")
      spread = states[names].std().to_numpy()
      again = LinearRegression().fit(kept[names], kept["violent"]).coef_
      pd.DataFrame({"condition": names, "all": coefficients[names].to_numpy() * spread, "without": again * spread})
  reject:
    - code: |
        names = ["poverty", "single", "urban"]
        kept = states[states["cook"] <= 4 / len(states)]
        design = np.column_stack([np.ones(len(kept)), kept[names]])
        again = np.linalg.lstsq(design, kept["violent"].to_numpy(), rcond=None)[0][1:]
        table = pd.DataFrame({"condition": names, "all": (coefficients[names] * states[names].std()).to_numpy()})
        table.assign(without=again * kept[names].std().to_numpy())
      why: standard deviations of the states left over
    - code: |
        names = ["poverty", "single", "urban"]
        kept = states[states["cook"] <= 4 / len(states)]
        design = np.column_stack([np.ones(len(kept)), kept[names]])
        again = np.linalg.lstsq(design, kept["violent"].to_numpy(), rcond=None)[0][1:]
        pd.DataFrame({"condition": names, "all": coefficients[names].to_numpy(), "without": again})
      why: slopes per percentage point
    - code: |
        names = ["poverty", "single", "urban"]
        kept = states[~states["state"].isin(unusual["state"])]
        design = np.column_stack([np.ones(len(kept)), kept[names]])
        again = np.linalg.lstsq(design, kept["violent"].to_numpy(), rcond=None)[0][1:]
        spread = states[names].std().to_numpy()
        pd.DataFrame({"condition": names, "all": coefficients[names].to_numpy() * spread, "without": again * spread})
      why: leaves out the unusual states, not the influential ones
"""

_names = ["poverty", "single", "urban"]
_kept = states[states["cook"] <= 4 / len(states)]
_design = np.column_stack([np.ones(len(_kept)), _kept[_names].to_numpy()])
_refitted = pd.Series(np.linalg.lstsq(_design, _kept["violent"].to_numpy(), rcond=None)[0][1:], index=_names)
_spread = states[_names].std()
_worth = pd.DataFrame({"all": coefficients[_names] * _spread, "without": _refitted * _spread})
_worth.rename_axis("condition").reset_index()

# %% Peers of a state
"""
id: peers-function
query: |
  A state is better compared with its like than with a line. Write a function `peers(frame, name, columns, k)` that
  returns a list of the names (column `state`) of the `k` rows of `frame` most similar to the row of state `name`,
  nearest first. Distance is Euclidean after standardising: each of `columns` minus its mean, divided by its standard
  deviation over all rows of `frame`. Rows with the same values go in alphabetical order of their names. A state is no
  peer of itself. Names are unique and no value is missing; `frame` may have any index and stays as it is.
knowledge_points: [functions, standardising, nearest neighbours]
tags: [functions, ranking]
difficulty: hard
validator:
  template: intact
  table_test:
    function_name: peers
    test_cases:
      - ['`pd.DataFrame({"state": list("ecadb"), "x": [0.0, 1.5, 1.5, 3.0, -4.0]})`', e, [x], 4]
      - ['`pd.DataFrame({"state": list("pqrst"), "small": [0.1, 0.2, 0.9, 0.1, 0.5], "large": [100, 400, 120, 900, 500]})`', p, [small, large], 3]
      - ['`pd.DataFrame({"state": list("pqrst"), "x": [1, 2, 4, 7, 11], "y": [5, 1, 1, 2, 9]}, index=[7, 3, 9, 1, 0])`', s, [x, y], 2]
      - ['`pd.DataFrame({"state": ["b", "a", "c"], "x": [2.0, 2.0, 5.0], "y": [1.0, 1.0, 0.0]})`', b, [x, y], 1]
      - ['`pd.DataFrame({"state": list("hgfedcba"), "x": np.random.normal(size=8), "y": np.random.normal(size=8) * 50, "z": np.arange(8) % 3})`', d, [z, y, x], 7]
      - //
      - //
examples:
  accept:
    - |
      def peers(frame, name, columns, k):
          scaled = (frame[columns] - frame[columns].mean()) / frame[columns].std(ddof=0)
          scaled.index = frame["state"]
          away = ((scaled - scaled.loc[name]) ** 2).sum(axis=1).drop(name)
          return away.sort_index().sort_values(kind="stable").index[:k].tolist()
  reject:
    - code: |
        def peers(frame, name, columns, k):
            plain = frame.set_index("state")[columns]
            away = ((plain - plain.loc[name]) ** 2).sum(axis=1).drop(name).sort_index()
            return away.sort_values(kind="stable").index[:k].tolist()
      why: not standardised, so that large numbers decide
    - code: |
        def peers(frame, name, columns, k):
            scaled = frame.set_index("state")[columns]
            scaled = (scaled - scaled.mean()) / scaled.std()
            away = ((scaled - scaled.loc[name]) ** 2).sum(axis=1).sort_index()
            return away.sort_values(kind="stable").index[1 : k + 1].tolist()
      why: takes the first row for the state itself, which fails when another one is equal to it
    - code: |
        def peers(frame, name, columns, k):
            scaled = frame.set_index("state")[columns]
            scaled = (scaled - scaled.mean()) / scaled.std()
            away = ((scaled - scaled.loc[name]) ** 2).sum(axis=1).drop(name)
            return away.sort_values(kind="stable").index[:k].tolist()
      why: equal distances stay in the order of the rows
    - code: |
        def peers(frame, name, columns, k):
            scaled = (frame[columns] - frame[columns].mean()) / frame[columns].std()
            own = scaled[frame["state"] == name].to_numpy()
            away = pd.Series(np.sqrt(((scaled.to_numpy() - own) ** 2).sum(axis=1)))
            order = away.sort_values().index
            return [found for found in frame["state"].reindex(order) if found != name][:k]
      why: takes positions for labels of the index
    - code: |
        def peers(frame, name, columns, k):
            frame[columns] = (frame[columns] - frame[columns].mean()) / frame[columns].std()
            scaled = frame.set_index("state")[columns]
            away = ((scaled - scaled.loc[name]) ** 2).sum(axis=1).drop(name).sort_index()
            return away.sort_values(kind="stable").index[:k].tolist()
      why: changes the frame that must stay
"""


def peers(frame, name, columns, k):
    _values = frame.set_index("state")[columns]
    _scaled = (_values - _values.mean()) / _values.std()
    _distance = np.sqrt(((_scaled - _scaled.loc[name]) ** 2).sum(axis=1))
    return _distance.drop(name).sort_index().sort_values(kind="stable").index[:k].tolist()


# %% More crime than the peers
"""
id: gap-to-peers
query: |
  Which states have more crime than their like? With `peers`, take the five peers of each state by `poverty`, `single`
  and `urban`, and add a column `gap` to `states`: its `violent` minus the median of `violent` of its five peers. Return
  the five states with the largest gap, largest first: a DataFrame with the columns `state`, `gap` and `residual`.
knowledge_points: [using a function per row, lookup by name]
tags: [ranking, functions]
difficulty: medium
execution:
  max_time: 10
validator:
  namespace_check:
    states:
      atol: 0.051
      rtol: 0.0
  result:
    ignore_index: true
    atol: 0.051
    rtol: 0.0
    equality: {column-order: correct}
examples:
  accept:
    - |
      names = ["poverty", "single", "urban"]
      states["gap"] = [
          violent - states.loc[states["state"].isin(peers(states, name, names, 5)), "violent"].median()
          for name, violent in zip(states["state"], states["violent"])
      ]
      states.sort_values("gap", ascending=False)[["state", "gap", "residual"]].head(5).round(1)
  reject:
    - code: |
        rates = states.set_index("state")["violent"]
        names = ["poverty", "single", "urban"]
        states["gap"] = [rates[name] - rates[peers(states, name, names, 5)].mean() for name in states["state"]]
        states.nlargest(5, "gap")[["state", "gap", "residual"]]
      why: mean of the peers
    - code: |
        rates = states.set_index("state")["violent"]
        names = ["poverty", "single", "urban"]
        states["gap"] = [rates[name] - rates[[name, *peers(states, name, names, 4)]].median() for name in states["state"]]
        states.nlargest(5, "gap")[["state", "gap", "residual"]]
      why: counts the state among its five peers
    - code: |
        rates = states.set_index("state")["violent"]
        names = ["poverty", "single", "urban", "hs_grad"]
        states["gap"] = [rates[name] - rates[peers(states, name, names, 5)].median() for name in states["state"]]
        states.nlargest(5, "gap")[["state", "gap", "residual"]]
      why: compares one condition more
"""

_rates = states.set_index("state")["violent"]
_usual = [_rates[peers(states, name, ["poverty", "single", "urban"], 5)].median() for name in states["state"]]
states["gap"] = states["violent"] - _usual
states.nlargest(5, "gap")[["state", "gap", "residual"]].reset_index(drop=True)

# %% Which guess is best
"""
id: guess-contest
query: |
  Suppose a state did not report and its `violent` had to be guessed from the other 50. Which guess is best? Compare by
  the mean absolute error over all 51 states: `median` (median of the other 50), `peers` (median of its five peers, as
  in `gap`) and `regression` (predicted from `poverty`, `single` and `urban` by the regression refitted without that
  state). Return a Series with these three labels, smallest error first.
knowledge_points: [leave-one-out, mean absolute error, comparing predictions]
tags: [models, regression]
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
      names = ["poverty", "single", "urban"]
      errors = {"median": [], "regression": []}
      for place in states.index:
          others, own = states.drop(place), states.loc[place]
          errors["median"].append(abs(own["violent"] - others["violent"].median()))
          design = np.column_stack([np.ones(50), others[names]])
          line = np.linalg.lstsq(design, others["violent"].to_numpy(), rcond=None)[0]
          errors["regression"].append(abs(own["violent"] - line[0] - (line[1:] * own[names]).sum()))
      found = pd.Series({guess: np.mean(values) for guess, values in errors.items()})
      found["peers"] = states["gap"].abs().mean()
      found.sort_values().round(2)
  reject:
    - code: |
        found = {"median": (states["violent"] - states["violent"].median()).abs().mean()}
        found["peers"], found["regression"] = states["gap"].abs().mean(), states["residual"].abs().mean()
        pd.Series(found).sort_values()
      why: the state itself takes part in its guess
    - code: |
        found = {"median": (states["violent"] - (states["violent"].sum() - states["violent"]) / 50).abs().mean()}
        found["peers"] = states["gap"].abs().mean()
        found["regression"] = (states["residual"] / (1 - states["leverage"])).abs().mean()
        pd.Series(found).sort_values()
      why: the mean of the others, not their median
    - code: |
        middle = [states["violent"].drop(place).median() for place in states.index]
        left_out = states["residual"] / (1 - states["leverage"])
        errors = pd.DataFrame({"median": states["violent"] - middle, "peers": states["gap"], "regression": left_out})
        np.sqrt((errors**2).mean()).sort_values()
      why: root mean squared errors
"""

_middle = [states["violent"].drop(place).median() for place in states.index]
_errors = {
    "median": states["violent"] - _middle,
    "peers": states["gap"],
    "regression": states["residual"] / (1 - states["leverage"]),  # equals refitting without the state
}
pd.DataFrame(_errors).abs().mean().sort_values()

# %% States that stand out by every yardstick
"""
id: every-yardstick
query: |
  Three yardsticks say whether a state has more crime than its conditions suggest: `residual`, `gap`, and by how many
  percent `violent` exceeds the median of the states with the same `poverty_group` and `urban_group` (the state itself
  included). Rank all states by each, 1 for the largest, and return the states that are among the first eight by all
  three: a DataFrame with `state` and the mean of its three ranks as `mean_rank`, smallest first.
knowledge_points: [ranks over several columns, transform, combining results]
tags: [ranking, grouping]
difficulty: hard
validator:
  result:
    ignore_index: true
    atol: 0.0051
    rtol: 0.0
    equality: {column-order: correct}
examples:
  accept:
    - |
      table = states[["state", "violent", "poverty_group", "urban_group", "residual", "gap"]]
      usual = table.groupby(["poverty_group", "urban_group"], as_index=False)["violent"].median()
      table = table.merge(usual, on=["poverty_group", "urban_group"], suffixes=("", "_usual"))
      table["excess"] = 100 * (table["violent"] / table["violent_usual"] - 1)
      firsts = [set(table.nlargest(8, column)["state"]) for column in ("residual", "gap", "excess")]
      places = table.set_index("state")[["residual", "gap", "excess"]].rank(ascending=False).mean(axis=1)
      found = places[list(set.intersection(*firsts))].sort_index().sort_values(kind="stable")
      found.rename_axis("state").reset_index(name="mean_rank")
  reject:
    - code: |
        usual = states.groupby(["poverty_group", "urban_group"])["violent"].transform("median")
        yardsticks = states[["residual", "gap"]].assign(excess=states["violent"] - usual)
        ranks = yardsticks.rank(ascending=False)
        table = states[["state"]].assign(mean_rank=ranks.mean(axis=1))[(ranks <= 8).all(axis=1)]
        table.sort_values(["mean_rank", "state"])
      why: the excess in crimes, not in percent
    - code: |
        usual = states.groupby(["poverty_group", "urban_group"])["violent"].transform("mean")
        yardsticks = states[["residual", "gap"]].assign(excess=states["violent"] / usual)
        ranks = yardsticks.rank(ascending=False)
        table = states[["state"]].assign(mean_rank=ranks.mean(axis=1))[(ranks <= 8).all(axis=1)]
        table.sort_values(["mean_rank", "state"])
      why: the mean of the group
    - code: |
        usual = states.groupby(["poverty_group", "urban_group"])["violent"].transform("median")
        yardsticks = states[["residual", "gap"]].assign(excess=states["violent"] / usual)
        ranks = yardsticks.rank(ascending=False)
        table = states[["state"]].assign(mean_rank=ranks.mean(axis=1)).sort_values(["mean_rank", "state"])
        table.head(8)
      why: the eight best mean ranks
"""

_usual = states.groupby(["poverty_group", "urban_group"])["violent"].transform("median")
_yardsticks = states[["residual", "gap"]].assign(excess=100 * (states["violent"] / _usual - 1))
_ranks = _yardsticks.rank(ascending=False)
_standing = states[["state"]].assign(mean_rank=_ranks.mean(axis=1))[(_ranks <= 8).all(axis=1)]
_standing.sort_values(["mean_rank", "state"], ignore_index=True)
