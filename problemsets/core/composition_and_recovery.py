# language_version: 3
# Ten years of jobs by sector around a crisis: accounts, shares, turning points, contributions, recovery, forecasts.
# Data: _inputs/composition_and_recovery/us_employment.csv (US Bureau of Labor Statistics, public domain), see README.md.

# %% Preparation
import numpy as np
import pandas as pd

# %% How the sectors nest: each total and what it is made of
parts = {
    "nonfarm": ["private", "government"],
    "private": ["goods_producing", "private_service_providing"],
    "service_providing": ["private_service_providing", "government"],
    "goods_producing": ["mining_and_logging", "construction", "manufacturing"],
    "manufacturing": ["durable_goods", "nondurable_goods"],
    "private_service_providing": [
        "trade_transportation_utilities",
        "information",
        "financial_activities",
        "professional_and_business_services",
        "education_and_health_services",
        "leisure_and_hospitality",
        "other_services",
    ],
    "trade_transportation_utilities": ["wholesale_trade", "retail_trade", "transportation_and_warehousing", "utilities"],
}

# %% Read the jobs
"""
id: load-jobs
query: |
  Read `inputs/us_employment.csv` into a DataFrame `jobs`: seasonally adjusted employment in thousands, one row per
  month. Put the months into the index as dates, and repair the name of the column `trade_transportation_utilties`,
  which should read `trade_transportation_utilities`. Return how many million jobs there were on average in 2015 in
  `nonfarm`.
knowledge_points: [reading a file, dates as index, selecting a year]
tags: [reading, dates]
difficulty: easy
validator:
  namespace_check:
    jobs:
  result:
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      jobs = pd.read_csv("inputs/us_employment.csv", index_col="month", parse_dates=True)
      jobs.columns = jobs.columns.str.replace("utilties", "utilities")
      round(jobs["nonfarm"].tail(12).mean() / 1000, 1)
  reject:
    - code: |
        jobs = pd.read_csv("inputs/us_employment.csv", index_col="month", parse_dates=True)
        jobs.loc["2015", "nonfarm"].mean() / 1000
      why: the misspelt name stays
    - code: |
        jobs = pd.read_csv("inputs/us_employment.csv", index_col="month", parse_dates=True)
        jobs = jobs.rename(columns={"trade_transportation_utilties": "trade_transportation_utilities"})
        jobs.loc["2015", "nonfarm"].sum() / 1000
      why: adds up the jobs of twelve months, which are the same jobs
    - code: |
        jobs = pd.read_csv("inputs/us_employment.csv", index_col="month")
        jobs = jobs.rename(columns={"trade_transportation_utilties": "trade_transportation_utilities"})
        jobs.loc["2015-01-01":, "nonfarm"].mean() / 1000
      why: the months stay texts
"""

jobs = pd.read_csv("inputs/us_employment.csv", parse_dates=["month"]).set_index("month")
jobs = jobs.rename(columns={"trade_transportation_utilties": "trade_transportation_utilities"})
float(jobs.loc["2015", "nonfarm"].mean() / 1000)

# %% Do the accounts add up
"""
id: accounts-add-up
query: |
  The dictionary `parts` names for each total the columns of `jobs` that it is made of. Do the figures add up? Return a
  DataFrame with one row per total, in the order of `parts`, and the columns `total`, `largest_gap` (largest absolute
  difference between the total and the sum of its parts in any month, in thousands) and `months_off` (number of months
  with a difference above 0.05: some parts have decimals, whose sums are not exact).
knowledge_points: [sums over columns, floating-point tolerance]
tags: [data quality]
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
      table = pd.DataFrame({"total": list(parts)})
      gaps = [(jobs[total] - sum(jobs[part] for part in made_of)).abs().round(3) for total, made_of in parts.items()]
      table["largest_gap"] = [gap.max() for gap in gaps]
      table["months_off"] = [(gap > 0.05).sum() for gap in gaps]
      table
  reject:
    - code: |
        gaps = pd.DataFrame({total: jobs[total] - jobs[made_of].sum(axis=1) for total, made_of in parts.items()}).abs()
        table = pd.DataFrame({"largest_gap": gaps.max(), "months_off": (gaps > 0).sum()})
        table.rename_axis("total").reset_index()
      why: counts the inexact sums of decimals
    - code: |
        gaps = pd.DataFrame({total: jobs[total] - jobs[made_of].sum(axis=1) for total, made_of in parts.items()})
        table = pd.DataFrame({"largest_gap": gaps.max(), "months_off": (gaps > 0.05).sum()})
        table.rename_axis("total").reset_index()
      why: takes no absolute differences
"""

_gaps = pd.DataFrame({total: jobs[total] - jobs[made_of].sum(axis=1) for total, made_of in parts.items()}).abs()
_accounts = pd.DataFrame({"largest_gap": _gaps.max(), "months_off": (_gaps > 0.05).sum()})
_accounts.rename_axis("total").reset_index()

