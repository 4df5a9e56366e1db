# language_version: 3
# Two series of measurements: weekly carbon dioxide at Mauna Loa, daily weather in Seattle.
# Data: _inputs/time_series/co2.csv and seattle_weather.csv (public domain), see README.md.

# %% Preparation
import numpy as np
import pandas as pd

# %% Read the weekly series
"""
id: load-weeks
query: |
  Read `inputs/co2.csv` into a DataFrame `weeks` with the columns `date` and `co2`. In the file, a date is written as
  eight digits, year, month and day (19580329 is 29 March 1958); turn the column into dates with `pd.to_datetime`. Keep
  the order of the file. Return the number of rows and the mean of `co2` rounded to 3 decimals, as a tuple.
knowledge_points: [reading a file, parsing dates]
tags: [reading, dates]
difficulty: easy
validator:
  namespace_check:
    weeks:
examples:
  accept:
    - |
      weeks = pd.read_csv("inputs/co2.csv", dtype={"date": str})
      weeks["date"] = pd.to_datetime(weeks["date"])
      weeks.shape[0], weeks["co2"].mean().round(3)
  reject:
    - code: |
        weeks = pd.read_csv("inputs/co2.csv")
        weeks["date"] = pd.to_datetime(weeks["date"])
        len(weeks), round(weeks["co2"].mean(), 3)
      why: the digits are taken for nanoseconds since 1970
"""

weeks = pd.read_csv("inputs/co2.csv")
weeks["date"] = pd.to_datetime(weeks["date"].astype(str), format="%Y%m%d")
len(weeks), round(float(weeks["co2"].mean()), 3)

# %% Runs of missing weeks
"""
id: missing-runs
query: |
  A run is a longest possible sequence of consecutive rows of `weeks` without a value of `co2`. Return a DataFrame with one
  row per run of at least 3 weeks: `first` (date of its first week), `last` (date of its last week) and `weeks` (how many
  weeks it has), in the order of time.
knowledge_points: [runs, cumulative sums, grouping]
tags: [missing values, runs]
difficulty: hard
validator:
  result:
    ignore_index: true
examples:
  accept:
    - |
      runs, start = [], None
      for position, value in enumerate([*weeks["co2"], 0.0]):
          if np.isnan(value) and start is None:
              start = position
          elif not np.isnan(value) and start is not None:
              if position - start >= 3:
                  runs.append((weeks["date"][start], weeks["date"][position - 1], position - start))
              start = None
      pd.DataFrame(runs, columns=["first", "last", "weeks"])
  reject:
    - code: |
        gone = weeks["co2"].isna()
        run = (gone != gone.shift()).cumsum()
        table = weeks[gone].groupby(run).agg(first=("date", "first"), last=("date", "last"), weeks=("date", "size"))
        table[table["weeks"] > 3]
      why: leaves out the runs of exactly 3 weeks
"""

_is_missing = weeks["co2"].isna()
_run = (~_is_missing).cumsum()[_is_missing]
_runs = weeks[_is_missing].groupby(_run).agg(first=("date", "first"), last=("date", "last"), weeks=("date", "size"))
_runs[_runs["weeks"] >= 3].reset_index(drop=True)

# %% Fill the gaps
"""
id: fill-gaps
query: |
  Fill the missing values of `co2` in `weeks` by linear interpolation over time: a missing value lies on the straight line
  between the last value before it and the first value after it. Change the column of `weeks` itself; other variables stay
  as they are.
knowledge_points: [interpolation, changing a frame in place]
tags: [missing values]
difficulty: medium
validator:
  template: intact
  namespace_check:
    weeks:
      rtol: 1.0e-6
examples:
  accept:
    - |
      days = (weeks["date"] - weeks["date"].iloc[0]).dt.days
      known = weeks["co2"].notna()
      weeks["co2"] = np.interp(days, days[known], weeks.loc[known, "co2"])
  reject:
    - code: weeks["co2"] = weeks["co2"].ffill()
      why: repeats the last value
"""

