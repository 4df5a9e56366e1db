# language_version: 3
# Seventeen years of electricity in Iowa: shares, turning points, who stands in for whom, carbon, forecasts tested.
# Data: _inputs/shares_and_forecasts/iowa_electricity.csv (US EIA, public domain), see README.md.

# %% Preparation
import numpy as np
import pandas as pd

# %% Read the generation
"""
id: read-generation
query: |
  Read `inputs/iowa_electricity.csv` into a DataFrame `generation` and turn `year` into whole numbers (2001, 2002,
  ...). `net_generation` is in gigawatt hours (GWh), one row per year and source. Does every source have every year?
  Return the first year, the last year, the number of sources, and the number of rows that are missing or too many for
  one row per source and year, as a tuple.
knowledge_points: [reading a file, parsing dates, completeness of a table]
tags: [reading, dates]
difficulty: easy
validator:
  namespace_check:
    generation:
examples:
  accept:
    - |
      generation = pd.read_csv("inputs/iowa_electricity.csv")
      generation["year"] = generation["year"].str[:4].astype(int)
      first, last, sources = generation["year"].min(), generation["year"].max(), generation["source"].nunique()
      first, last, sources, abs((last - first + 1) * sources - len(generation))
  reject:
    - code: |
        generation = pd.read_csv("inputs/iowa_electricity.csv", parse_dates=["year"])
        generation["year"].min(), generation["year"].max(), generation["source"].nunique(), 0
      why: years as dates
    - code: |
        generation = pd.read_csv("inputs/iowa_electricity.csv")
        generation["year"] = pd.to_datetime(generation["year"]).astype("int64")
        2001, 2017, generation["source"].nunique(), 0
      why: years as ticks since 1970
"""

generation = pd.read_csv("inputs/iowa_electricity.csv")
generation["year"] = pd.to_datetime(generation["year"]).dt.year
_first, _last = int(generation["year"].min()), int(generation["year"].max())
_sources = generation["source"].nunique()
_expected = pd.MultiIndex.from_product([range(_first, _last + 1), generation["source"].unique()])
_rows_per_pair = generation.groupby(["year", "source"]).size().reindex(_expected, fill_value=0)
_first, _last, _sources, int((_rows_per_pair - 1).abs().sum())

# %% The mix, year by year
"""
id: yearly-mix
query: |
  Make a DataFrame `mix` with the years as index, in order, and the columns `fossil`, `nuclear`, `renewable` and
  `total`, their sum, all in GWh. Return the year with the most electricity and its `total` in terawatt hours (1 TWh is
  1000 GWh), as a tuple.
knowledge_points: [pivoting to wide form, row sums, position of the maximum]
tags: [reshaping]
difficulty: easy
validator:
  namespace_check:
    mix:
      equality: {column-order: correct}
  result:
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      names = {"Fossil Fuels": "fossil", "Nuclear Energy": "nuclear", "Renewables": "renewable"}
      mix = (
          generation.assign(source=generation["source"].map(names))
          .set_index(["year", "source"])["net_generation"]
          .unstack()
      )
      mix = mix.assign(total=mix.sum(axis=1))
      mix["total"].idxmax(), round(mix["total"].max() / 1000, 1)
  reject:
    - code: |
        mix = generation.pivot(index="year", columns="source", values="net_generation")
        mix.columns = ["fossil", "nuclear", "renewable"]
        mix["total"] = mix.mean(axis=1)
        mix["total"].idxmax(), mix["total"].max() / 1000
      why: a mean in place of the sum
    - code: |
        mix = generation.pivot(index="year", columns="source", values="net_generation")
        mix.columns = ["fossil", "nuclear", "renewable"]
        mix["total"] = mix.sum(axis=1)
        mix["fossil"].idxmax(), mix["fossil"].max() / 1000
      why: the year with the most fossil electricity
"""

mix = generation.pivot(index="year", columns="source", values="net_generation")
mix = mix.rename(columns={"Fossil Fuels": "fossil", "Nuclear Energy": "nuclear", "Renewables": "renewable"})
mix.columns.name = None
mix["total"] = mix.sum(axis=1)
int(mix["total"].idxmax()), float(mix["total"].max() / 1000)