# %% Eleven sectors, one row each
"""
id: sectors-long
query: |
  All of `nonfarm` falls into eleven sectors that do not overlap: the parts of `goods_producing`, the parts of
  `private_service_providing`, and `government`. Make a long DataFrame `sectors` of them with one row per month and
  sector, in any order, and the columns `month`, `sector`, `jobs` (in thousands) and `share` (in percent of `nonfarm` in
  that month).
knowledge_points: [wide to long, shares of a total]
tags: [reshaping]
difficulty: medium
validator:
  template: intact
  namespace_check:
    sectors:
      ignore_order: true
      ignore_index: true
      atol: 0.0051
      rtol: 0.0
examples:
  accept:
    - |
      names = [*parts["goods_producing"], *parts["private_service_providing"], "government"]
      tables = [
          pd.DataFrame({"month": jobs.index, "sector": name, "jobs": jobs[name].to_numpy()})
          .assign(share=(100 * jobs[name] / jobs["nonfarm"]).to_numpy())
          for name in names
      ]
      sectors = pd.concat(tables)
    - |
      wide = jobs[[*parts["goods_producing"], *parts["private_service_providing"], "government"]]
      sectors = wide.stack().rename_axis(["month", "sector"]).reset_index(name="jobs")
      sectors["share"] = sectors["jobs"] / sectors.groupby("month")["jobs"].transform("sum") * 100
  reject:
    - code: |
        sectors = jobs.drop(columns=["nonfarm", "nonfarm_change"]).melt(ignore_index=False, var_name="sector", value_name="jobs")
        sectors = sectors.reset_index()
        sectors["share"] = sectors["jobs"] / sectors.groupby("month")["jobs"].transform("sum") * 100
      why: counts jobs several times, as parts and as totals
    - code: |
        wide = jobs[[*parts["goods_producing"], *parts["private_service_providing"], "government"]]
        sectors = wide.stack().rename_axis(["month", "sector"]).reset_index(name="jobs")
        sectors["share"] = sectors["jobs"] / sectors.groupby("sector")["jobs"].transform("sum") * 100
      why: shares of the sector's own sum over the months
"""

_eleven = [*parts["goods_producing"], *parts["private_service_providing"], "government"]
sectors = jobs[_eleven].melt(ignore_index=False, var_name="sector", value_name="jobs").reset_index()
sectors["share"] = 100 * sectors["jobs"] / sectors["month"].map(jobs["nonfarm"])

# %% Which sectors grew in weight
"""
id: shift-of-shares
query: |
  How has the composition of employment moved between 2006 and 2015? A sector's share in a year is the mean of its
  twelve values of `share` in `sectors`. Make a Series `shift` from sector to change in percentage points, the greatest
  gain first, and return half the sum of its absolute values: the percentage of jobs that would have to change their
  sector to turn the one composition into the other.
knowledge_points: [mean by group and year, change of shares, dissimilarity]
tags: [aggregation, dates]
difficulty: medium
validator:
  namespace_check:
    shift:
      atol: 0.0051
      rtol: 0.0
  result:
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      years = sectors.assign(year=sectors["month"].dt.year).pivot_table(index="sector", columns="year", values="share")
      shift = (years[2015] - years[2006]).sort_values(ascending=False)
      round(shift[shift > 0].sum(), 2)
  reject:
    - code: |
        ends = sectors.pivot(index="sector", columns="month", values="share")
        shift = (ends.iloc[:, -1] - ends.iloc[:, 0]).sort_values(ascending=False)
        shift.abs().sum() / 2
      why: compares one month with one month
    - code: |
        years = sectors.assign(year=sectors["month"].dt.year).pivot_table(index="sector", columns="year", values="share")
        shift = (100 * (years[2015] / years[2006] - 1)).sort_values(ascending=False)
        shift.abs().sum() / 2
      why: percent in place of percentage points
    - code: |
        years = sectors.assign(year=sectors["month"].dt.year).pivot_table(index="sector", columns="year", values="share")
        shift = (years[2015] - years[2006]).sort_values(ascending=False)
        shift.abs().sum()
      why: counts every job that moves twice
"""

_yearly = sectors.groupby(["sector", sectors["month"].dt.year])["share"].mean().unstack()
shift = (_yearly[2015] - _yearly[2006]).sort_values(ascending=False)
float(shift.abs().sum() / 2)