weeks["co2"] = weeks.set_index("date")["co2"].interpolate(method="time").to_numpy()

# %% Monthly means
"""
id: monthly-means
query: |
  Make a DataFrame `months` with one row per calendar month that occurs in `weeks`, in the order of time, and the columns
  `year` and `month` (integers, month 1 to 12) and `co2`, the mean of the weeks whose date falls in that month. Its index
  counts from 0.
knowledge_points: [grouping by calendar month, aggregation]
tags: [resampling, dates]
difficulty: medium
validator:
  template: intact
  namespace_check:
    months:
examples:
  accept:
    - |
      monthly = weeks.resample("MS", on="date")["co2"].mean().reset_index()
      months = pd.DataFrame({"year": monthly["date"].dt.year, "month": monthly["date"].dt.month, "co2": monthly["co2"]})
  reject:
    - code: |
        months = weeks.resample("MS", on="date")["co2"].mean().reset_index()
      why: has a date in place of year and month
"""

_keys = [weeks["date"].dt.year.rename("year"), weeks["date"].dt.month.rename("month")]
months = weeks.groupby(_keys)["co2"].mean().reset_index()

# %% Growth from year to year
"""
id: yearly-growth
query: |
  Take the years of `months` that have all twelve months. The value of a year is the mean of its twelve monthly values.
  The growth of a year is its value minus the value of the year before. Return a DataFrame with the columns `year` and
  `growth` (rounded to 2 decimals) of the five years with the largest growth, largest first.
knowledge_points: [complete groups, differences, largest values]
tags: [aggregation, ranking]
difficulty: hard
validator:
  result:
    ignore_index: true
    atol: 0.0051
examples:
  accept:
    - |
      table = months.pivot(index="year", columns="month", values="co2").dropna()
      steps = table.mean(axis=1).diff().sort_values(ascending=False).head(5).round(2)
      pd.DataFrame({"year": steps.index, "growth": steps.values})
  reject:
    - code: |
        yearly = weeks.groupby(weeks["date"].dt.year)["co2"].mean().diff().round(2).nlargest(5)
        pd.DataFrame({"year": yearly.index, "growth": yearly.to_numpy()})
      why: means of weeks, incomplete years included
"""

_by_year = months.groupby("year")["co2"].agg(["size", "mean"])
_growth = _by_year.loc[_by_year["size"] == 12, "mean"].diff().round(2)
_growth.nlargest(5).rename_axis("year").reset_index(name="growth")

# %% The course of a year
"""
id: seasonal-course
query: |
  For the years 1959 to 2000 of `months`: subtract from each monthly value the mean of the twelve values of its year, and
  average these differences over the years for each month 1 to 12. Keep the result as a DataFrame `season` with the columns
  `month` and `deviation`, sorted by month, index from 0. Return the difference between the largest and the smallest
  deviation, rounded to 3 decimals.
knowledge_points: [transform, seasonal component]
tags: [seasonality]
difficulty: hard
validator:
  namespace_check:
    season:
  result:
    atol: 0.0006
examples:
  accept:
    - |
      table = months[months["year"].between(1959, 2000)].pivot(index="year", columns="month", values="co2")
      course = table.sub(table.mean(axis=1), axis=0).mean()
      season = pd.DataFrame({"month": course.index, "deviation": course.to_numpy()})
      round(np.ptp(course.to_numpy()), 3)
"""

_whole = months[months["year"].between(1959, 2000)]
_deviation = _whole["co2"] - _whole.groupby("year")["co2"].transform("mean")
season = _deviation.groupby(_whole["month"]).mean().rename("deviation").reset_index()
round(float(season["deviation"].max() - season["deviation"].min()), 3)

