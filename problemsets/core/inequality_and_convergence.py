# language_version: 3
# 142 countries from 1952 to 2007: falls of life expectancy, who counts in a world average, whether the poor caught up.
# Data: _inputs/inequality_and_convergence/gapminder.csv (material of gapminder.org, CC BY 3.0), see README.md.

# %% Preparation
import numpy as np
import pandas as pd

# %% Is the panel complete
"""
id: read-panel
query: |
  Read `inputs/gapminder.csv` into a DataFrame `panel`. I want to follow countries over time, so tell me first whether
  it is complete: return the number of countries, the number of survey years, and how many combinations of a country
  and a survey year have no row, as a tuple.
knowledge_points: [reading a file, distinct values, completeness of a panel]
tags: [reading]
difficulty: easy
validator:
  namespace_check:
    panel:
examples:
  accept:
    - |
      panel = pd.read_csv("inputs/gapminder.csv")
      grid = panel.pivot(index="country", columns="year", values="pop")
      grid.shape[0], grid.shape[1], grid.isna().sum().sum()
  reject:
    - code: |
        panel = pd.read_csv("inputs/gapminder.csv")
        panel["country"].nunique(), panel["year"].nunique(), panel["year"].max() - panel["year"].min() + 1 - 12
      why: counts calendar years without a survey, not missing rows
    - code: |
        panel = pd.read_csv("inputs/gapminder.csv", index_col="country")
        panel.index.nunique(), panel["year"].nunique(), 0
      why: the country is no column of the frame
"""

panel = pd.read_csv("inputs/gapminder.csv")
_countries, _years = panel["country"].nunique(), panel["year"].nunique()
_countries, _years, _countries * _years - len(panel.drop_duplicates(["country", "year"]))

# %% Where life expectancy fell
"""
id: setbacks
query: |
  Life expectancy rises nearly everywhere, so the exceptions deserve a look. Make a DataFrame `setbacks` of all cases
  in which the `lifeExp` of a country fell by more than 2 years from one survey to the next, with the columns
  `country`, `year` (of the later survey), `before` and `after` (the two life expectancies) and `fall` (`before` minus
  `after`), deepest fall first.
knowledge_points: [differences within groups, filtering, sorting]
tags: [change over time]
difficulty: medium
execution:
  max_time: 5
validator:
  template: intact
  namespace_check:
    setbacks:
      ignore_index: true
      equality: {column-order: correct}
examples:
  accept:
    - |
      wide = panel.pivot(index="country", columns="year", values="lifeExp")
      earlier = wide.shift(axis=1)
      table = pd.DataFrame({"after": wide.stack(), "before": earlier.stack()}).dropna().reset_index()
      table["fall"] = table["before"] - table["after"]
      setbacks = table[table["fall"] > 2].sort_values("fall", ascending=False)
  reject:
    - code: |
        table = panel.assign(before=panel["lifeExp"].shift(), after=panel["lifeExp"])
        table["fall"] = table["before"] - table["after"]
        setbacks = table.loc[table["fall"] > 2, ["country", "year", "before", "after", "fall"]]
        setbacks = setbacks.sort_values("fall", ascending=False)
      why: compares the first survey of a country with the last one of the country before it
    - code: |
        table = panel.sort_values(["country", "year"]).rename(columns={"lifeExp": "before"})
        table["after"] = table.groupby("country")["before"].shift(-1)
        table["fall"] = table["before"] - table["after"]
        setbacks = table.loc[table["fall"] > 2, ["country", "year", "before", "after", "fall"]]
        setbacks = setbacks.sort_values("fall", ascending=False)
      why: names the year of the earlier survey
    - code: |
        peak = panel.groupby("country")["lifeExp"].cummax()
        table = panel.assign(before=peak, after=panel["lifeExp"], fall=peak - panel["lifeExp"])
        setbacks = table.loc[table["fall"] > 2, ["country", "year", "before", "after", "fall"]].sort_values(
            "fall", ascending=False
        )
      why: compares with the best survey so far, not with the one before
"""

_ordered = panel.sort_values(["country", "year"])
_before = _ordered.groupby("country")["lifeExp"].shift()
_steps = _ordered[["country", "year"]].assign(before=_before, after=_ordered["lifeExp"])
_steps["fall"] = _steps["before"] - _steps["after"]
setbacks = _steps[_steps["fall"] > 2].sort_values("fall", ascending=False, ignore_index=True)