# %% The crisis in three dates
"""
id: crisis-dates
query: |
  Date the crisis by `nonfarm` in `jobs`: `peak` is the month before 2010 with the most jobs, `trough` the month after
  the peak with the fewest, and `recovered` the first month after the trough with at least as many jobs as at the peak.
  Keep the three months, as they stand in the index of `jobs`, in a dictionary `crisis` with these keys. Return the
  percentage of the jobs at the peak that were lost by the trough, as a positive number.
knowledge_points: [turning points, position of extremes, conditions on dates]
tags: [turning points, dates]
difficulty: medium
validator:
  namespace_check:
    crisis:
  result:
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      total = jobs["nonfarm"]
      early = total[total.index.year < 2010]
      crisis = {"peak": early.index[early.argmax()]}
      after = total.loc[crisis["peak"] :]
      crisis["trough"] = after.index[after.argmin()]
      later = total.loc[crisis["trough"] :]
      crisis["recovered"] = later.index[(later >= total[crisis["peak"]]).argmax()]
      (1 - total[crisis["trough"]] / total[crisis["peak"]]) * 100
  reject:
    - code: |
        total = jobs["nonfarm"]
        crisis = {"peak": total.idxmax(), "trough": total.idxmin()}
        crisis["recovered"] = total.index[-1]
        float(100 * (1 - total[crisis["trough"]] / total[crisis["peak"]]))
      why: the peak of all months lies after the recovery
    - code: |
        total = jobs["nonfarm"]
        peak = total[:"2009-12"].idxmax()
        trough = total[peak:].idxmin()
        crisis = {"peak": peak, "trough": trough, "recovered": total.index[total >= total[peak]][0]}
        float(100 * (1 - total[trough] / total[peak]))
      why: the peak itself counts as the recovery
    - code: |
        total = jobs["nonfarm"]
        peak = total[:"2009-12"].idxmax()
        trough = total[peak:].idxmin()
        crisis = {"peak": peak, "trough": trough, "recovered": total[trough:][total[trough:] >= total[peak]].index[0]}
        float(100 * (total[peak] / total[trough] - 1))
      why: percent of the jobs at the trough
"""

_total = jobs["nonfarm"]
_peak = _total.loc[:"2009-12"].idxmax()
_trough = _total.loc[_peak:].idxmin()
_after = _total.loc[_trough:]
crisis = {"peak": _peak, "trough": _trough, "recovered": _after[_after >= _total[_peak]].index[0]}
float(100 * (1 - _total[_trough] / _total[_peak]))

# %% Who lost the jobs
"""
id: who-lost
query: |
  Which sectors made the fall from `crisis["peak"]` to `crisis["trough"]`? From `sectors`, make a DataFrame `losses`
  with one row per sector and the columns `sector`, `change` (in thousands), `percent` (the change in percent of the
  sector's jobs at the peak) and `contribution` (percentage points that the sector added to the percentage change of
  `nonfarm`), the most negative contribution first. Return the sum of the positive contributions.
knowledge_points: [contributions to growth, change between two dates]
tags: [contributions, aggregation]
difficulty: hard
validator:
  namespace_check:
    losses:
      ignore_index: true
      atol: 0.0051
      rtol: 0.0
      equality: {column-order: correct}
  result:
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      wide = sectors.pivot(index="sector", columns="month", values="jobs")
      before, after = wide[crisis["peak"]], wide[crisis["trough"]]
      losses = pd.DataFrame({"change": after - before, "percent": (after / before - 1) * 100})
      losses["contribution"] = losses["change"] / before.sum() * 100
      losses = losses.sort_values("contribution").reset_index()
      losses["contribution"].clip(lower=0).sum()
    - |
      first, last = (sectors[sectors["month"] == crisis[key]].set_index("sector") for key in ("peak", "trough"))
      losses = pd.DataFrame({"change": last["jobs"] - first["jobs"]})
      losses["percent"] = 100 * losses["change"] / first["jobs"]
      losses["contribution"] = losses["percent"] * first["share"] / 100
      losses = losses.sort_values("contribution").round(3).reset_index()
      losses.loc[losses["change"] > 0, "contribution"].sum()
  reject:
    - code: |
        first, last = (sectors[sectors["month"] == crisis[key]].set_index("sector") for key in ("peak", "trough"))
        losses = pd.DataFrame({"change": last["jobs"] - first["jobs"]})
        losses["percent"] = 100 * losses["change"] / first["jobs"]
        losses["contribution"] = last["share"] - first["share"]
        losses = losses.sort_values("contribution").reset_index()
        losses.loc[losses["contribution"] > 0, "contribution"].sum()
      why: change of the share
    - code: |
        first, last = (sectors[sectors["month"] == crisis[key]].set_index("sector") for key in ("peak", "trough"))
        losses = pd.DataFrame({"change": last["jobs"] - first["jobs"]})
        losses["percent"] = 100 * losses["change"] / first["jobs"]
        losses["contribution"] = 100 * losses["change"] / losses["change"].sum()
        losses = losses.sort_values("contribution", ascending=False).reset_index()
        losses.loc[losses["change"] > 0, "contribution"].abs().sum()
      why: percent of the lost jobs, not of all
    - code: |
        first, last = (sectors[sectors["month"] == crisis[key]].set_index("sector") for key in ("peak", "trough"))
        losses = pd.DataFrame({"change": last["jobs"] - first["jobs"]})
        losses["percent"] = 100 * losses["change"] / first["jobs"]
        losses["contribution"] = 100 * losses["change"] / first["jobs"].sum()
        losses = losses.sort_values("percent").reset_index()
        losses.loc[losses["change"] > 0, "contribution"].sum()
      why: sorted by the sector's own percentage
"""

_wide = sectors.pivot(index="sector", columns="month", values="jobs")
_before, _change = _wide[crisis["peak"]], _wide[crisis["trough"]] - _wide[crisis["peak"]]
losses = pd.DataFrame({"change": _change, "percent": 100 * _change / _before})
losses["contribution"] = 100 * _change / jobs.loc[crisis["peak"], "nonfarm"]
losses = losses.sort_values("contribution").reset_index()
float(losses.loc[losses["contribution"] > 0, "contribution"].sum())

