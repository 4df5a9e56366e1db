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
  Please read the penguins from `data/penguins.csv` into a DataFrame `penguins`, drop every row that has a missing
  value in any column, and number the remaining rows from 0. Print how many rows are left and how many different
  species there are among them, in this order. Print nothing but these numbers.
family:
  cibench:
    step: 1
    thought: I read the file with pandas, drop the incomplete rows and count rows and species.
    modules: pandas
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
import pandas as pd

penguins = pd.read_csv("data/penguins.csv").dropna().reset_index(drop=True)
print(len(penguins), penguins["species"].nunique())

# %%
"""
query: |
  I want to predict the species. Put the columns `bill_length_mm`, `bill_depth_mm`, `flipper_length_mm` and `body_mass_g`
  (in this order) into `X` and the species into `y`. Then split them with scikit-learn's `train_test_split` into
  `X_train`, `X_test`, `y_train` and `y_test`: 30 % for testing, stratified by species, `random_state=0`.
family:
  cibench:
    step: 2
    thought: I select the four measurements and the target and split them with stratification.
    modules: sklearn
    step_type: exec
validator: {template: basic, namespace_check: {X: , X_test: , X_train: , y: , y_test: , y_train: }}
execution: {max_time: 30}
"""
from sklearn.model_selection import train_test_split

X = penguins[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]]
y = penguins["species"]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)

# %%
"""
query: |
  Draw a vertical bar chart of how many penguins of each species are in the training data, one bar per species, in
  alphabetical order from left to right. Title: "Training penguins by species", x axis: "Species", y axis: "Penguins".
family:
  cibench:
    step: 3
    thought: I count the species in the training target, sort by name and draw the bars.
    modules: pandas & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
import matplotlib.pyplot as plt

counts = y_train.value_counts().sort_index()
fig, ax = plt.subplots()
ax.bar(counts.index, counts.values)
ax.set_title("Training penguins by species")
ax.set_xlabel("Species")
ax.set_ylabel("Penguins")

# %%
"""
query: |
  Standardise the four measurements with a `StandardScaler` called `scaler` that is fitted on the training data only. Keep
  the transformed training and test data as `X_train_scaled` and `X_test_scaled`.
family:
  cibench:
    step: 4
    thought: I fit the scaler on the training data and apply it to both parts.
    modules: sklearn
    step_type: exec
validator: {template: basic, namespace_check: {X_test_scaled: , X_train_scaled: }}
execution: {max_time: 30}
"""
from sklearn.preprocessing import StandardScaler

scaler = StandardScaler().fit(X_train)
X_train_scaled = scaler.transform(X_train)
X_test_scaled = scaler.transform(X_test)

# %%
"""
query: |
  Project the scaled training data onto its first two principal components with scikit-learn's `PCA` (only
  `n_components=2` set), and call the fitted object `pca`. Print the shares of the variance that the first and the
  second component explain, as fractions rounded to 4 decimals. Print nothing but these numbers.
family:
  cibench:
    step: 5
    thought: I fit a PCA with two components and print its explained variance ratios.
    modules: sklearn
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from sklearn.decomposition import PCA

pca = PCA(n_components=2).fit(X_train_scaled)
print(*pca.explained_variance_ratio_.round(4))

# %%
"""
query: |
  Show the training penguins as a scatter plot (with `scatter`) in the plane of these two components: the first on the x axis, the second
  on the y axis, as `pca` gives them, one colour per species and a legend with the names of the species.
  Title: "Penguins in two components", x axis: "First component", y axis: "Second component".
family:
  cibench:
    step: 6
    thought: I transform the scaled training data with the PCA and scatter the points of each species separately.
    modules: sklearn & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
components = pca.transform(X_train_scaled)
fig, ax = plt.subplots()
for species in sorted(y_train.unique()):
    rows = (y_train == species).to_numpy()
    ax.scatter(components[rows, 0], components[rows, 1], label=species)
ax.set_title("Penguins in two components")
ax.set_xlabel("First component")
ax.set_ylabel("Second component")
ax.legend()

# %%
"""
query: |
  Train a `LogisticRegression(C=0.01, max_iter=1000)` called `logistic` on the scaled training data. Print its
  accuracy on the training data and then its accuracy on the test data, both rounded to 4 decimals. Print nothing but
  these numbers.
family:
  cibench:
    step: 7
    thought: I fit the logistic regression and score it on both parts.
    modules: sklearn
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from sklearn.linear_model import LogisticRegression