# %% Shares and their jumps
"""
id: share-jumps
query: |
  Make a DataFrame `shares` with the years as index and the columns `fossil`, `nuclear` and `renewable`, each source in
  percent of the year's `total` in `mix`. When did each source gain most ground? Return a DataFrame with the columns
  `source` (`fossil`, `nuclear`, `renewable`), `year` (with the largest rise of its share over the year before) and
  `rise` (in percentage points, to 2 decimals).
knowledge_points: [shares of a total, differences, position of the maximum]
tags: [shares, change over time]
difficulty: medium
validator:
  namespace_check:
    shares:
      atol: 0.0051
      rtol: 0.0
      equality: {column-order: correct}
  result:
    ignore_index: true
    ignore_order: true
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      shares = pd.DataFrame({name: 100 * mix[name] / mix["total"] for name in ("fossil", "nuclear", "renewable")})
      rows = []
      for name in shares:
          rises = {year: shares.loc[year, name] - shares.loc[year - 1, name] for year in shares.index[1:]}
          best = max(rises, key=rises.get)
          rows.append({"source": name, "year": best, "rise": rises[best]})
      pd.DataFrame(rows)
  reject:
    - code: |
        shares = mix[["fossil", "nuclear", "renewable"]].div(mix["total"], axis=0) * 100
        rises = shares.pct_change() * 100
        pd.DataFrame({"source": rises.columns, "year": rises.idxmax().to_numpy(), "rise": rises.max().to_numpy()})
      why: percent of the share before, not percentage points
    - code: |
        shares = mix[["fossil", "nuclear", "renewable"]].div(mix["total"], axis=0) * 100
        rises = mix[["fossil", "nuclear", "renewable"]].diff()
        pd.DataFrame({"source": rises.columns, "year": rises.idxmax().to_numpy(), "rise": rises.max().to_numpy()})
      why: gigawatt hours, not shares
    - code: |
        shares = mix[["fossil", "nuclear", "renewable"]].div(mix["total"], axis=0) * 100
        rises = shares.diff().shift(-1)
        pd.DataFrame(
            {"source": rises.columns, "year": rises.idxmax().to_numpy(), "rise": rises.max().round(2).to_numpy()}
        )
      why: names the year before the rise
"""

shares = mix[["fossil", "nuclear", "renewable"]].div(mix["total"], axis=0) * 100
_rises = shares.diff()
pd.DataFrame({"source": _rises.columns, "year": _rises.idxmax().to_numpy(), "rise": _rises.max().round(2).to_numpy()})

# %% How many sources it really is
"""
id: effective-sources
query: |
  Three sources of which one gives nearly everything are hardly more than one. The effective number of sources is 1
  divided by the sum of the squared shares (shares as fractions that add up to 1). Make a Series `effective` of it for
  each year of `shares`, and return the year from which on it always lies above 2, and its value in the last year to 2
  decimals, as a tuple.
knowledge_points: [concentration index, row operations, last time a condition fails]
tags: [shares]
difficulty: medium
validator:
  namespace_check:
    effective:
      atol: 0.0051
      rtol: 0.0
  result:
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      effective = (1 / (shares / 100).pow(2).sum(axis=1))
      below = effective[effective <= 2].index.max()
      (below + 1, effective.loc[2017])
  reject:
    - code: |
        fractions = shares / 100
        effective = np.exp(-(fractions * np.log(fractions)).sum(axis=1))
        int(effective[effective <= 2].index.max()) + 1, round(effective.iloc[-1], 2)
      why: the exponential of the entropy
    - code: |
        effective = (shares**2).sum(axis=1)
        int(effective[effective <= 2].index.max() if (effective <= 2).any() else 2000) + 1, round(effective.iloc[-1], 2)
      why: the sum of squared percentages itself
    - code: |
        effective = 1 / ((shares / 100) ** 2).sum(axis=1)
        int(effective[effective <= 2].index.max()), round(effective.iloc[-1], 2)
      why: the last year that is not above 2
"""

effective = 1 / ((shares / 100) ** 2).sum(axis=1)
_is_above = effective > 2
int(_is_above[~_is_above].index.max()) + 1, round(float(effective.iloc[-1]), 2)