# %% One level deeper
"""
id: drill-down
query: |
  Look one level deeper into the four sectors that `losses` lists first: for those that `parts` divides, how did each
  part change between the peak and the trough of `crisis`? Return a DataFrame with the columns `sector`, `part`,
  `change` (in thousands) and `of_loss` (percent of the sector's `change` in `losses`), sorted by `change`, the largest
  loss first.
knowledge_points: [drill-down through a hierarchy, joining results]
tags: [contributions, joins]
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
      tree = pd.Series(parts).explode().rename_axis("sector").reset_index(name="part")
      table = losses.head(4)[["sector", "change"]].merge(tree, on="sector")
      moved = jobs.loc[crisis["trough"]] - jobs.loc[crisis["peak"]]
      table["of_loss"] = 100 * table["part"].map(moved) / table["change"]
      table["change"] = table["part"].map(moved)
      table.sort_values("change")[["sector", "part", "change", "of_loss"]].round(2)
  reject:
    - code: |
        moved = jobs.loc[crisis["trough"]] - jobs.loc[crisis["peak"]]
        rows = [(total, part, moved[part]) for total in parts for part in parts[total]]
        table = pd.DataFrame(rows, columns=["sector", "part", "change"]).sort_values("change")
        table["of_loss"] = 100 * table["change"] / table["sector"].map(moved)
        table
      why: divides every total
    - code: |
        moved = jobs.loc[crisis["trough"]] - jobs.loc[crisis["peak"]]
        rows = [(total, part, moved[part]) for total in losses["sector"][:4] if total in parts for part in parts[total]]
        table = pd.DataFrame(rows, columns=["sector", "part", "change"]).sort_values("change")
        table.assign(of_loss=100 * table["change"] / moved["nonfarm"])
      why: percent of all lost jobs
"""

_moved = jobs.loc[crisis["trough"]] - jobs.loc[crisis["peak"]]
_deeper = [(total, part) for total in losses["sector"].head(4) for part in parts.get(total, [])]
_drilled = pd.DataFrame(_deeper, columns=["sector", "part"])
_drilled["change"] = _drilled["part"].map(_moved)
_drilled["of_loss"] = 100 * _drilled["change"] / _drilled["sector"].map(losses.set_index("sector")["change"])
_drilled.sort_values("change", ignore_index=True)

# %% Back at the old level
"""
id: back-at-peak
query: |
  How deep did each sector fall below its level at `crisis["peak"]`, and when was it back? From `sectors`, make a
  DataFrame `levels` with the months from that peak to the end as index, one column per sector, and the jobs as an index
  number (100 at that peak). Return a DataFrame with one row per sector that was ever below 100: `sector`, `lowest` (its
  smallest index number), `low` (the earliest month with it) and `back` (the first month after `low` with 100 or more,
  missing if there is none), the deepest fall first.
knowledge_points: [index numbers, first position of a condition, missing dates]
tags: [turning points, reshaping]
difficulty: hard
validator:
  namespace_check:
    levels:
      ignore_order: true
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
      levels = sectors.pivot(index="month", columns="sector", values="jobs").loc[crisis["peak"] :]
      levels = 100 * levels.div(levels.iloc[0], axis="columns")
      rows = []
      for sector, level in levels.items():
          if level.min() < 100:
              low = level.idxmin()
              back = next((month for month in level.index if month > low and level[month] >= 100), pd.NaT)
              rows.append({"sector": sector, "lowest": level.min(), "low": low, "back": back})
      pd.DataFrame(rows).sort_values("lowest")
  reject:
    - code: |
        levels = sectors.pivot(index="month", columns="sector", values="jobs").loc[crisis["peak"] :]
        levels = 100 * levels / levels.iloc[0]
        table = pd.DataFrame({"lowest": levels.min(), "low": levels.idxmin()})
        table["back"] = (levels >= 100).iloc[1:].idxmax()
        table[table["lowest"] < 100].sort_values("lowest").reset_index()
      why: months before the fall count as the recovery
    - code: |
        levels = sectors.pivot(index="month", columns="sector", values="jobs").loc[crisis["peak"] :]
        levels = 100 * levels / levels.iloc[0]
        table = pd.DataFrame({"lowest": levels.min(), "low": levels.iloc[::-1].idxmin()})
        is_back = levels.apply(lambda level: (level >= 100) & (level.index > level.idxmin()))
        table["back"] = is_back.idxmax().where(is_back.any())
        table[table["lowest"] < 100].sort_values("lowest").reset_index()
      why: the latest of several months with the lowest level
    - code: |
        levels = sectors.pivot(index="month", columns="sector", values="jobs").loc[crisis["peak"] :]
        levels = 100 * levels / levels.iloc[0]
        table = pd.DataFrame({"lowest": levels.min(), "low": levels.idxmin()})
        table["back"] = levels.apply(lambda level: (level >= 100) & (level.index > level.idxmin())).idxmax()
        table[table["lowest"] < 100].sort_values("lowest").reset_index()
      why: a sector that never came back gets the first month
"""

