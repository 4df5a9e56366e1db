# language_version: 3

# %% The session of CIBench: data/ is inputs/, no GPU, no input, no shell
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
if not os.path.exists("data") and os.path.isdir("inputs"):
    os.symlink("inputs", "data")


def input(*args, **kwargs):
    raise NotImplementedError("input() is disabled here")


get_ipython().system = lambda *command: print("The package is assumed to be here: shell commands are disabled")

# %%
"""
query: |
  Read `data/seattle_weather.csv` with pandas into a DataFrame `weather`, with the column `date` as dates. Add two
  columns of whole numbers, `year` and `month`, taken from the date. Print nothing.
family:
  cibench:
    step: 1
    thought: I read the file with parsed dates and take year and month from them.
    modules: pandas
    step_type: exec
validator: {template: basic, namespace_check: {weather: }}
execution: {max_time: 30}
"""
import pandas as pd

weather = pd.read_csv("data/seattle_weather.csv", parse_dates=["date"])
weather["year"] = weather["date"].dt.year
weather["month"] = weather["date"].dt.month

# %%
"""
query: |
  Draw as one line how the precipitation of 2014 adds up: for each day of that year the sum of `precipitation` from 1
  January to this day, with the dates on the x axis. Use the title "Precipitation since the start of 2014", the x axis
  label "date" and the y axis label "precipitation (mm)".
family:
  cibench:
    step: 2
    thought: I select the days of 2014 and plot the cumulative sum of the precipitation over the date.
    modules: pandas & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
import matplotlib.pyplot as plt

days = weather[weather["year"] == 2014]
fig, ax = plt.subplots(figsize=(8, 4))
ax.plot(days["date"], days["precipitation"].cumsum())
ax.set_title("Precipitation since the start of 2014")
ax.set_xlabel("date")
ax.set_ylabel("precipitation (mm)");

# %%
"""
query: |
  Draw a histogram of the wind speed `wind` of all days with matplotlib: ten bins, each 1 m/s wide, from 0 to 10,
  filled bars that show the number of days. Keep the heights of the bars as `counts` and the edges of the bins as
  `edges`, both as `hist` returns them. Use the title "Wind in Seattle", the x axis label "wind speed (m/s)" and the
  y axis label "days".
family:
  cibench:
    step: 3
    thought: I call hist with bins from 0 to 10 and keep the counts and edges that it returns.
    modules: matplotlib
    step_type: vis