# %% How long they took to recover
"""
id: recoveries
query: |
  How long did it take to get over these falls? Make a DataFrame `recoveries`: the rows and columns of `setbacks` and a
  column `regained`, the first survey year after `year` in which the life expectancy of the country was at least
  `before` again, missing if that did not happen by 2007. Return how many setbacks were made up for, and the median
  number of years from `year` to `regained` among them, as a tuple.
knowledge_points: [joining a table with itself, conditions on later rows, first row per group]
tags: [joins, change over time]
difficulty: hard
execution:
  max_time: 5
validator:
  namespace_check:
    recoveries:
      ignore_index: true
      ignore_order: true
examples:
  accept:
    - |
      def first_year(row):
          later = panel[(panel["country"] == row["country"]) & (panel["year"] > row["year"])]
          return later.loc[later["lifeExp"] >= row["before"], "year"].min()

      recoveries = setbacks.assign(regained=setbacks.apply(first_year, axis=1))
      recoveries["regained"] = recoveries["regained"].astype("Int64")
      spans = (recoveries["regained"] - recoveries["year"]).dropna()
      len(spans), spans.median()
  reject:
    - code: |
        pairs = setbacks.merge(panel[["country", "year", "lifeExp"]], on="country", suffixes=("", "_other"))
        back = pairs[pairs["lifeExp"] >= pairs["before"]].groupby(["country", "year"])["year_other"].min()
        recoveries = setbacks.join(back.rename("regained"), on=["country", "year"])
        spans = (recoveries["regained"] - recoveries["year"]).dropna()
        len(spans), spans.median()
      why: also looks at surveys before the fall
    - code: |
        pairs = setbacks.merge(panel[["country", "year", "lifeExp"]], on="country", suffixes=("", "_later"))
        back = pairs[(pairs["year_later"] > pairs["year"]) & (pairs["lifeExp"] > pairs["after"])]
        recoveries = setbacks.join(
            back.groupby(["country", "year"])["year_later"].min().rename("regained"), on=["country", "year"]
        )
        spans = (recoveries["regained"] - recoveries["year"]).dropna()
        len(spans), spans.median()
      why: takes the first rise for a recovery
    - code: |
        pairs = setbacks.merge(panel[["country", "year", "lifeExp"]], on="country", suffixes=("", "_later"))
        back = pairs[(pairs["year_later"] > pairs["year"]) & (pairs["lifeExp"] >= pairs["before"])]
        recoveries = (
            back.groupby(["country", "year", "before", "after", "fall"])["year_later"]
            .min()
            .reset_index(name="regained")
        )
        len(recoveries), (recoveries["regained"] - recoveries["year"]).median()
      why: drops the setbacks that were never made up for
"""

_later = panel[["country", "year", "lifeExp"]].rename(columns={"year": "regained"})
_pairs = setbacks.merge(_later, on="country")
_is_back = (_pairs["regained"] > _pairs["year"]) & (_pairs["lifeExp"] >= _pairs["before"])
_first_back = _pairs[_is_back].groupby(["country", "year"])["regained"].min()
recoveries = setbacks.join(_first_back, on=["country", "year"])
_spans = (recoveries["regained"] - recoveries["year"]).dropna()
len(_spans), float(_spans.median())

# %% Continents still below their own past
"""
id: lasting-setbacks
query: |
  Is this an African story? Return a DataFrame with one row for each of the five continents and the columns
  `continent`, `countries` (how many are in `panel`), `hit` (how many of them had a setback), `lasting` (how many of
  them had a setback that was not regained by 2007) and `share` (`lasting` in percent of `countries`, to 1 decimal).
knowledge_points: [distinct counts per group, left join, missing groups]
tags: [joins, aggregation]
difficulty: medium
execution:
  max_time: 5
validator:
  result:
    ignore_index: true
    ignore_order: true
    atol: 0.051
    rtol: 0.0
examples:
  accept:
    - |
      rows = []
      for continent, part in panel.groupby("continent"):
          own = recoveries[recoveries["country"].isin(part["country"])]
          lasting = own.loc[own["regained"].isna(), "country"].nunique()
          countries = part["country"].nunique()
          rows.append((continent, countries, own["country"].nunique(), lasting, 100 * lasting / countries))
      pd.DataFrame(rows, columns=["continent", "countries", "hit", "lasting", "share"])
  reject:
    - code: |
        table = panel.groupby("continent")["country"].nunique().to_frame("countries")
        of = recoveries["country"].map(panel.drop_duplicates("country").set_index("country")["continent"])
        table["hit"] = of.value_counts()
        table["lasting"] = of[recoveries["regained"].isna()].value_counts()
        table = table.fillna(0)
        table["share"] = (100 * table["lasting"] / table["countries"]).round(1)
        table.reset_index()
      why: counts setbacks, not countries
    - code: |
        home = panel[["country", "continent"]].drop_duplicates()
        both = recoveries.merge(home, on="country")
        table = both.groupby("continent").agg(hit=("country", "nunique"))
        table["lasting"] = both[both["regained"].isna()].groupby("continent")["country"].nunique()
        table.insert(0, "countries", home["continent"].value_counts())
        table["share"] = (100 * table["lasting"] / table["countries"]).round(1)
        table.reset_index()
      why: continents without a setback are left out
"""