_wide = sectors.pivot(index="month", columns="sector", values="jobs").loc[crisis["peak"] :]
levels = 100 * _wide / _wide.loc[crisis["peak"]]
_low = levels.idxmin()
_is_back = pd.DataFrame({sector: (levels[sector] >= 100) & (levels.index > _low[sector]) for sector in levels})
_back = _is_back.idxmax().where(_is_back.any())
_recovery = pd.DataFrame({"lowest": levels.min(), "low": _low, "back": _back}).rename_axis("sector").reset_index()
_recovery[_recovery["lowest"] < 100].sort_values("lowest", ignore_index=True)

# %% How widespread the decline was
"""
id: diffusion
query: |
  Was the decline a matter of few sectors or of most? From `sectors`, make a Series `diffusion` indexed by month: the
  percentage of the eleven sectors with more jobs than three months before, where a sector with just as many counts
  half; the first three months have no value and are left out. Then find the longest run of consecutive months with a
  diffusion below 50, and return its first month, its last month (as in the index of `diffusion`) and its number of
  months as a tuple.
knowledge_points: [diffusion index, differences over several periods, longest run]
tags: [runs, reshaping]
difficulty: hard
validator:
  namespace_check:
    diffusion:
      atol: 0.051
      rtol: 0.0
  result:
examples:
  accept:
    - |
      wide = sectors.pivot(index="month", columns="sector", values="jobs")
      moved = np.sign(wide.to_numpy()[3:] - wide.to_numpy()[:-3])
      diffusion = pd.Series(50 + 50 * moved.mean(axis=1), index=wide.index[3:])
      best, current = [], []
      for month, value in diffusion.items():
          current = [*current, month] if value < 50 else []
          best = max(best, current, key=len)
      best[0], best[-1], len(best)
  reject:
    - code: |
        change = sectors.pivot(index="month", columns="sector", values="jobs").diff(3).iloc[3:]
        diffusion = 100 * (change > 0).mean(axis=1)
        low = diffusion < 50
        run = low.groupby((~low).cumsum()).cumsum()
        run.idxmax() - pd.DateOffset(months=int(run.max()) - 1), run.idxmax(), int(run.max())
      why: sectors without a change count as declining
    - code: |
        change = sectors.pivot(index="month", columns="sector", values="jobs").diff().iloc[1:]
        diffusion = 100 * ((change > 0) + 0.5 * (change == 0)).mean(axis=1)
        low = diffusion < 50
        run = low.groupby((~low).cumsum()).cumsum()
        run.idxmax() - pd.DateOffset(months=int(run.max()) - 1), run.idxmax(), int(run.max())
      why: change on the month before
    - code: |
        change = sectors.pivot(index="month", columns="sector", values="jobs").diff(3).iloc[3:]
        diffusion = 100 * ((change > 0) + 0.5 * (change == 0)).mean(axis=1)
        low = diffusion[diffusion < 50]
        low.index[0], low.index[-1], len(low)
      why: counts all months below 50
"""

_change = sectors.pivot(index="month", columns="sector", values="jobs").diff(3).iloc[3:]
diffusion = 100 * ((_change > 0) + 0.5 * (_change == 0)).mean(axis=1)
_is_low = diffusion < 50
_runs = [months for _, months in diffusion[_is_low].groupby((~_is_low).cumsum()[_is_low])]
_longest = max(_runs, key=len)
_longest.index[0], _longest.index[-1], len(_longest)

# %% Who moves first
"""
id: who-moves-first
query: |
  Which sectors move before the total and which after it? Take the growth on the same month of the year before, in
  percent, of `nonfarm` and of each sector in `sectors`. For each lag k from -6 to 6, correlate the total with the
  sector's growth k months earlier (k below 0: later), over the months where both exist. Return a DataFrame with the
  columns `sector`, `lag` (the k with the largest correlation) and `correlation` at that lag; leave out sectors whose
  largest correlation is below 0.9. The order of the rows does not matter.
knowledge_points: [growth on the year before, cross-correlation, shifted series]
tags: [statistics, time series]
difficulty: hard
validator:
  result:
    ignore_order: true
    ignore_index: true
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      total = (jobs["nonfarm"] / jobs["nonfarm"].shift(12) - 1).to_numpy()[12:]
      rows = []
      for sector, own in sectors.sort_values("month").groupby("sector")["jobs"]:
          growth = own.to_numpy()[12:] / own.to_numpy()[:-12] - 1
          pairs = {k: (growth[: len(growth) - k], total[k:]) if k >= 0 else (growth[-k:], total[:k]) for k in range(-6, 7)}
          found = {k: np.corrcoef(*pair)[0, 1] for k, pair in pairs.items()}
          best = max(found, key=found.get)
          rows.append((sector, best, round(found[best], 3)))
      pd.DataFrame([row for row in rows if row[2] >= 0.9], columns=["sector", "lag", "correlation"])
  reject:
    - code: |
        growth = sectors.pivot(index="month", columns="sector", values="jobs").pct_change(12)
        total = jobs["nonfarm"].pct_change(12)
        found = pd.DataFrame({k: growth.shift(-k).corrwith(total) for k in range(-6, 7)})
        table = pd.DataFrame({"lag": found.idxmax(axis=1), "correlation": found.max(axis=1)}).reset_index()
        table[table["correlation"] >= 0.9]
      why: earlier and later are exchanged
    - code: |
        growth = sectors.pivot(index="month", columns="sector", values="jobs").pct_change()
        total = jobs["nonfarm"].pct_change()
        found = pd.DataFrame({k: growth.shift(k).corrwith(total) for k in range(-6, 7)})
        table = pd.DataFrame({"lag": found.idxmax(axis=1), "correlation": found.max(axis=1)}).reset_index()
        table[table["correlation"] >= 0.9]
      why: growth on the month before
    - code: |
        wide = sectors.pivot(index="month", columns="sector", values="jobs")
        found = pd.DataFrame({k: wide.shift(k).corrwith(jobs["nonfarm"]) for k in range(-6, 7)})
        table = pd.DataFrame({"lag": found.idxmax(axis=1), "correlation": found.max(axis=1)}).reset_index()
        table[table["correlation"] >= 0.9]
      why: correlates the numbers of jobs, not their growth
"""