# %% When two curves cross
"""
id: first-crossing-function
query: |
  Write a function `first_crossing(times, a, b)` for three lists, arrays or Series of equal length, matched by
  position, `times` increasing. Between two times both `a` and `b` run along straight lines. It returns the first
  moment, as a float, at which `a` is at least as large as `b`: the first time if that is so from the start, NaN if it
  never happens.
knowledge_points: [functions, linear interpolation, edge cases]
tags: [functions, interpolation]
difficulty: hard
validator:
  template: intact
  table_test:
    function_name: first_crossing
    test_cases:
      - [[2000, 2001, 2002], [1, 2, 5], [3, 3, 3]]
      - [[0, 10, 15, 40], [0.0, 1.0, 2.0, 8.0], [4.0, 4.0, 3.5, 3.0]]
      - [[1, 2, 3], [5, 1, 9], [4, 4, 4]]
      - [[1, 2, 3, 4], [1, 4, 1, 9], [4, 4, 4, 4]]
      - [[1, 2, 3], [1, 2, 3], [4, 4, 4]]
      - [[1, 2, 3, 4, 5], [0, 6, 0, 6, 0], [3, 3, 3, 3, 3]]
      - - [2001, 2002, 2003]
        - '`pd.Series([1.0, 3.0, 6.0], index=[9, 8, 7])`'
        - '`pd.Series([4.0, 4.0, 2.0], index=[7, 8, 9])`'
      - ['`np.arange(12)`', '`np.random.rand(12).cumsum()`', '`np.full(12, 3.0)`']
      - //
examples:
  accept:
    - |
      def first_crossing(times, a, b):
          gaps = [float(x) - float(y) for x, y in zip(a, b)]
          times = [float(time) for time in times]
          if gaps[0] >= 0:
              return times[0]
          for place in range(1, len(gaps)):
              if gaps[place] >= 0:
                  weight = gaps[place - 1] / (gaps[place - 1] - gaps[place])
                  return times[place - 1] + weight * (times[place] - times[place - 1])
          return float("nan")
  reject:
    - code: |
        def first_crossing(times, a, b):
            times, gap = np.asarray(times, dtype=float), np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
            found = np.flatnonzero(gap >= 0)
            return float(times[found[0]]) if len(found) else float("nan")
      why: the first time of the record, without interpolation
    - code: |
        def first_crossing(times, a, b):
            times, gap = np.asarray(times, dtype=float), np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
            found = np.flatnonzero((gap[1:] > 0) & (gap[:-1] <= 0))
            if not len(found):
                return float("nan")
            i = found[0]
            return float(times[i] - gap[i] * (times[i + 1] - times[i]) / (gap[i + 1] - gap[i]))
      why: does not see that it is so from the start
    - code: |
        def first_crossing(times, a, b):
            times, gap = np.asarray(times, dtype=float), np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
            if gap.max() < 0:
                return float("nan")
            return float(np.interp(0, gap, times))
      why: interpolates over a curve that does not only rise
    - code: |
        def first_crossing(times, a, b):
            gap = pd.Series(a) - pd.Series(b)
            if gap.iloc[0] >= 0:
                return float(times[0])
            for i in range(1, len(gap)):
                if gap.iloc[i] >= 0:
                    step = times[i] - times[i - 1]
                    return float(times[i - 1] - gap.iloc[i - 1] * step / (gap.iloc[i] - gap.iloc[i - 1]))
            return float("nan")
      why: matches Series by their labels
"""


def first_crossing(times, a, b):
    times = np.asarray(times, dtype=float)
    gap = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    if (gap < 0).all():
        return float("nan")
    after = int(np.argmax(gap >= 0))
    if after == 0:
        return float(times[0])
    before = after - 1
    way = -gap[before] / (gap[after] - gap[before])
    return float(times[before] + way * (times[after] - times[before]))