_homes = panel[["country", "continent"]].drop_duplicates()
_homes["hit"] = _homes["country"].isin(recoveries["country"])
_homes["lasting"] = _homes["country"].isin(recoveries.loc[recoveries["regained"].isna(), "country"])
_lasting = _homes.groupby("continent", as_index=False).agg(
    countries=("country", "size"), hit=("hit", "sum"), lasting=("lasting", "sum")
)
_lasting["share"] = (100 * _lasting["lasting"] / _lasting["countries"]).round(1)
_lasting

# %% The world in one figure
"""
id: world-path
query: |
  A world average depends on who is counted. Make a DataFrame `world` with one row per survey year, in order, and the
  columns `year`, `life_people` (mean of `lifeExp` weighted by population), `life_countries` (mean over countries, each
  counted once) and `income` (the GDP of all countries together per head of their whole population, in dollars). Return
  a list of the years in which `life_people` lies below `life_countries`.
knowledge_points: [weighted means, ratios of sums, comparing two columns]
tags: [aggregation, weights]
difficulty: medium
execution:
  max_time: 5
validator:
  namespace_check:
    world:
      ignore_index: true
      equality: {column-order: correct}
  result:
    equality: {container: correct}
examples:
  accept:
    - |
      rows = []
      for year, part in panel.groupby("year"):
          rows.append((
              year,
              np.average(part["lifeExp"], weights=part["pop"]),
              part["lifeExp"].mean(),
              np.average(part["gdpPercap"], weights=part["pop"]),
          ))
      world = pd.DataFrame(rows, columns=["year", "life_people", "life_countries", "income"])
      [row.year for row in world.itertuples() if row.life_people < row.life_countries]
  reject:
    - code: |
        world = panel.groupby("year", as_index=False).agg(
            life_countries=("lifeExp", "mean"), income=("gdpPercap", "mean")
        )
        world.insert(
            1, "life_people", [np.average(part["lifeExp"], weights=part["pop"]) for _, part in panel.groupby("year")]
        )
        world.loc[world["life_people"] < world["life_countries"], "year"].tolist()
      why: averages income over countries
    - code: |
        total = panel["pop"].sum()
        world = panel.assign(
            life_people=panel["lifeExp"] * panel["pop"] / total,
            life_countries=panel["lifeExp"] / panel["country"].nunique(),
            income=panel["gdpPercap"] * panel["pop"] / total,
        ).groupby("year", as_index=False)[["life_people", "life_countries", "income"]].sum()
        world.loc[world["life_people"] < world["life_countries"], "year"].tolist()
      why: weights by the population of all years together
"""

_weighted = panel.assign(life=panel["lifeExp"] * panel["pop"], gdp=panel["gdpPercap"] * panel["pop"])
_sums = _weighted.groupby("year")[["life", "gdp", "pop"]].sum()
world = pd.DataFrame(
    {
        "life_people": _sums["life"] / _sums["pop"],
        "life_countries": panel.groupby("year")["lifeExp"].mean(),
        "income": _sums["gdp"] / _sums["pop"],
    }
).reset_index()
world.loc[world["life_people"] < world["life_countries"], "year"].tolist()

# %% One country holds the world down
"""
id: one-country
query: |
  Take the latest year in which `life_people` lies below `life_countries` in `world`, and find out whose doing that
  was: for each country, by how much would `life_people` of that year change if the country were left out (the figure
  without it minus the figure with it)? Return the five countries with the largest absolute change, largest first, as a
  DataFrame with the columns `country` and `change` (years, to 3 decimals).
knowledge_points: [leave one out, weighted means, sorting by absolute values]
tags: [weights, influence]
difficulty: hard
execution:
  max_time: 5
validator:
  result:
    ignore_index: true
    atol: 0.00051
    rtol: 0.0
    equality: {column-order: correct}
examples:
  accept:
    - |
      low = world[world["life_people"] < world["life_countries"]].iloc[-1]
      then = panel[panel["year"] == low["year"]]
      found = []
      for country in then["country"]:
          rest = then[then["country"] != country]
          found.append((country, np.average(rest["lifeExp"], weights=rest["pop"]) - low["life_people"]))
      pd.DataFrame(sorted(found, key=lambda pair: -abs(pair[1]))[:5], columns=["country", "change"])
  reject:
    - code: |
        year = world.loc[world["life_people"] < world["life_countries"], "year"].max()
        then = panel[panel["year"] == year].set_index("country")
        change = (then["lifeExp"].sum() - then["lifeExp"]) / (len(then) - 1) - then["lifeExp"].mean()
        change.loc[change.abs().nlargest(5).index].round(3).rename_axis("country").reset_index(name="change")
      why: every country counts the same
    - code: |
        year = world.loc[world["life_people"] < world["life_countries"], "year"].max()
        then = panel[panel["year"] == year].set_index("country")
        life, people = (then["lifeExp"] * then["pop"]), then["pop"]
        change = life.sum() / people.sum() - (life.sum() - life) / (people.sum() - people)
        change.loc[change.abs().nlargest(5).index].round(3).rename_axis("country").reset_index(name="change")
      why: the other way round
    - code: |
        year = world.loc[world["life_people"] < world["life_countries"], "year"].max()
        then = panel[panel["year"] == year].set_index("country")
        life, people = (then["lifeExp"] * then["pop"]), then["pop"]
        change = (life.sum() - life) / (people.sum() - people) - life.sum() / people.sum()
        change.nlargest(5).round(3).rename_axis("country").reset_index(name="change")
      why: leaves out the countries that hold the world up
"""

