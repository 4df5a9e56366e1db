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
query: 把 `data/seattle_weather.csv` 读入名为 `weather` 的 DataFrame，并把 `date` 列解析为日期。请依次打印它的行数和列数。除这些数以外不要打印其他内容。
family:
  cibench:
    step: 1
    thought: 用 pandas 读取文件并解析日期，然后打印行数和列数。
    modules: pandas
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
import pandas as pd

weather = pd.read_csv("data/seattle_weather.csv", parse_dates=["date"])
print(weather.shape[0], weather.shape[1])

# %%
"""
query: |
  给 `weather` 增加三列：`year`（日期的年份，整数）、`month`（日期的月份，整数 1 到 12）和 `temp_range`（每天的最高气温 `temp_max` 减去最低气温
  `temp_min`，不取整）。不需要打印任何内容。
family:
  cibench:
    step: 2
    thought: 从日期列取出年份和月份，再用两列气温相减得到日温差。
    modules: pandas
    step_type: exec
validator: {template: basic, namespace_check: {weather: }}
execution: {max_time: 30}
"""
weather["year"] = weather["date"].dt.year
weather["month"] = weather["date"].dt.month
weather["temp_range"] = weather["temp_max"] - weather["temp_min"]

# %%
"""
query: 整个时期里 `temp_max` 的最大值、`temp_min` 的最小值和 `temp_range` 的平均值各是多少？请按这个顺序打印这三个数，平均值四舍五入保留两位小数。除这些数以外不要打印其他内容。
family:
  cibench:
    step: 3
    thought: 分别求最大值、最小值和平均值，并按顺序打印。
    modules: pandas
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
print(weather["temp_max"].max(), weather["temp_min"].min(), round(weather["temp_range"].mean(), 2))

# %%
"""
query: |
  `weather` 列中出现天数最多的三种天气是什么，各有多少天？请按天数从多到少，每种天气打印一行，格式为 `天气: 天数`，天气名保留数据中的英文，例如 `snow: 5`。不要打印其他内容。
family:
  cibench:
    step: 4
    thought: value_counts 会按次数从多到少排列，取前三项逐行打印即可。
    modules: pandas
    step_type: text
validator: {template: basic, text: {pass_at: 0.9}, numeric: }
execution: {max_time: 30}
"""
for kind, days in weather["weather"].value_counts().head(3).items():
    print(f"{kind}: {days}")

# %%
"""
query: |
  请画一张竖直的柱状图，显示每种天气的平均风速（`wind` 列的平均值），每种天气一根柱子，从左到右按平均风速从大到小排列。标题为 "Mean wind by weather"，x 轴标签为 "weather"，y 轴标签为
  "wind speed (m/s)"。
family:
  cibench:
    step: 5
    thought: 按天气分组求平均风速，从大到小排序后画成柱状图。
    modules: pandas & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
import matplotlib.pyplot as plt

fig, ax = plt.subplots()
weather.groupby("weather")["wind"].mean().sort_values(ascending=False).plot.bar(ax=ax, rot=0)
ax.set_title("Mean wind by weather")
ax.set_xlabel("weather")
ax.set_ylabel("wind speed (m/s)");

# %%
"""
query: |
  请按年和月汇总，生成名为 `monthly` 的 DataFrame，每个年月一行，按时间先后排列，包含四列：`year`、`month`、`rain`（该月 `precipitation` 的总和）和
  `mean_max`（该月 `temp_max` 的平均值）。索引从 0 开始，数值不取整，也不需要打印。
family:
  cibench:
    step: 6
    thought: 按年和月分组，用命名聚合同时求降水总量和平均最高气温。
    modules: pandas
    step_type: exec
validator: {template: basic, namespace_check: {monthly: }}
execution: {max_time: 30}
"""
monthly = weather.groupby(["year", "month"], as_index=False).agg(
    rain=("precipitation", "sum"), mean_max=("temp_max", "mean")
)