# %% Milestones of the renewables
"""
id: milestones
query: |
  With `first_crossing`, and taking each yearly value to stand at its year number: when did renewable electricity in
  `mix` first reach that of nuclear, and half of that of the fossil fuels, and when did its share in `shares` reach a
  quarter? Return a dictionary with the keys `nuclear`, `half of fossil` and `quarter`, times in years to 2 decimals.
knowledge_points: [reusing a function, interpolation]
tags: [interpolation, change over time]
difficulty: medium
validator:
  result:
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      from functools import partial
      reach = partial(first_crossing, list(mix.index), mix["renewable"].tolist())
      {
          "nuclear": reach(mix["nuclear"].tolist()),
          "half of fossil": reach((mix["fossil"] / 2).tolist()),
          "quarter": first_crossing(list(shares.index), shares["renewable"], [25] * 17),
      }
  reject:
    - code: |
        {
            "nuclear": int(mix.index[mix["renewable"] >= mix["nuclear"]][0]),
            "half of fossil": int(mix.index[mix["renewable"] >= mix["fossil"] / 2][0]),
            "quarter": int(shares.index[shares["renewable"] >= 25][0]),
        }
      why: whole years
    - code: |
        reach = lambda target: round(first_crossing(mix.index, mix["renewable"], target), 2)
        {
            "nuclear": reach(mix["nuclear"]),
            "half of fossil": reach(mix["fossil"] / 2),
            "quarter": reach(mix["fossil"] / 4),
        }
      why: a quarter of the fossil electricity
"""

_milestones = {
    "nuclear": first_crossing(mix.index, mix["renewable"], mix["nuclear"]),
    "half of fossil": first_crossing(mix.index, mix["renewable"], mix["fossil"] / 2),
    "quarter": first_crossing(shares.index, shares["renewable"], np.full(len(shares), 25.0)),
}
{name: round(moment, 2) for name, moment in _milestones.items()}

# %% The dips of the nuclear station
"""
id: nuclear-dips
query: |
  The only nuclear station stops for fuel now and then. Call a year a dip if its `nuclear` generation in `mix` is below
  both that of the year before and that of the year after. Make a DataFrame `dips` with the columns `year` and `depth`
  (the mean of the two neighbouring years minus the year itself, in GWh), in the order of time. Return by how many
  percent nuclear generation in dip years lies below the neighbours on average: the sum of `depth` in percent of the
  sum of those means, to 1 decimal.
knowledge_points: [local minima, shifted series, ratio of sums]
tags: [change over time, windows]
difficulty: medium
validator:
  namespace_check:
    dips:
      ignore_index: true
      equality: {column-order: correct}
  result:
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      output, rows, around = mix["nuclear"], [], 0
      for year in range(2002, 2017):
          if output[year] < min(output[year - 1], output[year + 1]):
              middle = (output[year - 1] + output[year + 1]) / 2
              around += middle
              rows.append({"year": year, "depth": middle - output[year]})
      dips = pd.DataFrame(rows)
      100 * dips["depth"].sum() / around
  reject:
    - code: |
        nuclear = mix["nuclear"]
        middle = nuclear.rolling(3, center=True).mean()
        is_dip = (nuclear < nuclear.shift()) & (nuclear < nuclear.shift(-1))
        dips = (middle - nuclear)[is_dip].rename("depth").reset_index()
        round(100 * dips["depth"].sum() / middle[is_dip].sum(), 1)
      why: counts the dip itself among its neighbours
    - code: |
        nuclear = mix["nuclear"]
        middle = (nuclear.shift() + nuclear.shift(-1)) / 2
        is_dip = nuclear < nuclear.shift()
        dips = (middle - nuclear)[is_dip].rename("depth").reset_index()
        round(100 * dips["depth"].sum() / middle[is_dip].sum(), 1)
      why: every fall counts as a dip
    - code: |
        nuclear = mix["nuclear"]
        middle = (nuclear.shift() + nuclear.shift(-1)) / 2
        is_dip = (nuclear < nuclear.shift()) & (nuclear < nuclear.shift(-1))
        dips = (middle - nuclear)[is_dip].rename("depth").reset_index()
        round(100 * dips["depth"].sum() / nuclear[is_dip].sum(), 1)
      why: in percent of the dip years
"""

_nuclear = mix["nuclear"]
_neighbours = (_nuclear.shift() + _nuclear.shift(-1)) / 2
_is_dip = (_nuclear < _nuclear.shift()) & (_nuclear < _nuclear.shift(-1))
dips = (_neighbours - _nuclear)[_is_dip].rename("depth").reset_index()
round(float(100 * dips["depth"].sum() / _neighbours[_is_dip].sum()), 1)