_low_year = world.loc[world["life_people"] < world["life_countries"], "year"].max()
_then = panel[panel["year"] == _low_year].set_index("country")
_life_years = _then["lifeExp"] * _then["pop"]
_without = (_life_years.sum() - _life_years) / (_then["pop"].sum() - _then["pop"])
_change = _without - world.set_index("year").loc[_low_year, "life_people"]
_most = _change.abs().nlargest(5).index
_change[_most].round(3).rename_axis("country").reset_index(name="change")

# %% A measure of inequality
"""
id: gini-function
query: |
  To see how unequal incomes are, write a function `gini(values, weights)`, which returns the Gini coefficient of
  `values` where value i counts `weights[i]` times: the sum of w_i * w_j * |x_i - x_j| over all pairs (i, j), divided
  by 2 * W**2 * m, where W is the sum of the weights and m the weighted mean of the values. Both arguments are lists,
  arrays or Series of the same length, matched by position and in no particular order; the result is a float.
knowledge_points: [functions, broadcasting, weighted statistics]
tags: [functions, weights, inequality]
difficulty: medium
validator:
  template: intact
  table_test:
    function_name: gini
    test_cases:
      - [[1, 2, 3, 4], [1, 1, 1, 1]]
      - [[30.0, 10.0, 20.0], [1, 5, 2]]
      - [[7, 7, 7], [1, 2, 3]]
      - [[0, 0, 12], [3, 1, 1]]
      - ['`pd.Series([5.0, 1.0, 3.0], index=[2, 0, 1])`', '`pd.Series([1.0, 2.0, 4.0], index=[0, 1, 2])`']
      - ['`np.random.lognormal(8, 1, 50)`', '`np.random.randint(0, 1000, 50)`']
      - //
examples:
  accept:
    - |
      def gini(values, weights):
          pairs = sorted(zip(np.asarray(values, float), np.asarray(weights, float)))
          total = sum(weight for _, weight in pairs)
          mean = sum(value * weight for value, weight in pairs) / total
          below = spread = sums = 0.0
          for value, weight in pairs:
              spread += weight * (value * below - sums)
              below += weight
              sums += weight * value
          return spread / (total**2 * mean)
  reject:
    - code: |
        def gini(values, weights):
            x, w = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
            gaps = np.abs(x[:, None] - x[None, :]) * np.outer(w, w)
            return float(gaps.sum() / (2 * w.sum() ** 2 * x.mean()))
      why: divides by the mean without weights
    - code: |
        def gini(values, weights):
            x, w = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
            share = np.cumsum(w * x) / (w * x).sum()
            return float(1 - ((share + np.append(0, share[:-1])) * w / w.sum()).sum())
      why: a Lorenz curve of values that are not sorted
    - code: |
        def gini(values, weights):
            values, weights = pd.Series(values), pd.Series(weights)
            mean = (values * weights).sum() / weights.sum()
            gaps = [u * v * abs(a - b) for a, u in zip(values, weights) for b, v in zip(values, weights)]
            return sum(gaps) / (2 * weights.sum() ** 2 * mean)
      why: matches Series by their labels
    - code: |
        def gini(values, weights):
            x, w = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
            gaps = w @ np.abs(x[:, None] - x[None, :]) @ w
            return float(gaps / (2 * w.sum() * (w.sum() - 1) * (w * x).sum() / w.sum()))
      why: leaves out the pairs of an element with itself
"""


def gini(values, weights):
    x, w = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    gaps = np.abs(x[:, None] - x[None, :])
    mean = (w * x).sum() / w.sum()
    return float(w @ gaps @ w / (2 * w.sum() ** 2 * mean))


