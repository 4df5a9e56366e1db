# language_version: 3
# Half a century of the US economy by quarter: growth rates, recessions and recoveries, real rates, forecasts.
# Data: _inputs/growth_and_recessions/macrodata.csv (Federal Reserve Bank of St. Louis, public domain), see README.md.

# %% Preparation
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

# %% Read the quarters
"""
id: load-quarters
query: |
  Read `inputs/macrodata.csv` into a DataFrame `quarters`. Its index shall hold the quarters as pandas periods such as
  1959Q1, made from the columns `year` and `quarter`, which are then dropped; the other columns stay. Return the last
  year of which the data has all four quarters.
knowledge_points: [reading a file, periods, counting by year]
tags: [reading, dates]
difficulty: easy
validator:
  namespace_check:
    quarters:
examples:
  accept:
    - |
      quarters = pd.read_csv("inputs/macrodata.csv")
      start = pd.to_datetime(dict(year=quarters["year"], month=3 * quarters["quarter"] - 2, day=1))
      quarters = quarters.drop(columns=["year", "quarter"])
      quarters.index = pd.DatetimeIndex(start).to_period("Q")
      full = quarters.groupby(quarters.index.year).size() == 4
      full[full].index.max()
  reject:
    - code: |
        quarters = pd.read_csv("inputs/macrodata.csv")
        quarters.index = pd.PeriodIndex(quarters.pop("year").astype(str) + "Q" + quarters.pop("quarter").astype(str), freq="Q")
        quarters.index.year.max()
      why: the last year is not complete
    - code: |
        quarters = pd.read_csv("inputs/macrodata.csv")
        full = quarters.groupby("year")["quarter"].nunique() == 4
        quarters.index = quarters.pop("year").astype(str) + "Q" + quarters.pop("quarter").astype(str)
        full[full].index.max()
      why: the index holds texts
"""

quarters = pd.read_csv("inputs/macrodata.csv")
_labels = quarters["year"].astype(str) + "Q" + quarters["quarter"].astype(str)
quarters = quarters.drop(columns=["year", "quarter"]).set_index(pd.PeriodIndex(_labels, freq="Q"))
_counted = quarters.index.year.value_counts()
int(_counted[_counted == 4].index.max())

# %% Are the rates what they claim to be
"""
id: rates-recomputed
query: |
  Can two of the rates in `quarters` be trusted? `infl` should be 400 times the change of the natural logarithm of `cpi`
  on the quarter before, and `realint` should be `tbilrate` - `infl`, both rounded to two decimals. In the first quarter
  there is nothing to compare with, and both were recorded as 0: make these two zeros missing values in `quarters`.
  Return a dictionary that gives for `infl` and `realint` the largest absolute difference, over the other quarters,
  between the recorded rate and the one recomputed from the recorded columns, without rounding it.
knowledge_points: [recomputing a column, logarithmic change, placeholder values]
tags: [data quality, missing values]
difficulty: medium
validator:
  namespace_check:
    quarters:
  result:
    atol: 0.00051
    rtol: 0.0
examples:
  accept:
    - |
      quarters.iloc[0, [quarters.columns.get_loc("infl"), quarters.columns.get_loc("realint")]] = np.nan
      rest = quarters.iloc[1:]
      again = 400 * np.log(quarters["cpi"].to_numpy()[1:] / quarters["cpi"].to_numpy()[:-1])
      {"infl": np.max(np.abs(again - rest["infl"])), "realint": max(abs(rest["tbilrate"] - rest["infl"] - rest["realint"]))}
  reject:
    - code: |
        quarters = quarters.replace({"infl": {0: np.nan}, "realint": {0: np.nan}})
        again = 400 * quarters["cpi"].pct_change()
        real = quarters["tbilrate"] - quarters["infl"] - quarters["realint"]
        {"infl": (again - quarters["infl"]).abs().max(), "realint": real.abs().max()}
      why: relative changes in place of logarithms
    - code: |
        again = 400 * np.log(quarters["cpi"]).diff()
        real = quarters["tbilrate"] - quarters["infl"] - quarters["realint"]
        found = {"infl": (again - quarters["infl"]).abs().max(), "realint": real.abs().max()}
        quarters.loc[quarters.index[0], ["infl", "realint"]] = np.nan
        found
      why: the placeholder counts as the largest difference
    - code: |
        again = 400 * np.log(quarters["cpi"]).diff()
        real = (quarters["tbilrate"] - quarters["infl"] - quarters["realint"]).iloc[1:]
        {"infl": (again - quarters["infl"]).abs().max(), "realint": real.abs().max()}
      why: the placeholders stay
"""

quarters.loc[quarters.index[0], ["infl", "realint"]] = np.nan
_inflation_gap = (400 * np.log(quarters["cpi"]).diff() - quarters["infl"]).abs()
_real_gap = (quarters["tbilrate"] - quarters["infl"] - quarters["realint"]).abs()
{"infl": float(_inflation_gap.max()), "realint": float(_real_gap.max())}