# %% Who stands in
"""
id: who-stands-in
query: |
  Who fills the gap when the nuclear station stops? Compare the change over the year before of the columns of `mix`, in
  GWh, in the years of `dips` with that in all other years (from 2002 on). Return a DataFrame with two rows, `dip` and
  `other`, as index, and the mean changes in the columns `fossil`, `nuclear`, `renewable` and `total`, to 1 decimal.
knowledge_points: [differences, membership in another table, grouped means]
tags: [comparison of groups, change over time]
difficulty: medium
validator:
  result:
    ignore_order: true
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      steps = (mix - mix.shift()).loc[2002:]
      marked = steps.index.isin(dips["year"])
      pd.DataFrame({"dip": steps[marked].mean(), "other": steps[~marked].mean()}).T
  reject:
    - code: |
        kind = np.where(mix.index.isin(dips["year"]), "dip", "other")
        mix.groupby(kind).mean().round(1)
      why: means of the amounts, not of their changes
    - code: |
        kind = np.where(mix.index.isin(dips["year"]), "dip", "other")
        mix.diff().fillna(0).groupby(kind).mean().round(1)
      why: counts 2001 as a year without change
    - code: |
        kind = np.where(mix.index.isin(dips["year"]), "dip", "other")
        (mix.pct_change() * 100).groupby(kind).mean().round(1)
      why: changes in percent
"""

_kind = np.where(mix.index.isin(dips["year"]), "dip", "other")
mix.diff().groupby(_kind).mean().round(1)

# %% Where the fossil electricity went
"""
id: fossil-decline
query: |
  Take the year in which `fossil` in `mix` was largest, and the last year. What made the fall of fossil generation
  between the two possible: more renewable electricity, more nuclear electricity, or less electricity in total? The
  three contributions add up to the fall. Return them in percent of the fall, to 1 decimal, as a dictionary with the
  keys `renewable`, `nuclear` and `total` (positive where it helped).
knowledge_points: [decomposition of a change, signs, percentages]
tags: [composition, change over time]
difficulty: medium
validator:
  result:
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      start, end = mix.loc[mix["fossil"].idxmax()], mix.loc[2017]
      fall = start["fossil"] - end["fossil"]
      {
          "renewable": 100 * (end["renewable"] - start["renewable"]) / fall,
          "nuclear": 100 * (end["nuclear"] - start["nuclear"]) / fall,
          "total": 100 * (start["total"] - end["total"]) / fall,
      }
  reject:
    - code: |
        change = mix.loc[2017] - mix.loc[mix["fossil"].idxmax()]
        (change / -change["fossil"] * 100).round(1)[["renewable", "nuclear", "total"]].to_dict()
      why: less in total counts as hindrance
    - code: |
        change = mix.loc[2017] - mix.loc[2001]
        fall = -change["fossil"]
        {
            "renewable": round(100 * change["renewable"] / fall, 1),
            "nuclear": round(100 * change["nuclear"] / fall, 1),
            "total": round(-100 * change["total"] / fall, 1),
        }
      why: from the first year, not from the peak
"""

_peak = mix["fossil"].idxmax()
_since = mix.iloc[-1] - mix.loc[_peak]
_fall = -_since["fossil"]
_parts = {"renewable": _since["renewable"], "nuclear": _since["nuclear"], "total": -_since["total"]}
{name: round(float(100 * part / _fall), 1) for name, part in _parts.items()}