# %% Inequality between people and between countries
"""
id: inequality-path
query: |
  With `gini`, measure for each survey year how unequal `gdpPercap` is between countries (each counts once) and between
  people (a country counts by its population, everybody with its mean). Make a DataFrame `inequality` with the columns
  `year`, `people` and `countries`, in the order of time, and return the years in which `people` and `countries` are
  largest, as a tuple of two.
knowledge_points: [applying a function per group, position of the maximum]
tags: [inequality, change over time]
difficulty: medium
execution:
  max_time: 5
validator:
  namespace_check:
    inequality:
      ignore_index: true
      atol: 0.00051
      rtol: 0.0
      equality: {column-order: correct}
examples:
  accept:
    - |
      inequality = pd.DataFrame(
          [
              {
                  "year": year,
                  "people": gini(part["gdpPercap"], part["pop"]),
                  "countries": gini(part["gdpPercap"], [1] * len(part)),
              }
              for year, part in panel.groupby("year")
          ]
      )
      tuple(inequality.set_index("year").idxmax())
  reject:
    - code: |
        groups = panel.groupby("year")
        inequality = pd.DataFrame({
            "people": [gini(part["gdpPercap"] * part["pop"], np.ones(len(part))) for _, part in groups],
            "countries": [gini(part["gdpPercap"], np.ones(len(part))) for _, part in groups],
        }, index=sorted(panel["year"].unique())).rename_axis("year").reset_index()
        inequality["year"][inequality["people"].idxmax()], inequality["year"][inequality["countries"].idxmax()]
      why: inequality of whole economies
    - code: |
        groups = panel.groupby("year")
        inequality = pd.DataFrame({
            "year": sorted(panel["year"].unique()),
            "people": [gini(part["gdpPercap"], np.ones(len(part))) for _, part in groups],
            "countries": [gini(part["gdpPercap"], part["pop"]) for _, part in groups],
        })
        inequality["year"][inequality["people"].idxmax()], inequality["year"][inequality["countries"].idxmax()]
      why: the two columns are exchanged
"""

inequality = pd.DataFrame(
    {
        "year": _year,
        "people": gini(_part["gdpPercap"], _part["pop"]),
        "countries": gini(_part["gdpPercap"], np.ones(len(_part))),
    }
    for _year, _part in panel.groupby("year")
)
_peaks = inequality.set_index("year").idxmax()
int(_peaks["people"]), int(_peaks["countries"])

# %% Whose rise closed the gap
"""
id: whose-rise
query: |
  Inequality between people has fallen since its peak in `inequality`. Was that a single country's doing? For each of
  the ten countries with the largest population in 2007: how would the Gini coefficient between people have changed
  from the peak year to 2007 (value of 2007 minus value of the peak year) if that country were left out of both years?
  Return a DataFrame with the columns `country` and `change` (to 4 decimals), from the largest change upwards to the
  deepest fall.
knowledge_points: [leave one out, largest values, reusing a function]
tags: [inequality, influence]
difficulty: hard
execution:
  max_time: 5
validator:
  result:
    ignore_index: true
    atol: 0.000051
    rtol: 0.0
    equality: {column-order: correct}
examples:
  accept:
    - |
      peak = int(inequality.sort_values("people")["year"].iloc[-1])
      first, last = (panel[panel["year"] == year].set_index("country") for year in (peak, 2007))
      big = last["pop"].sort_values(ascending=False).index[:10]
      rows = [
          (
              name,
              gini(last.drop(name)["gdpPercap"], last.drop(name)["pop"])
              - gini(first.drop(name)["gdpPercap"], first.drop(name)["pop"]),
          )
          for name in big
      ]
      pd.DataFrame(sorted(rows, key=lambda row: -row[1]), columns=["country", "change"])
  reject:
    - code: |
        peak = int(inequality.loc[inequality["people"].idxmax(), "year"])
        first, last = (panel[panel["year"] == year].set_index("country") for year in (peak, 2007))
        start = inequality["people"].max()
        big = last["pop"].nlargest(10).index
        change = {name: gini(last.drop(name)["gdpPercap"], last.drop(name)["pop"]) - start for name in big}
        pd.Series(change).sort_values(ascending=False).round(4).rename_axis("country").reset_index(name="change")
      why: leaves the country out of one year only
    - code: |
        peak = int(inequality.loc[inequality["countries"].idxmax(), "year"])
        first, last = (panel[panel["year"] == year].set_index("country") for year in (peak, 2007))
        big = last["pop"].nlargest(10).index
        change = {
            name: gini(last.drop(name)["gdpPercap"], last.drop(name)["pop"])
            - gini(first.drop(name)["gdpPercap"], first.drop(name)["pop"])
            for name in big
        }
        pd.Series(change).sort_values(ascending=False).round(4).rename_axis("country").reset_index(name="change")
      why: the peak of inequality between countries
"""