# %% Rates of growth
"""
id: growth-rates
query: |
  Make a DataFrame `growth` with the index of `quarters` and three columns, all in percent: `quarterly`, the growth of
  `realgdp` on the quarter before at an annual rate (four quarters like this one, compounded); `yearly`, its growth on
  the same quarter of the year before; and `per_head`, the same for `realgdp` per inhabitant (`pop`). Keep the quarters
  without a rate, as missing values. Return a list of the quarters (as periods) in which the economy grew over the year
  but shrank per inhabitant: `yearly` above 0, `per_head` below 0.
knowledge_points: [growth on the year before, annual rate, ratio of columns]
tags: [time series]
difficulty: medium
validator:
  namespace_check:
    growth:
      atol: 0.0051
      rtol: 0.0
      equality: {column-order: correct}
  result:
    equality: {container: correct}
examples:
  accept:
    - |
      gdp = quarters["realgdp"]
      growth = pd.DataFrame(index=quarters.index)
      growth["quarterly"] = 100 * np.expm1(4 * np.log(gdp).diff())
      growth["yearly"] = 100 * (gdp / gdp.shift(4) - 1)
      growth["per_head"] = 100 * ((1 + growth["yearly"] / 100) / (quarters["pop"] / quarters["pop"].shift(4)) - 1)
      growth.query("yearly > 0 > per_head").index
  reject:
    - code: |
        growth = pd.DataFrame({"quarterly": 400 * quarters["realgdp"].pct_change(), "yearly": 100 * quarters["realgdp"].pct_change(4)})
        growth["per_head"] = 100 * (quarters["realgdp"] / quarters["pop"]).pct_change(4)
        growth[(growth["yearly"] > 0) & (growth["per_head"] < 0)].index.tolist()
      why: four times the rate, not compounded
    - code: |
        growth = pd.DataFrame({"quarterly": 100 * ((1 + quarters["realgdp"].pct_change()) ** 4 - 1)})
        growth["yearly"] = growth["quarterly"].rolling(4).mean()
        growth["per_head"] = growth["yearly"] - 100 * quarters["pop"].pct_change(4)
        growth[(growth["yearly"] > 0) & (growth["per_head"] < 0)].index.tolist()
      why: a mean of rates is no growth on the year before
    - code: |
        growth = pd.DataFrame({"quarterly": 100 * ((1 + quarters["realgdp"].pct_change()) ** 4 - 1)})
        growth["yearly"] = 100 * quarters["realgdp"].pct_change(4)
        growth["per_head"] = growth["yearly"] / quarters["pop"]
        growth[(growth["yearly"] > 0) & (growth["per_head"] < 0)].index.tolist()
      why: divides the rate by the inhabitants
"""

_gdp = quarters["realgdp"]
growth = pd.DataFrame(
    {
        "quarterly": 100 * ((_gdp / _gdp.shift()) ** 4 - 1),
        "yearly": 100 * _gdp.pct_change(4),
        "per_head": 100 * (_gdp / quarters["pop"]).pct_change(4),
    }
)
growth.index[(growth["yearly"] > 0) & (growth["per_head"] < 0)].tolist()

# %% Spells of a condition
"""
id: spells-function
query: |
  Several questions below ask how long something lasted. Write a function `spells(flags)` for a Series of truth values
  in the order of time, whose labels are unique. It returns a DataFrame with one row for each longest possible run of
  consecutive True values, in the order of time, and the columns `first` and `last` (labels of the first and of the last
  value of the run) and `length` (number of values). Without any True it returns a DataFrame without rows, with these
  columns.
knowledge_points: [functions, runs, cumulative sums]
tags: [functions, runs]
difficulty: medium
validator:
  template: intact
  table_test:
    function_name: spells
    test_cases:
      - ['`pd.Series([False, True, True, False, True, False])`']
      - ['`pd.Series([True, True, False, False, True], index=list("vwxyz"))`']
      - ['`pd.Series([True, True, True], index=pd.period_range("2001Q1", periods=3, freq="Q"))`']
      - ['`pd.Series([False, False, False], index=[3, 5, 8])`']
      - ['`pd.Series([True, False, True, True, False, False, True], index=[3, 6, 8, 9, 10, 15, 16])`']
      - ['`pd.Series(np.random.rand(40) < 0.6, index=pd.date_range("2000-01-01", periods=40, freq="MS"))`']
      - //
    output_checker:
      ignore_index: true
      equality: {column-order: correct}
examples:
  accept:
    - |
      def spells(flags):
          rows, start, before = [], None, None
          for label, flag in [*flags.items(), (None, False)]:
              if flag and start is None:
                  start, length = label, 0
              if flag:
                  length, before = length + 1, label
              elif start is not None:
                  rows.append((start, before, length))
                  start = None
          return pd.DataFrame(rows, columns=["first", "last", "length"])
    - |
      def spells(flags):
          padded = np.concatenate([[0], flags.astype(int).to_numpy(), [0]])
          starts, ends = np.flatnonzero(np.diff(padded) == 1), np.flatnonzero(np.diff(padded) == -1)
          return pd.DataFrame({"first": flags.index[starts], "last": flags.index[ends - 1], "length": ends - starts})
  reject:
    - code: |
        def spells(flags):
            rows, start = [], None
            for place, flag in enumerate(flags):
                if flag and start is None:
                    start = place
                if not flag and start is not None:
                    rows.append((flags.index[start], flags.index[place - 1], place - start))
                    start = None
            return pd.DataFrame(rows, columns=["first", "last", "length"])
      why: loses a run at the end
    - code: |
        def spells(flags):
            run = (flags != flags.shift()).cumsum()
            labels = flags.index.to_series()
            return labels.groupby(run).agg(first="first", last="last", length="size").reset_index(drop=True)
      why: runs of False count as well
    - code: |
        def spells(flags):
            starts = flags.index[flags & ~flags.shift(fill_value=False)]
            ends = flags.index[flags & ~flags.shift(-1, fill_value=False)]
            return pd.DataFrame({"first": starts, "last": ends, "length": [b - a + 1 for a, b in zip(starts, ends)]})
      why: takes labels for positions
"""


