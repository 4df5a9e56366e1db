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
  请把 `data/statecrime.csv`（美国各州的犯罪率和生活状况）读入 DataFrame `crime`，依次打印它的行数，以及 `violent` 列的平均值（保留两位小数）。除这些数以外不要打印其他内容。
family:
  cibench:
    step: 1
    thought: 先用 pandas 读取文件，再统计行数并计算平均值。
    modules: pandas
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
import pandas as pd

crime = pd.read_csv("data/statecrime.csv")
print(len(crime), round(crime["violent"].mean(), 2))

# %%
"""
query: |
  用 `scatter` 画一张散点图，看看单亲家庭比例和暴力犯罪率的关系：每个州一个点，x 轴为 `single`，y 轴为 `violent`。标题写 "Single parents and violent crime"，x 轴标签写
  "Single parents (%)"，y 轴标签写 "Violent crimes per 100,000"。
family:
  cibench:
    step: 2
    thought: 用 matplotlib 直接画出这两列的散点图，并加上标题和坐标轴标签。
    modules: matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
import matplotlib.pyplot as plt

fig, ax = plt.subplots()
ax.scatter(crime["single"], crime["violent"])
ax.set_title("Single parents and violent crime")
ax.set_xlabel("Single parents (%)")
ax.set_ylabel("Violent crimes per 100,000")

# %%
"""
query: |
  我想预测 `violent`。请依次取 `hs_grad`、`poverty`、`single`、`white`、`urban` 这五列作为 `X`，取 `violent` 作为 `y`，再用 scikit-learn 的 `train_test_split`
  分成 `X_train`、`X_test`、`y_train`、`y_test`，测试集占 30%，`random_state=0`。
family:
  cibench:
    step: 3
    thought: 选出特征列和目标列，然后用固定的随机种子划分训练集和测试集。
    modules: sklearn
    step_type: exec
validator: {template: basic, namespace_check: {X: , X_test: , X_train: , y: , y_test: , y_train: }}
execution: {max_time: 30}
"""
from sklearn.model_selection import train_test_split

features = ["hs_grad", "poverty", "single", "white", "urban"]
X, y = crime[features], crime["violent"]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)

# %%
"""
query: |
  在训练集上拟合一个普通的线性回归（`LinearRegression`，默认参数），命名为 `linear`。依次打印它在测试集上的决定系数 R² 和平均绝对误差，都保留四位小数。除这些数以外不要打印其他内容。
family:
  cibench:
    step: 4
    thought: 训练线性回归模型，在测试集上预测，再计算 R² 和平均绝对误差。
    modules: sklearn
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, r2_score

linear = LinearRegression().fit(X_train, y_train)
predicted = linear.predict(X_test)
print(round(r2_score(y_test, predicted), 4), round(mean_absolute_error(y_test, predicted), 4))

# %%
"""
query: |
  用 `scatter` 画散点图，比较测试集的真实值和 `linear` 的预测值：每个州一个点，x 轴为真实值，y 轴为预测值，不要画其他线条。标题写 "Linear regression on the test data"，
  x 轴标签写 "Actual"，y 轴标签写 "Predicted"。
family:
  cibench:
    step: 5
    thought: 以真实值为横轴、预测值为纵轴画散点图。
    modules: matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, ax = plt.subplots()
ax.scatter(y_test, predicted)
ax.set_title("Linear regression on the test data")
ax.set_xlabel("Actual")
ax.set_ylabel("Predicted")

# %%
"""
query: |
  哪些因素影响最大？请先用训练集拟合一个 `StandardScaler`，再用标准化后的训练数据拟合 `Ridge(alpha=1.0)`，命名为 `ridge`。按系数绝对值从大到小，每行打印一个特征：
  特征名、系数（带符号，保留两位小数）和方向（系数为正写“增加”，为负写“减少”），格式如 "income: -12.34 减少"。不要打印其他内容。
family:
  cibench:
    step: 6
    thought: 标准化后拟合岭回归，这样系数可以互相比较，再按绝对值从大到小打印系数和方向。
    modules: sklearn
    step_type: text