_growth = sectors.pivot(index="month", columns="sector", values="jobs").pct_change(12)
_total_growth = jobs["nonfarm"].pct_change(12)
_by_lag = pd.DataFrame({k: _growth.shift(k).corrwith(_total_growth) for k in range(-6, 7)})
_leads = pd.DataFrame({"lag": _by_lag.idxmax(axis=1), "correlation": _by_lag.max(axis=1)}).reset_index()
_leads[_leads["correlation"] >= 0.9].reset_index(drop=True)

# %% The deepest fall of a series
"""
id: deepest-fall
query: |
  Sectors have turning points of their own. Write a function `deepest_fall(levels)` for a Series of positive numbers in
  the order of time, without missing values. It returns a tuple `(fall, peak, trough)`: the largest fall in percent from
  any value to a later one, as a positive number, the label of the value from which and the label of the value to which
  it fell. If several pairs of values make the same largest fall, take the earliest trough, and for it the latest peak.
  Where no value is below an earlier one, `fall` is 0 and both labels are the first label.
knowledge_points: [functions, running maximum, drawdown]
tags: [functions, turning points]
difficulty: hard
validator:
  template: intact
  table_test:
    function_name: deepest_fall
    test_cases:
      - ['`pd.Series([100.0, 120, 90, 110, 80, 130], index=list("abcdef"))`']
      - ['`pd.Series([50.0, 60, 100, 70, 120, 100], index=list("abcdef"))`']
      - ['`pd.Series([20.0, 100, 60, 110, 99], index=pd.period_range("2001Q1", periods=5, freq="Q"))`']
      - ['`pd.Series([10.0, 5, 100, 60, 104], index=[2, 3, 5, 7, 11])`']
      - ['`pd.Series([8.0, 8, 6, 4, 8, 4, 7])`']
      - ['`pd.Series([3.0, 4, 4, 9], index=pd.date_range("2020-01-01", periods=4, freq="D"))`']
      - ['`pd.Series(np.exp(np.cumsum(np.random.normal(size=60) / 20)), index=pd.date_range("2006-01-01", periods=60, freq="MS"))`']
      - //
      - //
    output_checker:
      atol: 0.0051
      rtol: 0.0
examples:
  accept:
    - |
      def deepest_fall(levels):
          best = (0, levels.index[0], levels.index[0])
          for j in range(len(levels)):
              for i in range(j - 1, -1, -1):
                  fall = 100 * (1 - levels.iloc[j] / levels.iloc[i])
                  if fall > best[0]:
                      best = (fall, levels.index[i], levels.index[j])
          return best
  reject:
    - code: |
        def deepest_fall(levels):
            peak, trough = levels.idxmax(), levels[levels.idxmax() :].idxmin()
            return 100 * (1 - levels[trough] / levels[peak]), peak, trough
      why: takes the highest value of all for the peak
    - code: |
        def deepest_fall(levels):
            drop = levels.cummax() - levels
            trough = drop.idxmax()
            before = levels.loc[:trough]
            peak = before[before == before.max()].index[-1]
            return 100 * drop[trough] / before.max(), peak, trough
      why: the largest fall in units, not in percent
    - code: |
        def deepest_fall(levels):
            drop = 1 - levels / levels.cummax()
            trough = drop.idxmax()
            return 100 * drop[trough], levels.loc[:trough].idxmax(), trough
      why: the earliest of equal peaks
    - code: |
        def deepest_fall(levels):
            drop = 100 * (levels.pct_change().fillna(0))
            trough = drop.idxmin()
            return abs(drop[trough]), levels.index[levels.index.get_loc(trough) - 1], trough
      why: falls from one value to the next only
"""


def deepest_fall(levels):
    _fall = 100 * (1 - levels / levels.cummax())
    _trough = _fall.idxmax()
    _before = levels.loc[:_trough]
    return float(_fall[_trough]), _before[_before == _before.max()].index[-1], _trough