def spells(flags):
    _run = (~flags).cumsum()[flags]
    _labels = flags.index.to_series()[flags]
    return _labels.groupby(_run).agg(first="first", last="last", length="size").reset_index(drop=True)


# %% Recessions
"""
id: recessions
query: |
  By a rule of thumb, the economy is in recession when `realgdp` falls in two or more consecutive quarters. Find these
  recessions in `quarters` and store them in a DataFrame `recessions`, in the order of time: `first` and `last` (the
  first and the last quarter in which `realgdp` is below that of the quarter before), `length` (number of quarters) and
  `fall` (by how many percent `realgdp` in `last` lies below the quarter before `first`, as a positive number). Return
  the number of quarters with a falling `realgdp` that belong to no recession.
knowledge_points: [using a function, lookup by period, recession dating]
tags: [turning points, runs]
difficulty: medium
validator:
  namespace_check:
    recessions:
      ignore_index: true
      atol: 0.0051
      rtol: 0.0
      equality: {column-order: correct}
  result:
examples:
  accept:
    - |
      falling = growth["quarterly"] < 0
      found = spells(falling)
      recessions = found[found["length"] > 1].copy()
      level = quarters["realgdp"]
      recessions["fall"] = [100 * (1 - level[row.last] / level[row.first - 1]) for row in recessions.itertuples()]
      found.loc[found["length"] == 1, "length"].sum()
    - |
      change = np.log(quarters["realgdp"]).diff()
      found = spells(change < 0)
      recessions = found[found["length"] >= 2].reset_index(drop=True)
      depth = [change[row.first : row.last].sum() for row in recessions.itertuples()]
      recessions["fall"] = (-100 * np.expm1(depth)).round(2)
      int((change < 0).sum() - recessions["length"].sum())
  reject:
    - code: |
        falling = quarters["realgdp"].diff() < 0
        found = spells(falling)
        recessions = found[found["length"] >= 2].reset_index(drop=True)
        level = quarters["realgdp"]
        recessions["fall"] = [100 * (1 - level[row.last] / level[row.first]) for row in recessions.itertuples()]
        int(falling.sum() - recessions["length"].sum())
      why: the first quarter of the fall is left out
    - code: |
        falling = growth["yearly"] < 0
        found = spells(falling)
        recessions = found[found["length"] >= 2].reset_index(drop=True)
        level = quarters["realgdp"]
        recessions["fall"] = [100 * (1 - level[row.last] / level[row.first - 1]) for row in recessions.itertuples()]
        int(falling.sum() - recessions["length"].sum())
      why: below the year before, not the quarter before
    - code: |
        falling = quarters["realgdp"].diff() < 0
        found = spells(falling)
        recessions = found[found["length"] >= 2].reset_index(drop=True)
        level = quarters["realgdp"]
        recessions["fall"] = [100 * (1 - level[row.last] / level[row.first - 1]) for row in recessions.itertuples()]
        int(falling.sum())
      why: counts all falling quarters
"""

_is_falling = quarters["realgdp"].diff() < 0
_found = spells(_is_falling)
recessions = _found[_found["length"] >= 2].reset_index(drop=True)
_start, _end = (quarters["realgdp"].reindex(recessions[name]).to_numpy() for name in ("first", "last"))
_before = quarters["realgdp"].shift().reindex(recessions["first"]).to_numpy()
recessions["fall"] = 100 * (1 - _end / _before)
int(_is_falling.sum() - recessions["length"].sum())