# %% The trend without the seasons
"""
id: trend
query: |
  Add a column `adjusted` to `months`: `co2` minus the `deviation` of its month in `season`. Then fit a straight line by
  least squares to `adjusted` against the time year + (month - 0.5) / 12, over all rows, and return its slope in ppm per
  year as a number, correct to 3 significant digits or better.
knowledge_points: [lookup in another table, least squares]
tags: [seasonality, regression]
difficulty: hard
validator:
  namespace_check:
    months:
  result:
    rtol: 5.0e-4
examples:
  accept:
    - |
      months["adjusted"] = months["co2"] - months.merge(season, on="month", how="left")["deviation"].to_numpy()
      x = months["year"] + (months["month"] - 0.5) / 12
      np.cov(x, months["adjusted"], ddof=1)[0, 1] / np.var(x, ddof=1)
  reject:
    - code: |
        months["adjusted"] = months["co2"] - months["month"].map(season.set_index("month")["deviation"])
        np.polyfit(np.arange(len(months)), months["adjusted"], 1)[0]
      why: slope per month
"""

months["adjusted"] = months["co2"] - months["month"].map(season.set_index("month")["deviation"])
_time = months["year"] + (months["month"] - 0.5) / 12
float(np.polyfit(_time, months["adjusted"], 1)[0])

# %% Read the weather
"""
id: load-days
query: |
  Read `inputs/seattle_weather.csv` into a DataFrame `days`, with the column `date` turned into dates by `pd.to_datetime`
  and a further column `temp_mean` at the end, the mean of `temp_max` and `temp_min` of the day. Return the date of the
  hottest day by `temp_mean` as text in the form YYYY-MM-DD.
knowledge_points: [reading a file, derived columns, position of the maximum]
tags: [reading, dates]
difficulty: easy
validator:
  namespace_check:
    days:
examples:
  accept:
    - |
      days = pd.read_csv("inputs/seattle_weather.csv", parse_dates=["date"])
      days["temp_mean"] = days[["temp_max", "temp_min"]].mean(axis=1)
      str(days.sort_values("temp_mean")["date"].iloc[-1].date())
"""

days = pd.read_csv("inputs/seattle_weather.csv")
days["date"] = pd.to_datetime(days["date"])
days["temp_mean"] = (days["temp_max"] + days["temp_min"]) / 2
days.loc[days["temp_mean"].idxmax(), "date"].strftime("%Y-%m-%d")

# %% Months side by side
"""
id: rain-by-month
query: |
  From `days`, make a table of the summed `precipitation` in mm: a DataFrame with the columns `month` (1 to 12), `y2012`,
  `y2013`, `y2014` and `y2015`, one row per month in order, sums rounded to 1 decimal.
knowledge_points: [pivot table, renaming columns]
tags: [reshaping, aggregation]
difficulty: medium
validator:
  result:
    ignore_index: true
examples:
  accept:
    - |
      table = days.pivot_table(
          index=days["date"].dt.month, columns=days["date"].dt.year, values="precipitation", aggfunc="sum"
      ).round(1)
      table.columns = [f"y{year}" for year in table.columns]
      table.rename_axis("month").reset_index()
    - |
      wide = days.assign(month=days["date"].dt.month, year="y" + days["date"].dt.year.astype(str))
      wide.pivot_table(index="month", columns="year", values="precipitation", aggfunc="sum").round(1).reset_index()
  reject:
    - code: |
        table = days.groupby([days["date"].dt.month, days["date"].dt.year])["precipitation"].sum().unstack().round(1)
        table.rename_axis("month").reset_index()
      why: the columns are years without the y
    - code: |
        table = days.groupby([days["date"].dt.month, days["date"].dt.year])["precipitation"].mean().unstack().round(1)
        table.columns = [f"y{year}" for year in table.columns]
        table.rename_axis("month").reset_index()
      why: means
"""

_sums = days.groupby([days["date"].dt.month, days["date"].dt.year])["precipitation"].sum().unstack().round(1)
_sums.columns = [f"y{year}" for year in _sums.columns]
_sums.rename_axis("month").reset_index()