# %% Each sector by its own clock
"""
id: own-clock
query: |
  Apply `deepest_fall` to the jobs of each sector in `sectors`. Which sectors turned down before the total did? Return a
  DataFrame with the columns `sector`, `fall`, `peak`, `trough`, `duration` (number of months from peak to trough) and
  `lead` (by how many months the sector's peak lies before `crisis["peak"]`; negative if after it), the earliest peak
  first and equal peaks in alphabetical order of the sectors.
knowledge_points: [applying a function per group, differences in months]
tags: [turning points, dates]
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
      found = {sector: deepest_fall(rows.set_index("month")["jobs"]) for sector, rows in sectors.groupby("sector")}
      table = pd.DataFrame.from_dict(found, orient="index", columns=["fall", "peak", "trough"])
      table = table.rename_axis("sector").reset_index().sort_values(["peak", "sector"])
      table["duration"] = table["trough"].dt.to_period("M").astype("int64") - table["peak"].dt.to_period("M").astype("int64")
      table["lead"] = [len(pd.date_range(peak, crisis["peak"], freq="MS")) - 1 if peak <= crisis["peak"]
          else 1 - len(pd.date_range(crisis["peak"], peak, freq="MS")) for peak in table["peak"]]
      table
  reject:
    - code: |
        found = {sector: deepest_fall(rows.set_index("month")["jobs"]) for sector, rows in sectors.groupby("sector")}
        table = pd.DataFrame.from_dict(found, orient="index", columns=["fall", "peak", "trough"])
        table = table.rename_axis("sector").reset_index().sort_values(["peak", "sector"])
        table["duration"] = (table["trough"] - table["peak"]).dt.days // 30
        table["lead"] = (crisis["peak"] - table["peak"]).dt.days // 30
        table
      why: counts thirty days as a month
    - code: |
        found = {sector: deepest_fall(rows.set_index("month")["jobs"]) for sector, rows in sectors.groupby("sector")}
        table = pd.DataFrame.from_dict(found, orient="index", columns=["fall", "peak", "trough"])
        table = table.rename_axis("sector").reset_index().sort_values(["peak", "sector"])
        table["duration"] = table["trough"].dt.month - table["peak"].dt.month
        table["lead"] = crisis["peak"].month - table["peak"].dt.month
        table
      why: forgets the years
    - code: |
        found = {name: deepest_fall(levels[name]) for name in levels}
        table = pd.DataFrame.from_dict(found, orient="index", columns=["fall", "peak", "trough"])
        table = table.rename_axis("sector").reset_index().sort_values(["peak", "sector"])
        month = {name: dates.dt.year * 12 + dates.dt.month for name, dates in table[["peak", "trough"]].items()}
        table["duration"] = month["trough"] - month["peak"]
        table["lead"] = crisis["peak"].year * 12 + crisis["peak"].month - month["peak"]
        table
      why: looks at the months since the peak of the total only
"""

_found = [(sector, *deepest_fall(rows.set_index("month")["jobs"])) for sector, rows in sectors.groupby("sector")]
_clock = pd.DataFrame(_found, columns=["sector", "fall", "peak", "trough"])
_clock = _clock.sort_values(["peak", "sector"], ignore_index=True)
_months = {name: 12 * _clock[name].dt.year + _clock[name].dt.month for name in ("peak", "trough")}
_clock["duration"] = _months["trough"] - _months["peak"]
_clock["lead"] = 12 * crisis["peak"].year + crisis["peak"].month - _months["peak"]
_clock

# %% The jobs that are missing
"""
id: missing-jobs
query: |
  How many jobs are missing, compared with the growth before the crisis? Fit a straight line by least squares to
  `nonfarm` against the number of the month (0, 1, 2, ...), from the first month to `crisis["peak"]`, the peak included,
  and continue it to the end. Return a dictionary with the jobs missing below the line, in thousands, for `trough` and
  `recovered` (the months in `crisis`) and `end` (the last month).
knowledge_points: [linear trend, extrapolation, counterfactual]
tags: [regression, forecasting]
difficulty: medium
validator:
  result:
    atol: 0.51
    rtol: 0.0
examples:
  accept:
    - |
      from numpy.polynomial import Polynomial
      known = jobs.loc[: crisis["peak"], "nonfarm"]
      line = Polynomial.fit(np.arange(len(known)), known, 1)
      gap = pd.Series(line(np.arange(len(jobs))), index=jobs.index) - jobs["nonfarm"]
      {"trough": gap[crisis["trough"]], "recovered": gap[crisis["recovered"]], "end": round(gap.iloc[-1])}
  reject:
    - code: |
        slope, start = np.polyfit(np.arange(len(jobs)), jobs["nonfarm"], 1)
        gap = start + slope * np.arange(len(jobs)) - jobs["nonfarm"]
        {"trough": gap[crisis["trough"]], "recovered": gap[crisis["recovered"]], "end": gap.iloc[-1]}
      why: fits the line to all months
    - code: |
        number = np.arange(len(jobs))
        is_known = jobs.index < crisis["peak"]
        slope, start = np.polyfit(number[is_known], jobs.loc[is_known, "nonfarm"], 1)
        gap = start + slope * number - jobs["nonfarm"]
        {"trough": gap[crisis["trough"]], "recovered": gap[crisis["recovered"]], "end": gap.iloc[-1]}
      why: leaves the peak out
    - code: |
        number = np.arange(len(jobs))
        is_known = jobs.index <= crisis["peak"]
        slope, start = np.polyfit(number[is_known], np.log(jobs.loc[is_known, "nonfarm"]), 1)
        gap = np.exp(start + slope * number) - jobs["nonfarm"]
        {"trough": gap[crisis["trough"]], "recovered": gap[crisis["recovered"]], "end": gap.iloc[-1]}
      why: a constant rate of growth is no straight line
"""