# %% What fell
"""
id: what-fell
query: |
  What brought `realgdp` down in each of the `recessions`? Split its change from the quarter before `first` to `last`
  into the changes of `realcons`, `realinv` and `realgovt` and what remains, each in percent of `realgdp` in the quarter
  before `first`. Return a DataFrame with one row per recession, in the order of time, and the columns `first`,
  `realcons`, `realinv`, `realgovt` and `other` (foreign trade, and what chained dollars leave over); the last four add
  up to minus `fall`.
knowledge_points: [contributions to growth, lookup by period, residual category]
tags: [contributions, time series]
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
      rows = []
      for recession in recessions.itertuples():
          start, end = quarters.loc[recession.first - 1], quarters.loc[recession.last]
          row = {name: 100 * (end[name] - start[name]) / start["realgdp"] for name in ("realcons", "realinv", "realgovt")}
          rows.append({"first": recession.first, **row, "other": -recession.fall - sum(row.values())})
      pd.DataFrame(rows).round(2)
  reject:
    - code: |
        names = ["realcons", "realinv", "realgovt"]
        start, end = quarters.loc[recessions["first"] - 1], quarters.loc[recessions["last"]]
        table = pd.DataFrame(100 * (end[names].to_numpy() / start[names].to_numpy() - 1), columns=names)
        table.insert(0, "first", recessions["first"])
        table["other"] = -recessions["fall"] - table[names].sum(axis=1)
        table
      why: growth of each component, not its contribution
    - code: |
        names = ["realcons", "realinv", "realgovt"]
        start, end = quarters.loc[recessions["first"]], quarters.loc[recessions["last"]]
        table = pd.DataFrame(100 * (end[names].to_numpy() - start[names].to_numpy()) / start[["realgdp"]].to_numpy(), columns=names)
        table.insert(0, "first", recessions["first"])
        table["other"] = -recessions["fall"] - table[names].sum(axis=1)
        table
      why: starts in the first quarter of the fall
    - code: |
        names = ["realcons", "realinv", "realgovt"]
        start, end = quarters.loc[recessions["first"] - 1], quarters.loc[recessions["last"]]
        moved = end[names].to_numpy() - start[names].to_numpy()
        total = (end["realgdp"].to_numpy() - start["realgdp"].to_numpy())[:, None]
        table = pd.DataFrame(100 * moved / total, columns=names)
        table.insert(0, "first", recessions["first"])
        table["other"] = 100 - table[names].sum(axis=1)
        table
      why: percent of the fall
"""

_components = ["realcons", "realinv", "realgovt"]
_start = quarters.loc[recessions["first"] - 1].reset_index(drop=True)
_end = quarters.loc[recessions["last"]].reset_index(drop=True)
_moved = (_end - _start).div(_start["realgdp"], axis="index") * 100
_split = pd.concat([recessions[["first"]], _moved[_components]], axis="columns")
_split["other"] = _moved["realgdp"] - _moved[_components].sum(axis="columns")
_split

# %% Unemployment in a recession
"""
id: unemployment-after
query: |
  How much does unemployment rise in a recession, and how long after? For each of the `recessions` take `unemp` in the
  quarter before `first`, and its highest value in the eight quarters that begin with `first` (or as many of them as the
  data has). Return a DataFrame with one row per recession, in the order of time: `first`, `before`, `highest`, and
  `quarters` (number of quarters from `first` to the one with the highest value; 0 if that is `first` itself).
knowledge_points: [event windows, position of the maximum, periods]
tags: [turning points, rolling]
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
      rows = []
      for first in recessions["first"]:
          window = quarters.loc[first : first + 7, "unemp"].to_numpy()
          rows.append((first, quarters["unemp"][first - 1], window.max(), window.argmax()))
      pd.DataFrame(rows, columns=["first", "before", "highest", "quarters"])
  reject:
    - code: |
        rows = []
        for first, last in zip(recessions["first"], recessions["last"]):
            window = quarters.loc[first:last, "unemp"].to_numpy()
            rows.append((first, quarters["unemp"][first - 1], window.max(), window.argmax()))
        pd.DataFrame(rows, columns=["first", "before", "highest", "quarters"])
      why: looks no further than the end of the recession
    - code: |
        rows = []
        for first in recessions["first"]:
            window = quarters.loc[first : first + 7, "unemp"].to_numpy()
            rows.append((first, quarters["unemp"][first], window.max(), window.argmax()))
        pd.DataFrame(rows, columns=["first", "before", "highest", "quarters"])
      why: starts from the first quarter of the recession
    - code: |
        rows = []
        for first in recessions["first"]:
            window = quarters.loc[first - 1 : first + 7, "unemp"].to_numpy()
            rows.append((first, window[0], window.max(), window.argmax()))
        pd.DataFrame(rows, columns=["first", "before", "highest", "quarters"])
      why: counts from the quarter before
"""

_windows = {first: quarters["unemp"].loc[first : first + 7].to_numpy() for first in recessions["first"]}
_highest = [window.max() for window in _windows.values()]
_waited = [int(window.argmax()) for window in _windows.values()]
_before = quarters["unemp"].reindex(recessions["first"] - 1).to_numpy()
pd.DataFrame({"first": recessions["first"], "before": _before, "highest": _highest, "quarters": _waited})