# %% More electricity or dirtier electricity
"""
id: carbon-effects
query: |
  Suppose that every megawatt hour of fossil electricity emits 0.95 tonnes of carbon dioxide and the others none.
  Emissions E are then total generation x fossil share x 0.95. Split each year's change of E over the year before, E1 -
  E0, into an effect of the total, L * ln(total1 / total0), and one of the fossil share, L * ln(share1 / share0), where
  L is the logarithmic mean (E1 - E0) / (ln E1 - ln E0). Make a DataFrame `effects` with the columns `year` (2002 to
  2017), `change`, `total` and `share`, in million tonnes (1 GWh is 1000 MWh), and return the sums of `total` and
  `share` over the years up to and including the peak of `fossil` in `mix`, and over the years after it: a DataFrame
  with the index `rise`, `fall` and these two columns, to 2 decimals.
knowledge_points: [decomposition of a change, logarithmic mean, cumulated effects by period]
tags: [composition, change over time]
difficulty: hard
validator:
  namespace_check:
    effects:
      ignore_index: true
      ignore_order: true
      atol: 0.0051
      rtol: 0.0
  result:
    ignore_order: true
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      rows = []
      for year in range(2002, 2018):
          e0, e1 = 0.00095 * mix.loc[year - 1, "fossil"], 0.00095 * mix.loc[year, "fossil"]
          log_mean = (e1 - e0) / np.log(e1 / e0)
          rows.append((
              year,
              e1 - e0,
              log_mean * np.log(mix.loc[year, "total"] / mix.loc[year - 1, "total"]),
              log_mean * np.log(shares.loc[year, "fossil"] / shares.loc[year - 1, "fossil"]),
          ))
      effects = pd.DataFrame(rows, columns=["year", "change", "total", "share"])
      rise = effects["year"] <= mix["fossil"].idxmax()
      pd.DataFrame({"rise": effects[rise].sum(), "fall": effects[~rise].sum()}).T[["total", "share"]]
  reject:
    - code: |
        emissions = 0.00095 * mix["fossil"]
        effects = pd.DataFrame({
            "change": emissions.diff(),
            "total": 0.00095 * mix["total"].diff() * shares["fossil"].shift() / 100,
            "share": 0.00095 * mix["total"].shift() * shares["fossil"].diff() / 100,
        }).loc[2002:].reset_index()
        period = np.where(effects["year"] <= mix["fossil"].idxmax(), "rise", "fall")
        effects.groupby(period)[["total", "share"]].sum().round(2)
      why: effects at the values of the year before, which do not add up to the change
    - code: |
        emissions = 0.95 * mix["fossil"]
        mean = emissions.diff() / np.log(emissions).diff()
        effects = pd.DataFrame({
            "change": emissions.diff(),
            "total": mean * np.log(mix["total"]).diff(),
            "share": mean * np.log(shares["fossil"]).diff(),
        }).loc[2002:].reset_index()
        period = np.where(effects["year"] <= mix["fossil"].idxmax(), "rise", "fall")
        effects.groupby(period)[["total", "share"]].sum().round(2)
      why: thousand tonnes
    - code: |
        emissions = 0.00095 * mix["fossil"]
        mean = emissions.diff() / np.log(emissions).diff()
        effects = pd.DataFrame({
            "change": emissions.diff(),
            "total": mean * np.log(mix["total"]).diff(),
            "share": mean * np.log(shares["fossil"]).diff(),
        }).loc[2002:].reset_index()
        period = np.where(effects["year"] < mix["fossil"].idxmax(), "rise", "fall")
        effects.groupby(period)[["total", "share"]].sum().round(2)
      why: counts the way up to the peak to the fall
"""

_emissions = 0.95 * mix["fossil"] / 1000  # 1000 MWh per GWh, million tonnes: the factors cancel to 1/1000
_log_mean = _emissions.diff() / np.log(_emissions).diff()
effects = pd.DataFrame(
    {
        "change": _emissions.diff(),
        "total": _log_mean * np.log(mix["total"]).diff(),
        "share": _log_mean * np.log(shares["fossil"]).diff(),
    }
)
effects = effects.iloc[1:].reset_index()
_period = np.where(effects["year"] <= mix["fossil"].idxmax(), "rise", "fall")
effects.groupby(_period)[["total", "share"]].sum().round(2)