logistic = LogisticRegression(C=0.01, max_iter=1000).fit(X_train_scaled, y_train)
print(round(logistic.score(X_train_scaled, y_train), 4), round(logistic.score(X_test_scaled, y_test), 4))

# %%
"""
query: |
  Which test penguins does `logistic` get wrong? Print one line per misclassified penguin, in increasing order of its
  row number in `penguins`: the true species, then the predicted one, and after each the probability that `logistic`
  gives it, rounded to 3 decimals, in the form "row 12: Adelie 0.312 predicted as Gentoo 0.405". Print nothing else.
family:
  cibench:
    step: 8
    thought: I predict the test penguins, keep those with another species and print them in order of the index.
    modules: sklearn
    step_type: text
validator: {template: basic, text: {pass_at: 0.99}, numeric: }
execution: {max_time: 30}
"""
chances = pd.DataFrame(logistic.predict_proba(X_test_scaled), index=y_test.index, columns=logistic.classes_)
predicted = chances.idxmax(axis=1)
for row in sorted(y_test.index[predicted != y_test]):
    true, guess = y_test[row], predicted[row]
    print(f"row {row}: {true} {chances.loc[row, true]:.3f} predicted as {guess} {chances.loc[row, guess]:.3f}")

# %%
"""
query: |
  Now try k nearest neighbours. For each k in 1, 3, 5, ..., 29 take the mean accuracy of a 5-fold `cross_val_score` (`cv=5`) on
  the training data of a pipeline that standardises the measurements and then applies `KNeighborsClassifier(n_neighbors=k)`.
  Draw the mean accuracy against k as one line. Title: "Choosing the number of neighbours", x axis: "Neighbours",
  y axis: "Mean accuracy".
family:
  cibench:
    step: 9
    thought: I cross-validate a pipeline of scaler and classifier on the unscaled training data for each k and plot the means.
    modules: sklearn & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

neighbours = list(range(1, 30, 2))
accuracies = [
    cross_val_score(make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors=k)), X_train, y_train, cv=5).mean()
    for k in neighbours
]
fig, ax = plt.subplots()
ax.plot(neighbours, accuracies, marker="o")
ax.set_title("Choosing the number of neighbours")
ax.set_xlabel("Neighbours")
ax.set_ylabel("Mean accuracy")

# %%
"""
query: |
  I would like rules that I can read. Fit a `DecisionTreeClassifier(max_depth=2, random_state=0)` called `tree` on the
  unscaled training data and print its rules with scikit-learn's `export_text`, with the names of the columns as
  feature names and two decimals (the default). Print nothing but the rules.
family:
  cibench:
    step: 10
    thought: I fit a shallow decision tree and print it with export_text.
    modules: sklearn
    step_type: text
validator: {template: basic, text: {pass_at: 0.98}, numeric: }
execution: {max_time: 30}
"""
from sklearn.tree import DecisionTreeClassifier, export_text

tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X_train, y_train)
print(export_text(tree, feature_names=list(X_train.columns)))

# %%
"""
query: |
  Fit a `RandomForestClassifier(n_estimators=100, random_state=0)` called `forest` on the unscaled training data and draw the
  importances that its attribute `feature_importances_` gives as a vertical bar chart: one bar per column, from the most
  important one on the left to the least important one on the right. Title: "What tells the species apart",
  x axis: "Measurement", y axis: "Importance".
family:
  cibench:
    step: 11
    thought: I fit the forest, sort the importances in decreasing order and draw them as bars.
    modules: sklearn & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
from sklearn.ensemble import RandomForestClassifier

forest = RandomForestClassifier(n_estimators=100, random_state=0).fit(X_train, y_train)
importances = pd.Series(forest.feature_importances_, index=X_train.columns).sort_values(ascending=False)
fig, ax = plt.subplots(figsize=(8, 5))
ax.bar(importances.index, importances.values)
ax.set_title("What tells the species apart")
ax.set_xlabel("Measurement")
ax.set_ylabel("Importance")

# %%
"""
query: |
  Would the species show up without labels? Standardise the measurements of all penguins in `X` with a new
  `StandardScaler`, cluster them with `KMeans(n_clusters=3, n_init=10, random_state=0)`, and print the adjusted Rand
  index between the clusters and the true species, rounded to 4 decimals. Print nothing but this number.
family:
  cibench:
    step: 12
    thought: I scale all penguins anew, cluster them and compare the clusters with the species.
    modules: sklearn
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

clusters = KMeans(n_clusters=3, n_init=10, random_state=0).fit_predict(StandardScaler().fit_transform(X))
print(round(adjusted_rand_score(y, clusters), 4))