# %% Back at the old level
"""
id: quarters-to-recover
query: |
  How long did it take until the economy was back where it had been before each of the `recessions`? Count the quarters
  from the one before `first` to the first quarter after `last` in which the old level (that of the quarter before
  `first`) is reached or exceeded; missing if the data ends before. Count for `realgdp` and for `realgdp` per inhabitant
  (`pop`). Return a DataFrame with one row per recession, in the order of time, and the columns `first`, `total` and
  `per_head`.
knowledge_points: [first position of a condition, periods, censored durations]
tags: [turning points]
difficulty: hard
validator:
  result:
    ignore_index: true
    equality: {column-order: correct}
examples:
  accept:
    - |
      per_head = quarters["realgdp"] / quarters["pop"]
      table = {"first": recessions["first"], "total": [], "per_head": []}
      for name, level in (("total", quarters["realgdp"]), ("per_head", per_head)):
          for first, last in zip(recessions["first"], recessions["last"]):
              start = level.index.get_loc(first) - 1
              later = range(level.index.get_loc(last) + 1, len(level))
              back = [place - start for place in later if level.iloc[place] >= level.iloc[start]]
              table[name].append(back[0] if back else np.nan)
      pd.DataFrame(table)
  reject:
    - code: |
        rows = []
        for first, last in zip(recessions["first"], recessions["last"]):
            row = [first]
            for level in (quarters["realgdp"], quarters["realgdp"] / quarters["pop"]):
                back = level[last:].index[level[last:] >= level[first - 1]]
                row.append((back[0] - last).n if len(back) else np.nan)
            rows.append(row)
        pd.DataFrame(rows, columns=["first", "total", "per_head"])
      why: counts from the end of the recession
    - code: |
        rows = []
        for first, last in zip(recessions["first"], recessions["last"]):
            row = [first]
            for level in (quarters["realgdp"], quarters["realgdp"] / quarters["pop"]):
                back = level[last:].index[level[last:] >= level[first]]
                row.append((back[0] - first).n + 1 if len(back) else np.nan)
            rows.append(row)
        pd.DataFrame(rows, columns=["first", "total", "per_head"])
      why: the level of the first quarter of the recession, already lower
    - code: |
        rows = []
        for first, last in zip(recessions["first"], recessions["last"]):
            row = [first]
            for rates in (quarters["realgdp"], growth["per_head"].fillna(0).add(100).cumprod()):
                back = rates[last:].index[rates[last:] >= rates[first - 1]]
                row.append((back[0] - first).n + 1 if len(back) else np.nan)
            rows.append(row)
        pd.DataFrame(rows, columns=["first", "total", "per_head"])
      why: chains rates on the year before as if they were on the quarter before
"""

_levels = {"total": quarters["realgdp"], "per_head": quarters["realgdp"] / quarters["pop"]}
_waits = {"first": recessions["first"]}
for _name, _level in _levels.items():
    _waits[_name] = []
    for _first, _last in zip(recessions["first"], recessions["last"]):
        _later = _level.loc[_last + 1 :]
        _regained = _later.index[_later >= _level[_first - 1]]
        _waits[_name].append((_regained[0] - (_first - 1)).n if len(_regained) else np.nan)
pd.DataFrame(_waits)

# %% More people or more for each
"""
id: growth-by-decade
query: |
  How much of the growth was more people, and how much was more for each of them? For the decades 1960 (from 1960Q1 to
  1970Q1), 1970, 1980 and 1990, take the mean yearly growth in log points (100 times the difference of natural
  logarithms between the two ends, divided by 10 years), so that the parts add up. Return a DataFrame with the columns
  `decade` (1960 to 1990), `total` (of `realgdp`), `population` (of `pop`) and `per_head` (of `realgdp` per inhabitant).
knowledge_points: [log growth, decomposition, periods]
tags: [contributions, time series]
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
      ends = quarters.loc[pd.PeriodIndex([f"{year}Q1" for year in range(1960, 2001, 10)], freq="Q"), ["realgdp", "pop"]]
      steps = 10 * np.log(ends).diff().dropna()
      steps.columns = ["total", "population"]
      steps.insert(0, "decade", [1960, 1970, 1980, 1990])
      steps.assign(per_head=steps["total"] - steps["population"])
  reject:
    - code: |
        ends = quarters.loc[pd.PeriodIndex([f"{year}Q1" for year in range(1960, 2001, 10)], freq="Q")]
        table = pd.DataFrame({"total": ends["realgdp"], "population": ends["pop"], "per_head": ends["realgdp"] / ends["pop"]})
        table = 100 * ((table / table.shift()) ** 0.1 - 1)
        table.dropna().assign(decade=[1960, 1970, 1980, 1990])[["decade", "total", "population", "per_head"]]
      why: compound rates, which do not add up
    - code: |
        rows = []
        for decade in (1960, 1970, 1980, 1990):
            own = quarters.loc[f"{decade}Q1":f"{decade + 9}Q4"]
            change = 10 * np.log(own[["realgdp", "pop"]].iloc[-1] / own[["realgdp", "pop"]].iloc[0])
            rows.append((decade, change["realgdp"], change["pop"], change["realgdp"] - change["pop"]))
        pd.DataFrame(rows, columns=["decade", "total", "population", "per_head"])
      why: ends with the last quarter of the decade, after 9.75 years
"""

_ends = quarters.loc[pd.PeriodIndex([f"{year}Q1" for year in range(1960, 2001, 10)], freq="Q")]
_levels = pd.DataFrame({"total": _ends["realgdp"], "population": _ends["pop"]})
_levels["per_head"] = _levels["total"] / _levels["population"]
_parts = (10 * np.log(_levels)).diff().iloc[1:].reset_index(drop=True)
_parts.insert(0, "decade", range(1960, 2000, 10))
_parts