# %% Had the wind not come
"""
id: without-growth
query: |
  Imagine that the renewables had kept their share of 2008 from 2009 on, with each year's total and nuclear generation
  as they were, so that fossil fuels would have made up the rest. With 0.95 tonnes of carbon dioxide per megawatt hour
  of fossil electricity, how much more would have been emitted up to and including each year from 2009 to 2017? Return
  a Series with the years as index and the cumulated amounts in million tonnes, to 1 decimal.
knowledge_points: [counterfactual, cumulative sums, unit conversion]
tags: [scenario, change over time]
difficulty: hard
validator:
  result:
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      fixed = mix["total"] * shares.loc[2008, "renewable"] / 100
      more = (mix["total"] - mix["nuclear"] - fixed - mix["fossil"]).loc[2009:]
      (more * 1000 * 0.95 / 1e6).cumsum()
  reject:
    - code: |
        more = (mix["renewable"] - mix.loc[2008, "renewable"]).loc[2009:]
        (more * 0.95 / 1000).cumsum().round(1)
      why: keeps the amount of 2008, not the share
    - code: |
        more = (mix["renewable"] - mix["total"] * shares.loc[2008, "renewable"] / 100).loc[2009:]
        (more * 0.95 / 1000).round(1)
      why: does not cumulate
    - code: |
        more = (mix["renewable"] - mix["total"] * shares.loc[2008, "renewable"] / 100).loc[2009:]
        (more * 0.95 * shares["fossil"] / 100 / 1000).loc[2009:].cumsum().round(1)
      why: replaces them by the mix, not by fossil fuels
"""

_kept = mix["total"] * shares.loc[2008, "renewable"] / 100
_extra_fossil = (mix["renewable"] - _kept).loc[2009:]
(_extra_fossil * 0.95 / 1000).cumsum().round(1)

# %% A forecast put to the test
"""
id: three-forecasts
query: |
  Which method would have served us best at the end of 2011? Forecast the `renewable` share of 2012 to 2017 from the
  values of `shares` up to 2011 by three methods: `exponential`, a straight line by least squares through the natural
  logarithm of the share over the years; `drift`, the share of 2011 and for each year since then a fifth of the rise
  from 2006 to 2011; `logistic`, a straight line by least squares through ln(p / (1 - p)), p being the share as a
  fraction, turned back into percent. The two lines use all years from 2001 on. Make a DataFrame `forecasts` with the
  columns `year`, `actual`, `exponential`, `drift` and `logistic`, and return the mean absolute error of each method in
  percentage points, to 2 decimals, as a dictionary.
knowledge_points: [transformed least squares, extrapolation, mean absolute error]
tags: [forecasting, regression]
difficulty: hard
validator:
  namespace_check:
    forecasts:
      ignore_index: true
      ignore_order: true
      atol: 0.0051
      rtol: 0.0
  result:
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      known, ahead = shares["renewable"].loc[:2011], np.arange(2012, 2018)

      def extend(values):
          x = known.index.to_numpy() - known.index.to_numpy().mean()
          slope = (x * (values - values.mean())).sum() / (x**2).sum()
          return values.mean() + slope * (ahead - known.index.to_numpy().mean())

      forecasts = pd.DataFrame({"year": ahead, "actual": shares["renewable"].loc[2012:].to_numpy()})
      forecasts["exponential"] = np.exp(extend(np.log(known)))
      forecasts["drift"] = known[2011] + (known[2011] - known[2006]) * (ahead - 2011) / 5
      forecasts["logistic"] = 100 / (1 + np.exp(-extend(np.log(known / (100 - known)))))
      {name: (forecasts[name] - forecasts["actual"]).abs().mean() for name in ("exponential", "drift", "logistic")}
  reject:
    - code: |
        known, ahead = shares["renewable"], np.arange(2012, 2018)
        forecasts = pd.DataFrame({"year": ahead, "actual": known.loc[2012:].to_numpy()})
        forecasts["exponential"] = np.exp(np.polyval(np.polyfit(known.index, np.log(known), 1), ahead))
        forecasts["drift"] = known[2011] + (known[2011] - known[2006]) * (ahead - 2011) / 5
        odds = np.log(known / (100 - known))
        forecasts["logistic"] = 100 / (1 + np.exp(-np.polyval(np.polyfit(known.index, odds, 1), ahead)))
        forecasts.drop(columns=["year", "actual"]).sub(forecasts["actual"], axis=0).abs().mean().round(2).to_dict()
      why: fits the lines to the years that are to be forecast
    - code: |
        known, ahead = shares["renewable"].loc[:2011], np.arange(2012, 2018)
        forecasts = pd.DataFrame({"year": ahead, "actual": shares["renewable"].loc[2012:].to_numpy()})
        forecasts["exponential"] = np.exp(np.polyval(np.polyfit(known.index, np.log(known), 1), ahead))
        forecasts["drift"] = known[2011] + (known[2011] - known[2001]) * (ahead - 2011) / 10
        odds = np.log(known / (100 - known))
        forecasts["logistic"] = 100 / (1 + np.exp(-np.polyval(np.polyfit(known.index, odds, 1), ahead)))
        forecasts.drop(columns=["year", "actual"]).sub(forecasts["actual"], axis=0).abs().mean().round(2).to_dict()
      why: drift over ten years
    - code: |
        known, ahead = shares["renewable"].loc[:2011], np.arange(2012, 2018)
        forecasts = pd.DataFrame({"year": ahead, "actual": shares["renewable"].loc[2012:].to_numpy()})
        forecasts["exponential"] = np.exp(np.polyval(np.polyfit(known.index, np.log(known), 1), ahead))
        forecasts["drift"] = known[2011] + (known[2011] - known[2006]) * (ahead - 2011) / 5
        odds = np.log(known / (100 - known))
        forecasts["logistic"] = 100 / (1 + np.exp(-np.polyval(np.polyfit(known.index, odds, 1), ahead)))
        forecasts.drop(columns=["year", "actual"]).sub(forecasts["actual"], axis=0).mean().abs().round(2).to_dict()
      why: errors of different signs cancel
"""