# %% The longest dry spell
"""
id: dry-spell
query: |
  A dry spell is a sequence of consecutive days of `days` with a `precipitation` of 0, as long as possible. For each year,
  find its longest dry spell; spells do not reach over the turn of the year: a spell is cut there. Return a DataFrame with
  the columns `year`, `first` (date of the first day of the spell) and `length` (number of days), by year. If two spells of
  a year are equally long, take the earlier one.
knowledge_points: [runs, grouping by several keys, ties]
tags: [runs]
difficulty: hard
validator:
  result:
    ignore_index: true
examples:
  accept:
    - |
      rows = []
      for year, part in days.groupby(days["date"].dt.year):
          best = (0, None)
          length = 0
          for date, rain in zip(part["date"], part["precipitation"]):
              length = length + 1 if rain == 0 else 0
              if length > best[0]:
                  best = (length, date - pd.Timedelta(days=length - 1))
          rows.append((year, best[1], best[0]))
      pd.DataFrame(rows, columns=["year", "first", "length"])
  reject:
    - code: |
        dry = days[days["precipitation"] == 0]
        dry.groupby(dry["date"].dt.year).agg(first=("date", "first"), length=("date", "size")).reset_index(names="year")
      why: counts all dry days
"""

_year = days["date"].dt.year.rename("year")
_is_dry = days["precipitation"] == 0
_spell = (~_is_dry).cumsum().rename("spell")[_is_dry]
_spells = days[_is_dry].groupby([_year[_is_dry], _spell])["date"].agg(["first", "size"]).reset_index()
_longest = _spells.sort_values(["year", "size"], ascending=[True, False], kind="stable").drop_duplicates("year")
_longest.rename(columns={"size": "length"})[["year", "first", "length"]].reset_index(drop=True)

# %% The wettest thirty days
"""
id: wettest-weeks
query: |
  Add a column `rain_30` to `days`: the sum of `precipitation` over the 30 days that end with that day, missing for the
  first 29 days. Return the date of the last day of the wettest such window as text YYYY-MM-DD together with its sum
  rounded to 1 decimal, as a tuple.
knowledge_points: [rolling windows]
tags: [rolling]
difficulty: medium
validator:
  namespace_check:
    days:
      rtol: 1.0e-6
      atol: 1.0e-6
  result:
    atol: 0.051
examples:
  accept:
    - |
      rain = days["precipitation"].tolist()
      days["rain_30"] = [sum(rain[i - 29 : i + 1]) if i >= 29 else np.nan for i in range(len(rain))]
      place = days["rain_30"].to_numpy()[29:].argmax() + 29
      str(days["date"].iloc[place])[:10], round(days["rain_30"].iloc[place], 1)
  reject:
    - code: |
        days["rain_30"] = days["precipitation"].rolling(30, min_periods=1).sum()
        top = days.loc[days["rain_30"].idxmax()]
        top["date"].strftime("%Y-%m-%d"), round(top["rain_30"], 1)
      why: shorter windows at the start are filled
"""

days["rain_30"] = days["precipitation"].rolling(30).sum()
_top = days.loc[days["rain_30"].idxmax()]
_top["date"].strftime("%Y-%m-%d"), round(float(_top["rain_30"]), 1)

# %% Memory of the temperature
"""
id: temperature-memory
query: |
  How strongly does `temp_mean` of a day in `days` depend on earlier days? For the lags 1, 2, 3, 7 and 30 days, compute
  Pearson's correlation between the series and the series shifted by the lag, over the days where both exist. Return a
  dictionary from lag to correlation, rounded to 4 decimals.
knowledge_points: [autocorrelation, shifted series]
tags: [statistics]
difficulty: medium
validator:
  result:
    atol: 0.00011
examples:
  accept:
    - |
      warm = days["temp_mean"].to_numpy()
      {lag: np.corrcoef(warm[lag:], warm[:-lag])[0, 1] for lag in (1, 2, 3, 7, 30)}
  reject:
    - code: |
        {lag: round(days["temp_max"].autocorr(lag), 4) for lag in (1, 2, 3, 7, 30)}
      why: another column
"""