# %% When money cost less than nothing
"""
id: negative-real-rates
query: |
  When did treasury bills yield less than prices rose? The rates on the quarter before jump about, so take inflation as
  the growth of `cpi` on the same quarter of the year before, in percent, and add `real_rate` = `tbilrate` - inflation
  as a column to `quarters`. With `spells`, find the times with a `real_rate` below 0 that lasted at least four
  quarters. Return a DataFrame in the order of time: `first`, `last`, `length` and `lowest`, the lowest `real_rate` of
  that time.
knowledge_points: [growth on the year before, using a function, minimum in a window]
tags: [runs, time series]
difficulty: medium
validator:
  namespace_check:
    quarters:
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
      quarters["real_rate"] = quarters["tbilrate"] - (quarters["cpi"] / quarters["cpi"].shift(4) - 1) * 100
      table = spells(quarters["real_rate"].lt(0)).query("length > 3").reset_index(drop=True)
      table["lowest"] = [min(quarters["real_rate"][row.first : row.last]) for row in table.itertuples()]
      table
  reject:
    - code: |
        quarters["real_rate"] = quarters["realint"]
        table = spells(quarters["real_rate"] < 0).query("length >= 4").reset_index(drop=True)
        table["lowest"] = [quarters["real_rate"][row.first : row.last].min() for row in table.itertuples()]
        table
      why: inflation on the quarter before
    - code: |
        quarters["real_rate"] = quarters["tbilrate"] - 100 * quarters["cpi"].pct_change(4)
        table = spells(quarters["real_rate"] < 0).query("length > 4").reset_index(drop=True)
        table["lowest"] = [quarters["real_rate"][row.first : row.last].min() for row in table.itertuples()]
        table
      why: leaves out the time of exactly four quarters
    - code: |
        quarters["real_rate"] = quarters["tbilrate"] - quarters["infl"].rolling(4).mean()
        table = spells(quarters["real_rate"] < 0).query("length >= 4").reset_index(drop=True)
        table["lowest"] = [quarters["real_rate"][row.first : row.last].min() for row in table.itertuples()]
        table
      why: a mean of logarithmic changes is a little less than the growth on the year before
"""

quarters["real_rate"] = quarters["tbilrate"] - 100 * quarters["cpi"].pct_change(4)
_times = spells(quarters["real_rate"] < 0)
_times = _times[_times["length"] >= 4].reset_index(drop=True)
_times["lowest"] = [quarters["real_rate"].loc[first:last].min() for first, last in zip(_times["first"], _times["last"])]
_times

# %% When the economy calmed down
"""
id: calmer-from
query: |
  Economists speak of a great moderation: from some quarter on, growth fluctuated less. Date it from `quarterly` in
  `growth` (without its missing value): split the series into an earlier part of n1 and a later part of n2 quarters, at
  least 40 each, so that n1 * ln(v1) + n2 * ln(v2) is smallest, where v1 and v2 are the variances of the two parts
  around their own means (divided by n1 and n2). Store the first quarter of the later part, a period, as `calm_from`.
  Return a tuple: the sample standard deviation of the earlier part, that of the later part, and by how much the
  smallest sum lies below n * ln(v) of the undivided series.
knowledge_points: [structural break, search over splits, variance]
tags: [statistics, time series]
difficulty: hard
validator:
  namespace_check:
    calm_from:
  result:
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      rates = growth["quarterly"].dropna()

      def cost(part):
          return len(part) * np.log(part.var(ddof=0))

      costs = {rates.index[n]: cost(rates.iloc[:n]) + cost(rates.iloc[n:]) for n in range(40, len(rates) - 40 + 1)}
      calm_from = min(costs, key=costs.get)
      rates[: calm_from - 1].std(), rates[calm_from:].std(), cost(rates) - costs[calm_from]
  reject:
    - code: |
        rates = growth["quarterly"].dropna()
        places = range(40, len(rates) - 39)
        costs = [len(rates[:n]) * rates[:n].var(ddof=0) + len(rates[n:]) * rates[n:].var(ddof=0) for n in places]
        split = 40 + int(np.argmin(costs))
        calm_from = rates.index[split]
        float(rates[:split].std()), float(rates[split:].std()), len(rates) * rates.var(ddof=0) - min(costs)
      why: sum of squares, which finds a change of the mean
    - code: |
        rates = growth["quarterly"].dropna()
        costs = {n: n * np.log((rates[:n]**2).mean()) + (len(rates) - n) * np.log((rates[n:]**2).mean()) for n in range(40, len(rates) - 39)}
        split = min(costs, key=costs.get)
        calm_from = rates.index[split]
        rates[:split].std(), rates[split:].std(), len(rates) * np.log((rates**2).mean()) - costs[split]
      why: mean squares around zero
    - code: |
        rates = growth["quarterly"].dropna()
        costs = {n: n * np.log(rates[:n].var()) + (len(rates) - n) * np.log(rates[n:].var()) for n in range(40, len(rates) - 39)}
        split = min(costs, key=costs.get)
        calm_from = rates.index[split]
        rates[:split].std(), rates[split:].std(), len(rates) * np.log(rates.var()) - costs[split]
      why: variances divided by n - 1
    - code: |
        rates = growth["quarterly"].dropna()
        costs = {n: n * np.log(rates[:n].var(ddof=0)) + (len(rates) - n) * np.log(rates[n:].var(ddof=0)) for n in range(40, len(rates) - 39)}
        split = min(costs, key=costs.get)
        calm_from = rates.index[split - 1]
        rates[:split].std(), rates[split:].std(), len(rates) * np.log(rates.var(ddof=0)) - costs[split]
      why: last quarter of the earlier part
"""