def _people_gini(year, left_out):
    _rest = panel[(panel["year"] == year) & (panel["country"] != left_out)]
    return gini(_rest["gdpPercap"], _rest["pop"])


_peak = inequality.loc[inequality["people"].idxmax(), "year"]
_largest = panel[panel["year"] == 2007].nlargest(10, "pop")["country"]
_changes = {name: _people_gini(2007, name) - _people_gini(_peak, name) for name in _largest}
_changes = pd.Series(_changes).sort_values(ascending=False)
_changes.round(4).rename_axis("country").reset_index(name="change")

# %% Fifty-five years of growth
"""
id: growth
query: |
  Make a DataFrame `growth` with one row per country and the columns `country`, `continent`, `start` and `end` (its
  `gdpPercap` in 1952 and 2007) and `rate`: the constant growth per year, in percent, that leads from one to the other
  in 55 years (compound growth). Return a list of the countries that were poorer per head in 2007 than in 1952, the
  steepest decline first.
knowledge_points: [reshaping to wide form, compound growth, sorting]
tags: [reshaping, change over time]
difficulty: medium
validator:
  namespace_check:
    growth:
      ignore_index: true
      ignore_order: true
      atol: 0.00051
      rtol: 1.0e-5
  result:
    equality: {container: correct}
examples:
  accept:
    - |
      first = panel.loc[panel["year"] == 1952, ["country", "continent", "gdpPercap"]].rename(
          columns={"gdpPercap": "start"}
      )
      last = panel.loc[panel["year"] == 2007, ["country", "gdpPercap"]].rename(columns={"gdpPercap": "end"})
      growth = first.merge(last, on="country")
      growth["rate"] = np.expm1(np.log(growth["end"] / growth["start"]) / 55) * 100
      growth.sort_values("rate").query("rate < 0")["country"].to_list()
  reject:
    - code: |
        wide = panel.pivot(index=["country", "continent"], columns="year", values="gdpPercap")
        growth = wide[[1952, 2007]].set_axis(["start", "end"], axis=1).reset_index()
        growth["rate"] = 100 * (growth["end"] / growth["start"] - 1) / 55
        growth[growth["rate"] < 0].sort_values("rate")["country"].tolist()
      why: total growth shared out evenly, without compounding
    - code: |
        wide = panel.pivot(index=["country", "continent"], columns="year", values="gdpPercap")
        growth = wide[[1952, 2007]].set_axis(["start", "end"], axis=1).reset_index()
        growth["rate"] = 100 * ((growth["end"] / growth["start"]) ** (1 / 12) - 1)
        growth[growth["rate"] < 0].sort_values("rate")["country"].tolist()
      why: growth per survey
"""

_incomes = panel.pivot(index=["country", "continent"], columns="year", values="gdpPercap")
growth = pd.DataFrame({"start": _incomes[1952], "end": _incomes[2007]}).reset_index()
growth["rate"] = 100 * ((growth["end"] / growth["start"]) ** (1 / 55) - 1)
growth[growth["rate"] < 0].sort_values("rate")["country"].tolist()

# %% Did the poor catch up
"""
id: catching-up
query: |
  If poor countries catch up, `rate` should be lower where `start` was higher. Fit a straight line by least squares to
  `rate` against the natural logarithm of `start` in `growth`, every country counted once: for the whole world, and for
  each continent with at least ten countries. Return a dictionary from `all` and the names of these continents to the
  slope, to 3 decimals.
knowledge_points: [least squares by group, logarithms, filtering groups by size]
tags: [regression]
difficulty: medium
validator:
  result:
    atol: 0.00051
    rtol: 0.0
examples:
  accept:
    - |
      def slope(rows):
          x = np.log(rows["start"])
          return np.cov(x, rows["rate"])[0, 1] / x.var()

      slopes = {"all": slope(growth)}
      for name, size in growth["continent"].value_counts().items():
          if size >= 10:
              slopes[name] = slope(growth[growth["continent"] == name])
      slopes
  reject:
    - code: |
        slopes = {"all": growth}
        slopes.update({name: rows for name, rows in growth.groupby("continent") if len(rows) >= 10})
        {name: round(np.polyfit(np.log10(rows["start"]), rows["rate"], 1)[0], 3) for name, rows in slopes.items()}
      why: common logarithms
    - code: |
        parts = {"all": growth, **dict(iter(growth.groupby("continent")))}
        {name: round(np.polyfit(np.log(rows["start"]), rows["rate"], 1)[0], 3) for name, rows in parts.items()}
      why: draws a line through the two countries of Oceania
    - code: |
        parts = {"all": growth, **{name: rows for name, rows in growth.groupby("continent") if len(rows) >= 10}}
        {name: round(np.log(rows["start"]).corr(rows["rate"]), 3) for name, rows in parts.items()}
      why: correlations
"""