# %%
"""
query: |
  `monthly` 中哪个月的降水总量最大？请依次打印这个月的年份、月份和降水总量（单位为毫米，四舍五入保留一位小数）。除这些数以外不要打印其他内容。
family:
  cibench:
    step: 7
    thought: 用 idxmax 找到降水最多的一行，再打印它的年份、月份和总量。
    modules: pandas
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
wettest = monthly.loc[monthly["rain"].idxmax()]
print(int(wettest["year"]), int(wettest["month"]), round(wettest["rain"], 1))

# %%
"""
query: |
  请用 `scatter` 画一张散点图，看看 `monthly` 中气温和降水的关系：每个年月一个点，x 轴为 `mean_max`，y 轴为 `rain`。每年一种颜色，图例的四个条目为
  "2012"、"2013"、"2014" 和 "2015"。标题为 "Rain and temperature by month"，x 轴标签为 "mean maximum temperature (°C)"，y 轴标签为 "rain (mm)"。
family:
  cibench:
    step: 8
    thought: 把每一年的月份分别画成一种颜色的散点，并以年份作为图例。
    modules: pandas & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, ax = plt.subplots()
for year, rows in monthly.groupby("year"):
    ax.scatter(rows["mean_max"], rows["rain"], label=str(year))
ax.set_title("Rain and temperature by month")
ax.set_xlabel("mean maximum temperature (°C)")
ax.set_ylabel("rain (mm)")
ax.legend();

# %%
"""
query: |
  每一年里，降水量（`precipitation`）大于 0 的日子最多连续了多少天？每年单独计算，跨年的连续日子在年底断开。请按年份先后，每年打印一行，格式为 `年份: 天数`，不要打印其他内容。
family:
  cibench:
    step: 9
    thought: 在每一年里给无雨的日子累计编号，同一编号下有雨的天数就是一段连续降水的长度，再取最大值。
    modules: pandas
    step_type: text
validator: {template: basic, text: {pass_at: 0.9}, numeric: }
execution: {max_time: 30}
"""
for year, days in weather.groupby("year"):
    wet = days["precipitation"] > 0
    print(f"{year}: {wet.groupby((~wet).cumsum()).sum().max()}")

# %%
"""
query: 请给 `weather` 增加一列 `rolling30`：`temp_max` 的 30 天滑动平均，即当天与之前 29 天的平均值；不足 30 天的最初 29 行保留为缺失值。不需要打印任何内容。
family:
  cibench:
    step: 10
    thought: 对按日期排列的最高气温使用窗口为 30 的 rolling 求平均。
    modules: pandas
    step_type: exec
validator: {template: basic, namespace_check: {weather: }}
execution: {max_time: 30}
"""
weather["rolling30"] = weather["temp_max"].rolling(30).mean()

# %%
"""
query: |
  请在一张图里为 2015 年的每一天画两条折线：`temp_max` 和 `rolling30`，x 轴为日期。图例的条目依次为 "daily" 和 "30-day mean"。标题为 "Maximum temperature
  in 2015"，x 轴标签为 "date"，y 轴标签为 "temperature (°C)"。
family:
  cibench:
    step: 11
    thought: 选出 2015 年的数据，以日期为 x 轴画两条折线并加上图例。
    modules: pandas & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
days = weather[weather["year"] == 2015]
fig, ax = plt.subplots(figsize=(8, 4))
ax.plot(days["date"], days["temp_max"], label="daily")
ax.plot(days["date"], days["rolling30"], label="30-day mean")
ax.set_title("Maximum temperature in 2015")
ax.set_xlabel("date")
ax.set_ylabel("temperature (°C)")
ax.legend();

# %%
"""
query: |
  请画一张堆叠柱状图，显示每年每种天气的天数：每年一根柱子，从左到右为 2012 到 2015 年；年份要先转换为字符串，作为类别放在 x 轴上。每根柱子从下到上依次为
  drizzle、fog、rain、snow、sun，某年没有出现的天气画成高度为 0 的一段。图例的条目就是这五个英文名称。标题为 "Days by weather and year"，x 轴标签为 "year"，y 轴标签为
  "days"。
family:
  cibench:
    step: 12
    thought: 用 crosstab 统计每年每种天气的天数，把年份转换为字符串，再画堆叠柱状图。
    modules: pandas & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
table = pd.crosstab(weather["year"].astype(str), weather["weather"])
fig, ax = plt.subplots()
table.plot.bar(stacked=True, ax=ax, rot=0)
ax.set_title("Days by weather and year")
ax.set_xlabel("year")
ax.set_ylabel("days")
ax.legend();