_rates = growth["quarterly"].dropna()
_values = _rates.to_numpy()
_places = np.arange(40, len(_values) - 39)
_costs = [n * np.log(_values[:n].var()) + (len(_values) - n) * np.log(_values[n:].var()) for n in _places]
_split = _places[int(np.argmin(_costs))]
calm_from = _rates.index[_split]
_gain = len(_values) * np.log(_values.var()) - min(_costs)
float(_values[:_split].std(ddof=1)), float(_values[_split:].std(ddof=1)), float(_gain)

# %% How much growth keeps unemployment steady
"""
id: steady-unemployment
query: |
  How much growth keeps unemployment steady, and has that changed since `calm_from`? Regress the change of `unemp` on
  the same quarter of the year before (in percentage points) on `yearly` in `growth`, by least squares with an
  intercept, once for the quarters before `calm_from` and once from it on. Return a DataFrame with the rows `before` and
  `since` as index and the columns `slope` and `steady`, the yearly growth at which the line predicts no change of
  unemployment.
knowledge_points: [simple regression, root of a line, comparing periods]
tags: [regression, time series]
difficulty: hard
execution:
  max_time: 10
validator:
  result:
    atol: 0.0051
    rtol: 0.0
    equality: {column-order: correct}
examples:
  accept:
    - |
      change = (quarters["unemp"] - quarters["unemp"].shift(4)).rename("change")
      pairs = pd.concat([growth["yearly"], change], axis=1).dropna()
      rows = {}
      for name, part in (("before", pairs[pairs.index < calm_from]), ("since", pairs[pairs.index >= calm_from])):
          slope = part["yearly"].cov(part["change"]) / part["yearly"].var()
          rows[name] = {"slope": slope, "steady": part["yearly"].mean() - part["change"].mean() / slope}
      pd.DataFrame(rows).T.round(3)
  reject:
    - code: |
        change = quarters["unemp"].diff(4)
        lines = {}
        for name, mask in (("before", growth.index < calm_from), ("since", growth.index >= calm_from)):
            known = mask & growth["yearly"].notna()
            slope, start = np.polyfit(change[known], growth.loc[known, "yearly"], 1)
            lines[name] = {"slope": slope, "steady": start}
        pd.DataFrame(lines).T
      why: regresses growth on unemployment
    - code: |
        change = quarters["unemp"].diff()
        lines = {}
        for name, mask in (("before", growth.index < calm_from), ("since", growth.index >= calm_from)):
            known = mask & growth["yearly"].notna()
            slope, start = np.polyfit(growth.loc[known, "yearly"], change[known], 1)
            lines[name] = {"slope": slope, "steady": -start / slope}
        pd.DataFrame(lines).T
      why: change of unemployment on the quarter before
    - code: |
        change = quarters["unemp"].diff(4)
        lines = {}
        for name, mask in (("before", growth.index < calm_from), ("since", growth.index >= calm_from)):
            known = mask & growth["yearly"].notna()
            slope, start = np.polyfit(growth.loc[known, "yearly"], change[known], 1)
            lines[name] = {"slope": slope, "steady": start}
        pd.DataFrame(lines).T
      why: the intercept is the change without growth
"""

_change = quarters["unemp"].diff(4)
_lines = {}
for _name, _mask in (("before", growth.index < calm_from), ("since", growth.index >= calm_from)):
    _known = _mask & growth["yearly"].notna() & _change.notna()
    _slope, _intercept = np.polyfit(growth.loc[_known, "yearly"], _change[_known], 1)
    _lines[_name] = {"slope": _slope, "steady": -_intercept / _slope}
pd.DataFrame.from_dict(_lines, orient="index")

# %% Unemployment from growth
"""
id: unemployment-model
query: |
  Does growth foretell unemployment in times that a model has not seen? On the quarters up to 1989Q4, fit a regressor
  `unemployment_model` that predicts the change of `unemp` on the same quarter of the year before, from a DataFrame with
  the columns `now` (`yearly` of `growth` in that quarter) and `earlier` (`yearly` in the quarter before), in this
  order. On the quarters from 1990Q1 on, its root mean squared error may be at most 10 % larger than that of a linear
  regression fitted to the same quarters.
knowledge_points: [regression model, train and test split by time, lagged predictors]
tags: [models, time series]
difficulty: hard
execution:
  max_time: 20
validator:
  template: intact
  model:
    model_name: unemployment_model
    inputs_name: _later_growth
    labels_name: _later_change
    metric_type: rmse
    tolerance: 0.1
examples:
  accept:
    - |
      from sklearn.linear_model import Ridge
      table = pd.DataFrame({"now": growth["yearly"], "earlier": growth["yearly"].shift(), "change": quarters["unemp"].diff(4)})
      table = table[: pd.Period("1989Q4")].dropna()
      unemployment_model = Ridge().fit(table[["now", "earlier"]], table["change"])
    - |
      table = pd.DataFrame({"now": growth["yearly"], "earlier": growth["yearly"].shift()})["1960Q2":"1989Q4"]
      unemployment_model = LinearRegression().fit(table, quarters["unemp"].diff(4)["1960Q2":"1989Q4"])
  reject:
    - code: |
        table = pd.DataFrame({"now": growth["yearly"], "earlier": growth["yearly"].shift()})["1960Q2":"1989Q4"]
        unemployment_model = LinearRegression().fit(table, quarters["unemp"]["1960Q2":"1989Q4"])
      verdict: BAD_MODEL
      why: predicts the rate, not its change
    - code: |
        table = pd.DataFrame({"now": growth["yearly"], "earlier": growth["yearly"].shift()})["1960Q2":"1989Q4"]
        unemployment_model = LinearRegression().fit(table, quarters["unemp"].diff()["1960Q2":"1989Q4"])
      verdict: BAD_MODEL
      why: change on the quarter before
    - code: |
        from sklearn.dummy import DummyRegressor
        table = pd.DataFrame({"now": growth["yearly"], "earlier": growth["yearly"].shift()})["1960Q2":"1989Q4"]
        unemployment_model = DummyRegressor().fit(table, quarters["unemp"].diff(4)["1960Q2":"1989Q4"])
      verdict: BAD_MODEL
      why: always the mean change
"""