{lag: round(float(days["temp_mean"].autocorr(lag)), 4) for lag in (1, 2, 3, 7, 30)}

# %% A forecast without a model
"""
id: naive-forecast
query: |
  Forecast `temp_max` for each day of 2015 by the mean of `temp_max` on the same calendar day (same month and day) in 2012,
  2013 and 2014. Store the forecasts in a DataFrame `forecast` with the columns `date`, `temp_max` (the observed value) and
  `forecast`, in the order of time, and return the mean absolute error in degrees Celsius, rounded to 3 decimals.
knowledge_points: [lookup by calendar day, mean absolute error]
tags: [forecasting]
difficulty: hard
validator:
  namespace_check:
    forecast:
      ignore_index: true
  result:
    atol: 0.0006
  namespace_intact:
    update: []
examples:
  accept:
    - |
      keyed = days.assign(key=days["date"].dt.strftime("%m-%d"))
      past, forecast = keyed[keyed["date"].dt.year < 2015], keyed[keyed["date"].dt.year == 2015]
      means = past.groupby("key")["temp_max"].mean().rename("forecast")
      forecast = forecast.join(means, on="key")[["date", "temp_max", "forecast"]]
      float((forecast["temp_max"] - forecast["forecast"]).abs().mean())
  reject:
    - code: |
        days["key"] = days["date"].dt.dayofyear
        means = days[days["date"].dt.year < 2015].groupby("key")["temp_max"].mean().rename("forecast")
        forecast = days[days["date"].dt.year == 2015].join(means, on="key")[["date", "temp_max", "forecast"]]
        float((forecast["temp_max"] - forecast["forecast"]).abs().mean())
      why: the day of the year shifts in leap years, and days changes
"""

_calendar_day = days["date"].dt.month * 100 + days["date"].dt.day
_is_past = days["date"].dt.year < 2015
_normal = days[_is_past].groupby(_calendar_day[_is_past])["temp_max"].mean()
forecast = days.loc[~_is_past, ["date", "temp_max"]].reset_index(drop=True)
forecast["forecast"] = _calendar_day[~_is_past].map(_normal).to_numpy()
round(float((forecast["temp_max"] - forecast["forecast"]).abs().mean()), 3)

# %% A printed summary
"""
id: printed-years
query: |
  Print one line per year of `days`, in the form of this example:
  `1999: 123 wet days, 456.7 mm, longest 30-day sum 89.1 mm` - the number of days with `precipitation` above 0, the sum of
  `precipitation` and the largest `rain_30` of that year, both with exactly one decimal. Print nothing else.
knowledge_points: [printing, format of numbers]
tags: [output]
difficulty: medium
validator:
  template: basic
  stream:
examples:
  accept:
    - |
      lines = []
      for year in range(2012, 2016):
          part = days[days["date"].dt.year == year]
          wet = part["precipitation"].gt(0).sum()
          lines.append(
              f"{year}: {wet} wet days, {part['precipitation'].sum():.1f} mm, longest 30-day sum {part['rain_30'].max():.1f} mm"
          )
      print(*lines, sep="\n")
  reject:
    - code: |
        for year, part in days.groupby(days["date"].dt.year):
            print(year, (part["precipitation"] > 0).sum(), part["precipitation"].sum(), part["rain_30"].max())
      why: another form
"""

for _year, _part in days.groupby(days["date"].dt.year):
    _wet = (_part["precipitation"] > 0).sum()
    _total, _largest = _part["precipitation"].sum(), _part["rain_30"].max()
    print(f"{_year}: {_wet} wet days, {_total:.1f} mm, longest 30-day sum {_largest:.1f} mm")