_share = shares["renewable"]
_past, _future = _share.loc[:2011], _share.loc[2012:]
_ahead = _future.index.to_numpy()
_log_line = np.polyfit(_past.index, np.log(_past), 1)
_odds_line = np.polyfit(_past.index, np.log(_past / (100 - _past)), 1)
forecasts = pd.DataFrame(
    {
        "year": _ahead,
        "actual": _future.to_numpy(),
        "exponential": np.exp(np.polyval(_log_line, _ahead)),
        "drift": _past.loc[2011] + (_past.loc[2011] - _past.loc[2006]) / 5 * (_ahead - 2011),
        "logistic": 100 / (1 + np.exp(-np.polyval(_odds_line, _ahead))),
    }
)
_errors = forecasts[["exponential", "drift", "logistic"]].sub(forecasts["actual"], axis=0)
{name: round(float(error), 2) for name, error in _errors.abs().mean().items()}

# %% When half comes from renewables
"""
id: half-renewable
query: |
  Take the method in `forecasts` with the smallest mean absolute error, fit it again, now to all years of `shares`, and
  tell when the `renewable` share reaches 50 percent according to it. Return the name of the method and the time in
  years, to 2 decimals, as a tuple.
knowledge_points: [model choice, solving a fitted equation]
tags: [forecasting, regression]
difficulty: hard
validator:
  result:
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      errors = forecasts.set_index("year")
      best = errors.drop(columns="actual").sub(errors["actual"], axis=0).abs().mean().idxmin()
      fraction = shares["renewable"] / 100
      line = np.polynomial.Polynomial.fit(shares.index, np.log(fraction) - np.log1p(-fraction), 1)
      (best, line.roots()[0])
  reject:
    - code: |
        past = shares["renewable"].loc[:2011]
        slope, start = np.polyfit(past.index, np.log(past / (100 - past)), 1)
        "logistic", round(-start / slope, 2)
      why: does not fit it again
    - code: |
        slope, start = np.polyfit(shares.index, np.log(shares["renewable"]), 1)
        "exponential", round((np.log(50) - start) / slope, 2)
      why: not the best method
    - code: |
        rise = (shares.loc[2017, "renewable"] - shares.loc[2012, "renewable"]) / 5
        "drift", round(2017 + (50 - shares.loc[2017, "renewable"]) / rise, 2)
      why: the second best method
"""

_methods = forecasts[["exponential", "drift", "logistic"]]
_best_method = _methods.sub(forecasts["actual"], axis=0).abs().mean().idxmin()
_known = shares["renewable"]
_moments = {}
_slope, _start = np.polyfit(_known.index, np.log(_known), 1)
_moments["exponential"] = (np.log(50) - _start) / _slope
_moments["drift"] = 2017 + 5 * (50 - _known[2017]) / (_known[2017] - _known[2012])
_slope, _start = np.polyfit(_known.index, np.log(_known / (100 - _known)), 1)
_moments["logistic"] = -_start / _slope
_best_method, round(float(_moments[_best_method]), 2)