validator: {template: basic, text: {pass_at: 0.97}, numeric: }
execution: {max_time: 30}
"""
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

scaler = StandardScaler().fit(X_train)
ridge = Ridge(alpha=1.0).fit(scaler.transform(X_train), y_train)
for name, coefficient in sorted(zip(features, ridge.coef_), key=lambda pair: -abs(pair[1])):
    direction = "增加" if coefficient > 0 else "减少"
    print(f"{name}: {coefficient:.2f} {direction}")

# %%
"""
query: |
  州的数量不多，我们改用留一法交叉验证。对全部数据 `X` 和 `y`，用由 `StandardScaler` 和 `Ridge(alpha=1.0)` 组成的管道，通过 `cross_val_predict` 和
  `LeaveOneOut()` 得到每个州的预测值，打印平均绝对误差，保留四位小数。除这个数以外不要打印其他内容。
family:
  cibench:
    step: 7
    thought: 建立包含标准化和岭回归的管道，用留一法得到每个州的预测值，再计算平均绝对误差。
    modules: sklearn
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline

model = make_pipeline(StandardScaler(), Ridge(alpha=1.0))
left_out = cross_val_predict(model, X, y, cv=LeaveOneOut())
print(round(mean_absolute_error(y, left_out), 4))

# %%
"""
query: |
  `alpha` 取多少合适？请用同样的管道和留一法，分别计算 `Ridge` 的 `alpha` 为 0.1、1、10、100、1000 时的平均绝对误差，画成一条折线：x 轴为 alpha，使用对数刻度，
  y 轴为误差。标题写 "Choosing alpha"，x 轴标签写 "Alpha"，y 轴标签写 "Mean absolute error"。
family:
  cibench:
    step: 8
    thought: 对每个 alpha 重复留一法，记录误差，再用对数刻度的横轴画折线。
    modules: sklearn & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
alphas = [0.1, 1, 10, 100, 1000]
errors = []
for alpha in alphas:
    model = make_pipeline(StandardScaler(), Ridge(alpha=alpha))
    errors.append(mean_absolute_error(y, cross_val_predict(model, X, y, cv=LeaveOneOut())))
fig, ax = plt.subplots()
ax.plot(alphas, errors, marker="o")
ax.set_xscale("log")
ax.set_title("Choosing alpha")
ax.set_xlabel("Alpha")
ax.set_ylabel("Mean absolute error")

# %%
"""
query: |
  把全部数据 `X` 标准化（重新拟合一个 `StandardScaler`），结果命名为 `X_scaled`。然后用 `KMeans(n_clusters=3, n_init=10, random_state=0)` 把各州分成三类，按从大到小的
  顺序打印三类各有多少个州。除这些数以外不要打印其他内容。
family:
  cibench:
    step: 9
    thought: 对全部特征做标准化并聚类，再统计每一类的州数并从大到小排序。
    modules: sklearn
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from sklearn.cluster import KMeans

X_scaled = StandardScaler().fit_transform(X)
clusters = KMeans(n_clusters=3, n_init=10, random_state=0).fit_predict(X_scaled)
print(*pd.Series(clusters).value_counts().tolist())

# %%
"""
query: |
  分三类合适吗？请对 k = 1 到 8，用 `KMeans(n_clusters=k, n_init=10, random_state=0)` 对 `X_scaled` 聚类，画一条折线：x 轴为 k，y 轴为 `inertia_`。标题写
  "Elbow plot"，x 轴标签写 "Clusters"，y 轴标签写 "Inertia"。
family:
  cibench:
    step: 10
    thought: 对每个 k 聚类并记录 inertia_，画出肘部曲线。
    modules: sklearn & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
ks = list(range(1, 9))
inertias = [KMeans(n_clusters=k, n_init=10, random_state=0).fit(X_scaled).inertia_ for k in ks]
fig, ax = plt.subplots()
ax.plot(ks, inertias, marker="o")
ax.set_title("Elbow plot")
ax.set_xlabel("Clusters")
ax.set_ylabel("Inertia")

# %%
"""
query: |
  最后找出最特别的州：对 `X_scaled` 使用 `LocalOutlierFactor(n_neighbors=10)`，打印 `negative_outlier_factor_` 最小的五个州，从最小的开始，每行一个：州的英文名称和
  这个值（保留三位小数），格式如 "Ohio -1.234"。不要打印其他内容。
family:
  cibench:
    step: 11
    thought: 拟合局部离群因子，按分数从小到大排序，打印前五个州名。
    modules: sklearn
    step_type: text
validator: {template: basic, text: {pass_at: 0.95}, numeric: }
execution: {max_time: 30}
"""
from sklearn.neighbors import LocalOutlierFactor

factors = LocalOutlierFactor(n_neighbors=10).fit(X_scaled).negative_outlier_factor_
for position in factors.argsort()[:5]:
    print(f"{crime['state'][position].strip()} {factors[position]:.3f}")