validator: {template: basic, namespace_check: {counts: , edges: }, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, ax = plt.subplots()
counts, edges, _ = ax.hist(weather["wind"], bins=range(11))
ax.set_title("Wind in Seattle")
ax.set_xlabel("wind speed (m/s)")
ax.set_ylabel("days");

# %%
"""
query: |
  Which bar of the wind histogram is the highest? Print its number of days, then the lower and the upper edge of its
  bin in m/s, from `counts` and `edges`. Print nothing but these numbers.
family:
  cibench:
    step: 4
    thought: |
      The position of the largest count gives the bar, and the edges at this position and the next one bound its
      bin.
    modules: numpy
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
highest = counts.argmax()
print(counts[highest], edges[highest], edges[highest + 1])

# %%
"""
query: |
  On which day was it warmest, on which wettest and on which windiest: the days with the highest `temp_max`,
  `precipitation` and `wind`? Print one line for each of the three in this order, in the form `warmest: 2013-05-27`,
  `wettest: ` and `windiest: ` likewise, and nothing else.
family:
  cibench:
    step: 5
    thought: idxmax gives the row of the largest value of each column, and I print its date.
    modules: pandas
    step_type: text
validator: {template: basic, text: {pass_at: 0.96}, numeric: }
execution: {max_time: 30}
"""
for word, column in {"warmest": "temp_max", "wettest": "precipitation", "windiest": "wind"}.items():
    print(f"{word}: {weather.loc[weather[column].idxmax(), 'date']:%Y-%m-%d}")

# %%
"""
query: |
  Draw a pie chart of the number of days of each kind of weather, one part for each of the five kinds, the most
  frequent first. Write the name of its kind beside each part and its share in percent with one decimal place, such
  as 12.3%, into it. Use the title "Weather in Seattle, 2012-2015"; leave out axis labels and a legend.
family:
  cibench:
    step: 6
    thought: I pass the counts to pie with the names as labels and a percent format.
    modules: matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
kinds = weather["weather"].value_counts()
fig, ax = plt.subplots()
ax.pie(kinds, labels=kinds.index, autopct="%.1f%%")
ax.set_title("Weather in Seattle, 2012-2015");

# %%
"""
query: |
  Build a DataFrame `monthly` with the means of `temp_max`, `temp_min`, `precipitation` and `wind` for each calendar
  month over all years: the months 1 to 12 are its index, and the columns keep their names, in this order. Print
  nothing.
family:
  cibench:
    step: 7
    thought: I group by month and take the mean of the four columns.
    modules: pandas
    step_type: exec
validator: {template: basic, namespace_check: {monthly: }}
execution: {max_time: 30}
"""
monthly = weather.groupby("month")[["temp_max", "temp_min", "precipitation", "wind"]].mean()

# %%
"""
query: |
  Draw two lines in one plot, the mean `temp_max` and the mean `temp_min` in `monthly`, with the months as the
  numbers 1 to 12 on the x axis. Add a legend with the entries "mean maximum" and "mean minimum". Use the title
  "Temperature through the year", the x axis label "month" and the y axis label "temperature (°C)".
family:
  cibench:
    step: 8
    thought: I plot both columns over the months with labels and show the legend.
    modules: matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, ax = plt.subplots()
ax.plot(monthly.index, monthly["temp_max"], label="mean maximum")
ax.plot(monthly.index, monthly["temp_min"], label="mean minimum")
ax.set_title("Temperature through the year")
ax.set_xlabel("month")
ax.set_ylabel("temperature (°C)")
ax.legend();

# %%
"""
query: |
  In which month of `monthly` are the two temperature lines farthest apart? Print the number of the month, then the
  difference of mean maximum and mean minimum in that month, rounded to two decimal places. Print nothing but these
  numbers.
family:
  cibench:
    step: 9
    thought: I subtract the two columns and look for the largest difference.
    modules: pandas
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
gap = monthly["temp_max"] - monthly["temp_min"]
print(gap.idxmax(), round(gap.max(), 2))

# %%
"""
query: |
  Draw one figure of two plots, one above the other. Above: vertical bars of the mean `precipitation` in `monthly`,
  standing at 1 to 12 on the x axis, with the title "Precipitation" and the y axis label "mm per day". Below: a line
  of the mean `wind` in `monthly` over the months 1 to 12, with the title "Wind", the x axis label "month" and the y
  axis label "m/s".
family:
  cibench:
    step: 10
    thought: I make two rows of axes, draw bars into the upper and a line into the lower one.
    modules: matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, (upper, lower) = plt.subplots(2, 1, layout="constrained")
upper.bar(monthly.index, monthly["precipitation"])
upper.set_title("Precipitation")
upper.set_ylabel("mm per day")
lower.plot(monthly.index, monthly["wind"])
lower.set_title("Wind")
lower.set_xlabel("month")
lower.set_ylabel("m/s");

# %%
"""
query: |
  Build a table `by_year` of the mean `temp_max` with one row for each year, 2012 to 2015, and one column for each
  month, 1 to 12. Print its smallest value, then its largest, each rounded to two decimal places. Print nothing but
  these numbers.
family:
  cibench:
    step: 11
    thought: A pivot table with years as rows and months as columns holds the means.
    modules: pandas
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
by_year = weather.pivot_table(index="year", columns="month", values="temp_max", aggfunc="mean")
print(round(by_year.min().min(), 2), round(by_year.max().max(), 2))

# %%
"""
query: |
  Draw one figure of four plots in two rows and two columns, one for each year: 2012 top left, 2013 top right, 2014
  bottom left, 2015 bottom right. Each plot shows the row of its year in `by_year` as one line over the months 1 to
  12 and has the year as its title. Give the figure the title "Mean maximum temperature", the two lower plots the x
  axis label "month" and the two left plots the y axis label "temperature (°C)".
family:
  cibench:
    step: 12
    thought: I make a grid of two by two axes that share the y axis and draw the line of one year into each.
    modules: matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, axes = plt.subplots(2, 2, sharex=True, sharey=True, layout="constrained")
for ax, (year, means) in zip(axes.flat, by_year.iterrows()):
    ax.plot(means.index, means)
    ax.set_title(year)
for ax in axes[1]:
    ax.set_xlabel("month")
for ax in axes[:, 0]:
    ax.set_ylabel("temperature (°C)")
fig.suptitle("Mean maximum temperature");