_number = np.arange(len(jobs))
_is_known = jobs.index <= crisis["peak"]
_slope, _start = np.polyfit(_number[_is_known], jobs.loc[_is_known, "nonfarm"], 1)
_missing = _start + _slope * _number - jobs["nonfarm"]
{
    "trough": float(_missing[crisis["trough"]]),
    "recovered": float(_missing[crisis["recovered"]]),
    "end": float(_missing.iloc[-1]),
}

# %% Was 2015 foreseeable
"""
id: foreseeable
query: |
  Was 2015 foreseeable at the end of 2014? For each sector in `sectors`, forecast the twelve months of 2015 in two ways:
  `last` repeats the level of December 2014, `drift` goes on from there by the sector's mean monthly change from January
  2013 to December 2014 (24 changes). Return a DataFrame with one row per sector and the columns `sector`, `last` and
  `drift`, the mean absolute percentage errors of the two (2.5 for 2.5 %), sorted by the gain `last` - `drift`, the
  largest gain first.
knowledge_points: [naive forecasts, mean absolute percentage error, holding back a year]
tags: [forecasting]
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
      for sector, own in sectors.groupby("sector"):
          level = own.set_index("month")["jobs"]
          start, step = level["2014-12-01"], (level["2014-12-01"] - level["2012-12-01"]) / 24
          seen = level["2015-01-01":].to_numpy()
          guesses = {"last": np.full(12, start), "drift": start + step * np.arange(1, 13)}
          rows.append({"sector": sector, **{name: 100 * np.mean(np.abs(seen - guess) / seen) for name, guess in guesses.items()}})
      table = pd.DataFrame(rows)
      table.iloc[(table["drift"] - table["last"]).argsort()]
  reject:
    - code: |
        wide = sectors.pivot(index="month", columns="sector", values="jobs")
        start, seen = wide.loc["2014-12-01"], wide.loc["2015"]
        step = (start - wide.loc["2013-01-01"]) / 24
        drift = pd.DataFrame({month: start + step * (n + 1) for n, month in enumerate(seen.index)}).T
        errors = {"last": (100 * (seen - start).abs() / seen).mean(), "drift": (100 * (seen - drift).abs() / seen).mean()}
        table = pd.DataFrame(errors).reset_index()
        table.loc[(table["last"] - table["drift"]).sort_values(ascending=False).index]
      why: 23 changes divided by 24
    - code: |
        wide = sectors.pivot(index="month", columns="sector", values="jobs")
        start, seen = wide.loc["2014-12-01"], wide.loc["2015"]
        step = wide.diff().loc["2013":"2014"].mean()
        drift = pd.DataFrame({month: start + step * n for n, month in enumerate(seen.index)}).T
        errors = {"last": (100 * (seen - start).abs() / seen).mean(), "drift": (100 * (seen - drift).abs() / seen).mean()}
        table = pd.DataFrame(errors).reset_index()
        table.loc[(table["last"] - table["drift"]).sort_values(ascending=False).index]
      why: January repeats December, so that every month is one change behind
    - code: |
        wide = sectors.pivot(index="month", columns="sector", values="jobs")
        start, seen = wide.loc["2014-12-01"], wide.loc["2015"]
        step = wide.diff().loc["2013":"2014"].mean()
        drift = pd.DataFrame({month: start + step * (n + 1) for n, month in enumerate(seen.index)}).T
        errors = {"last": (100 * (seen - start) / seen).mean().abs(), "drift": (100 * (seen - drift) / seen).mean().abs()}
        table = pd.DataFrame(errors).reset_index()
        table.loc[(table["last"] - table["drift"]).sort_values(ascending=False).index]
      why: errors of opposite sign cancel out
"""

_wide = sectors.pivot(index="month", columns="sector", values="jobs")
_december, _observed = _wide.loc["2014-12-01"], _wide.loc["2015"]
_step = _wide.diff().loc["2013":"2014"].mean()
_drift = pd.DataFrame(np.outer(np.arange(1, 13), _step), index=_observed.index, columns=_step.index) + _december
_forecasts = {"last": _december, "drift": _drift}
_errors = pd.DataFrame({name: (100 * (_observed - f).abs() / _observed).mean() for name, f in _forecasts.items()})
_errors = _errors.assign(gain=_errors["last"] - _errors["drift"]).sort_values("gain", ascending=False).reset_index()
_errors[["sector", "last", "drift"]]