_groups = {name: rows for name, rows in growth.groupby("continent") if len(rows) >= 10}
{
    name: round(float(np.polyfit(np.log(rows["start"]), rows["rate"], 1)[0]), 3)
    for name, rows in {"all": growth, **_groups}.items()
}

# %% The income ladder
"""
id: income-ladder
query: |
  A slope hides who overtook whom. Put the countries of `growth` into fifths by `start`, and again by `end`, from 1
  (the poorest) to 5 (the richest), cut at the quintiles as `pd.qcut` does. Make a DataFrame `moves` with the columns
  `country`, `continent`, `from_fifth` and `to_fifth`, and return a table of counts with the fifth of 1952 as index and
  the fifth of 2007 as columns, both from 1 to 5.
knowledge_points: [quantile classes, cross tabulation, transition table]
tags: [binning, reshaping]
difficulty: medium
validator:
  namespace_check:
    moves:
      ignore_index: true
      ignore_order: true
examples:
  accept:
    - |
      def fifth(values):
          edges = np.quantile(values, [0.2, 0.4, 0.6, 0.8])
          return 1 + np.searchsorted(edges, values, side="left")

      moves = growth[["country", "continent"]].copy()
      moves["from_fifth"], moves["to_fifth"] = fifth(growth["start"]), fifth(growth["end"])
      moves.groupby(["from_fifth", "to_fifth"]).size().unstack(fill_value=0)
    - |
      moves = growth[["country", "continent"]].assign(
          from_fifth=pd.qcut(growth["start"], 5, labels=[1, 2, 3, 4, 5]),
          to_fifth=pd.qcut(growth["end"], 5, labels=[1, 2, 3, 4, 5]),
      )
      moves.pivot_table(
          index="from_fifth", columns="to_fifth", values="country", aggfunc="count", fill_value=0, observed=False
      )
  reject:
    - code: |
        moves = growth[["country", "continent"]].copy()
        moves["from_fifth"] = pd.cut(growth["start"], 5, labels=False) + 1
        moves["to_fifth"] = pd.cut(growth["end"], 5, labels=False) + 1
        pd.crosstab(moves["from_fifth"], moves["to_fifth"])
      why: classes of equal width
    - code: |
        moves = growth[["country", "continent"]].copy()
        moves["from_fifth"] = pd.qcut(growth["start"], 5, labels=False) + 1
        moves["to_fifth"] = pd.qcut(growth["end"], 5, labels=False) + 1
        pd.crosstab(moves["to_fifth"], moves["from_fifth"])
      why: rows and columns are exchanged
    - code: |
        fifth = pd.qcut(pd.concat([growth["start"], growth["end"]]), 5, labels=False) + 1
        moves = growth[["country", "continent"]].copy()
        moves["from_fifth"], moves["to_fifth"] = fifth[: len(growth)].to_numpy(), fifth[len(growth) :].to_numpy()
        pd.crosstab(moves["from_fifth"], moves["to_fifth"])
      why: quintiles of both years together
"""

moves = growth[["country", "continent"]].copy()
moves["from_fifth"] = pd.qcut(growth["start"], 5, labels=False) + 1
moves["to_fifth"] = pd.qcut(growth["end"], 5, labels=False) + 1
pd.crosstab(moves["from_fifth"], moves["to_fifth"])

# %% Long ways up and down
"""
id: long-ways
query: |
  Who moved by two fifths or more in `moves`, and did those on the way down also have setbacks in life expectancy?
  Return a DataFrame with the columns `country`, `steps` (`to_fifth` minus `from_fifth`), `rate` (from `growth`) and
  `setbacks` (how many rows of `setbacks` the country has, 0 if none): the longest way up first, the longest way down
  last, among equal steps the higher rate first.
knowledge_points: [joining results, missing counts, sorting by two keys]
tags: [joins, ranking]
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
      steps = moves.set_index("country").eval("to_fifth - from_fifth").rename("steps")
      table = steps[abs(steps) > 1].to_frame().join(growth.set_index("country")["rate"])
      table.insert(0, "setbacks", [sum(setbacks["country"] == country) for country in table.index])
      table.sort_values(["steps", "rate"], ascending=False).reset_index()
  reject:
    - code: |
        table = moves.assign(steps=moves["to_fifth"] - moves["from_fifth"]).merge(
            growth[["country", "rate"]], on="country"
        )
        table = table[table["steps"] >= 2].assign(
            setbacks=table["country"].map(setbacks["country"].value_counts()).fillna(0)
        )
        table.sort_values(["steps", "rate"], ascending=False)[["country", "steps", "rate", "setbacks"]]
      why: leaves out the ways down
    - code: |
        table = moves.assign(steps=moves["to_fifth"] - moves["from_fifth"]).merge(
            growth[["country", "rate"]], on="country"
        )
        table = table[table["steps"].abs() >= 2].merge(
            setbacks["country"].value_counts().reset_index(name="setbacks"), on="country"
        )
        table.sort_values(["steps", "rate"], ascending=False)[["country", "steps", "rate", "setbacks"]]
      why: leaves out the countries without a setback
"""