_table = pd.DataFrame({"now": growth["yearly"], "earlier": growth["yearly"].shift()})
_table = _table.assign(change=quarters["unemp"].diff(4)).dropna()
_is_later = _table.index >= pd.Period("1990Q1")
_later_growth, _later_change = _table.loc[_is_later, ["now", "earlier"]], _table.loc[_is_later, "change"]
unemployment_model = LinearRegression()
unemployment_model.fit(_table.loc[~_is_later, ["now", "earlier"]], _table.loc[~_is_later, "change"])

# %% Forecasts one quarter ahead
"""
id: one-quarter-ahead
query: |
  Can the growth of the next quarter be forecast from growth alone? For each quarter from 1990Q1 to the end, forecast
  `quarterly` of `growth` from the quarters before it only, in three ways: `mean`, the mean of all of them; `last`, the
  value of the quarter before; `ar1`, a least-squares line of growth on growth one quarter before (with an intercept),
  refitted for each forecast to all pairs of neighbouring quarters known by then. Return a Series with the root mean
  squared errors of the three, labelled so, smallest first.
knowledge_points: [expanding window, autoregression, root mean squared error]
tags: [forecasting, models]
difficulty: hard
execution:
  max_time: 10
validator:
  result:
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      rates = growth["quarterly"].dropna()
      table = pd.DataFrame({"seen": rates, "mean": rates.expanding().mean().shift(), "last": rates.shift()})
      before = rates.shift()
      slope = before.expanding().cov(rates) / before[1:].expanding().var()
      start = rates[1:].expanding().mean() - slope * before[1:].expanding().mean()
      table["ar1"] = start.shift() + slope.shift() * before
      table = table[pd.Period("1990Q1") :]
      ((table[["mean", "last", "ar1"]].sub(table["seen"], axis=0) ** 2).mean() ** 0.5).sort_values().round(3)
  reject:
    - code: |
        rates = growth["quarterly"].dropna()
        seen, before = rates[pd.Period("1990Q1") :], rates.shift()[pd.Period("1990Q1") :]
        slope, start = np.polyfit(rates.to_numpy()[:-1], rates.to_numpy()[1:], 1)
        errors = {"mean": seen - rates.mean(), "last": seen - before, "ar1": seen - start - slope * before}
        np.sqrt((pd.DataFrame(errors) ** 2).mean()).sort_values()
      why: knows the whole series beforehand
    - code: |
        rates = growth["quarterly"].dropna()
        known, seen, before = rates["1959Q2":"1989Q4"], rates["1990Q1":], rates.shift()["1990Q1":]
        slope, start = np.polyfit(known.to_numpy()[:-1], known.to_numpy()[1:], 1)
        errors = {"mean": seen - known.mean(), "last": seen - before, "ar1": seen - start - slope * before}
        np.sqrt((pd.DataFrame(errors) ** 2).mean()).sort_values()
      why: fitted once, not for each forecast
    - code: |
        values = growth["quarterly"].dropna().to_numpy()
        rows = []
        for n in range(len(values) - 79, len(values)):
            slope, start = np.polyfit(values[: n - 1], values[1:n], 1)
            rows.append((values[n] - values[:n].mean(), values[n] - values[n - 1], values[n] - start - slope * values[n - 1]))
        pd.DataFrame(rows, columns=["mean", "last", "ar1"]).abs().mean().sort_values()
      why: mean absolute errors
"""

_rates = growth["quarterly"].dropna()
_values = _rates.to_numpy()
_rows = []
for _n in range(_rates.index.get_loc(pd.Period("1990Q1")), len(_values)):
    _slope, _intercept = np.polyfit(_values[: _n - 1], _values[1:_n], 1)
    _guesses = np.array([_values[:_n].mean(), _values[_n - 1], _intercept + _slope * _values[_n - 1]])
    _rows.append(_values[_n] - _guesses)
_errors = pd.DataFrame(_rows, columns=["mean", "last", "ar1"])
np.sqrt((_errors**2).mean()).sort_values()