_steps_moved = moves.assign(steps=moves["to_fifth"] - moves["from_fifth"])
_far = _steps_moved[_steps_moved["steps"].abs() >= 2].merge(growth[["country", "rate"]], on="country")
_far["setbacks"] = _far["country"].map(setbacks["country"].value_counts()).fillna(0).astype("int64")
_far = _far.sort_values(["steps", "rate"], ascending=False, ignore_index=True)
_far[["country", "steps", "rate", "setbacks"]]

# %% What income does not explain
"""
id: income-line
query: |
  Is life shorter in 2007 than income would suggest where a setback was never made up for? Fit a straight line by least
  squares to `lifeExp` against the logarithm of `gdpPercap` for 2007, every country counted once. Make a DataFrame
  `gaps` with the columns `country`, `expected` (on the line) and `gap` (`lifeExp` minus `expected`). Return the mean
  gap of the countries with a setback that was not regained, and that of all other countries, as a tuple, to 2
  decimals.
knowledge_points: [least squares, residuals, comparing two groups]
tags: [regression, aggregation]
difficulty: hard
validator:
  namespace_check:
    gaps:
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
      now = panel[panel["year"] == 2007]
      design = np.column_stack([np.ones(len(now)), np.log10(now["gdpPercap"])])
      coefficients, *_ = np.linalg.lstsq(design, now["lifeExp"], rcond=None)
      gaps = pd.DataFrame({"country": now["country"], "expected": design @ coefficients})
      gaps["gap"] = now["lifeExp"] - gaps["expected"]
      lasting = gaps["country"].isin(recoveries[recoveries["regained"].isna()]["country"])
      means = gaps.groupby(lasting)["gap"].mean()
      (means[True], means[False])
  reject:
    - code: |
        now = panel[panel["year"] == 2007]
        line = np.polyfit(now["gdpPercap"], now["lifeExp"], 1)
        gaps = now[["country"]].assign(expected=np.polyval(line, now["gdpPercap"]))
        gaps["gap"] = now["lifeExp"] - gaps["expected"]
        lasting = gaps["country"].isin(recoveries.loc[recoveries["regained"].isna(), "country"])
        gaps.loc[lasting, "gap"].mean().round(2), gaps.loc[~lasting, "gap"].mean().round(2)
      why: income itself, not its logarithm
    - code: |
        now = panel[panel["year"] == 2007]
        line = np.polyfit(np.log(now["gdpPercap"]), now["lifeExp"], 1)
        gaps = now[["country"]].assign(expected=np.polyval(line, np.log(now["gdpPercap"])))
        gaps["gap"] = now["lifeExp"] - gaps["expected"]
        hit = gaps["country"].isin(setbacks["country"])
        gaps.loc[hit, "gap"].mean().round(2), gaps.loc[~hit, "gap"].mean().round(2)
      why: counts the setbacks that were made up for
    - code: |
        line = np.polyfit(np.log(panel["gdpPercap"]), panel["lifeExp"], 1)
        now = panel[panel["year"] == 2007]
        gaps = now[["country"]].assign(expected=np.polyval(line, np.log(now["gdpPercap"])))
        gaps["gap"] = now["lifeExp"] - gaps["expected"]
        lasting = gaps["country"].isin(recoveries.loc[recoveries["regained"].isna(), "country"])
        gaps.loc[lasting, "gap"].mean().round(2), gaps.loc[~lasting, "gap"].mean().round(2)
      why: a line through all years
"""

_now = panel[panel["year"] == 2007]
_log_income = np.log(_now["gdpPercap"])
_line = np.polyfit(_log_income, _now["lifeExp"], 1)
gaps = pd.DataFrame({"country": _now["country"], "expected": np.polyval(_line, _log_income)}).reset_index(drop=True)
gaps["gap"] = _now["lifeExp"].to_numpy() - gaps["expected"]
_is_lasting = gaps["country"].isin(recoveries.loc[recoveries["regained"].isna(), "country"])
round(float(gaps.loc[_is_lasting, "gap"].mean()), 2), round(float(gaps.loc[~_is_lasting, "gap"].mean()), 2)
