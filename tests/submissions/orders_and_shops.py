# %% setup
import numpy as np
import pandas as pd

orders = pd.DataFrame(
    {
        "order": range(1, 9),
        "shop": ["a", "b", "a", "c", "b", "a", "c", "b"],
        "day": pd.date_range("2024-03-01", periods=8, freq="D"),
        "items": [2, 5, 1, 7, 3, 3, 4, 6],
        "price": [9.5, 3.25, 12.0, 1.5, 8.0, 2.75, 6.0, 4.5],
    }
)
shops = pd.DataFrame({"shop": ["a", "b", "d"], "owner": ["Ana", "Bo", "Dee"]})

# %% reference
"""
query: Answer the question.
"""
orders.query("items > 3")

# %% submission: CORRECT/UNCATEGORIZED a boolean mask for a query
orders[orders["items"] > 3]

# %% reference
"""
query: Answer the question.
"""
orders.groupby("shop")["items"].sum()

# %% submission: CORRECT/UNCATEGORIZED a loop for a groupby
found = {}
for _, row in orders.iterrows():
    found[row["shop"]] = found.get(row["shop"], 0) + row["items"]
pd.Series(found, name="items").rename_axis("shop")

# %% submission: CORRECT/UNCATEGORIZED a pivot for a groupby
orders.pivot_table(index="shop", values="items", aggfunc="sum")["items"]

# %% submission: CORRECT/UNCATEGORIZED (published: PRESENTATION_ERROR/INDEX_MISMATCH) a series with another name
orders.groupby("shop")["items"].sum().rename("total")

# %% submission: INTACT_VIOLATION/UNCATEGORIZED the frame gets a column
orders["total"] = orders["items"] * orders["price"]
orders.groupby("shop")["items"].sum()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: WRONG_OUTPUT/UNEXPECTED_TYPE) a dict for a series
orders.groupby("shop")["items"].sum().to_dict()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: PRESENTATION_ERROR/PARTIAL_MATCH) a frame for one of its columns
orders.groupby("shop")[["items"]].sum()

# %% submission: PRESENTATION_ERROR/MISSING_RETURN the answer is printed
print(orders.groupby("shop")["items"].sum())

# %% submission: PRESENTATION_ERROR/ORDER_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) a series sorted by its values
orders.groupby("shop")["items"].sum().sort_values()

# %% submission: WRONG_OUTPUT/UNCATEGORIZED a comment and an import
import math  # for later

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    joined:
"""
joined = orders.merge(shops, on="shop")

# %% submission: CORRECT/UNCATEGORIZED a merge from the other side
joined = shops.merge(orders, on="shop")[["order", "shop", "day", "items", "price", "owner"]].sort_values("order").reset_index(drop=True)

# %% reference
"""
query: Answer the question.
"""
orders["price"].mean()

# %% submission: CORRECT/UNCATEGORIZED a python float for a numpy one
float(orders["price"].mean())

# %% reference
"""
query: Answer the question.
"""
orders["price"].rolling(2).mean()

# %% submission: CORRECT/UNCATEGORIZED a rolling mean by hand
(orders["price"] + orders["price"].shift()) / 2

# %% reference
"""
query: Answer the question.
"""
(orders["items"] * orders["price"]).sum()

# %% submission: CORRECT/UNCATEGORIZED a sum of products
sum(i * p for i, p in zip(orders["items"], orders["price"]))

# %% reference
"""
query: Answer the question.
"""
orders["day"].max()

# %% submission: CORRECT/UNCATEGORIZED a timestamp from text
pd.Timestamp("2024-03-08")

# %% submission: PRESENTATION_ERROR/DTYPE_MISMATCH (published: WRONG_OUTPUT/UNCATEGORIZED) a date for a midnight
orders["day"].max().date()

# %% reference
"""
query: Answer the question.
"""
orders.groupby("shop", as_index=False)["items"].sum()

# %% submission: CORRECT/UNCATEGORIZED an aggregate by keyword
orders.groupby("shop").agg(items=("items", "sum")).reset_index()

# %% submission: INTACT_VIOLATION/UNCATEGORIZED the frame is sorted in place
orders.sort_values("items", inplace=True)
orders.groupby("shop", as_index=False)["items"].sum()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: WRONG_OUTPUT/UNEXPECTED_TYPE) a list for a table
orders.groupby("shop", as_index=False)["items"].sum().values.tolist()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: WRONG_OUTPUT/UNEXPECTED_TYPE) records for a table
orders.groupby("shop", as_index=False)["items"].sum().to_dict("records")

# %% submission: PRESENTATION_ERROR/EXTRA_VALUES (published: PRESENTATION_ERROR/PARTIAL_MATCH) sums of another column too
orders.groupby("shop", as_index=False)[["items", "price"]].sum()

# %% submission: PRESENTATION_ERROR/MISSING_RETURN the answer is kept in a variable
answer = orders.groupby("shop", as_index=False)["items"].sum()

# %% submission: PRESENTATION_ERROR/NAME_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) a named aggregate
orders.groupby("shop", as_index=False).agg(total=("items", "sum"))

# %% submission: WRONG_OUTPUT/DTYPE_MISMATCH words for numbers
orders.groupby("shop", as_index=False)["items"].sum().assign(items="many")

# %% submission: WRONG_OUTPUT/UNCATEGORIZED a function that is not called
def answer():
    return orders.groupby("shop", as_index=False)["items"].sum()

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH a mean for a sum
orders.groupby("shop", as_index=False)["items"].mean().astype({"items": int})

# %% reference
"""
query: Answer the question.
validator:
  result:
    ignore_dtypes: true
"""
orders.groupby("shop", as_index=False)["items"].sum()

# %% submission: CORRECT/UNCATEGORIZED another dtype where none is asked
orders.groupby("shop", as_index=False)["items"].sum().astype({"items": float})

# %% reference
"""
query: Answer the question.
validator:
  result:
    ignore_order: true
"""
orders.groupby("shop", as_index=False)["items"].sum()

# %% submission: CORRECT/UNCATEGORIZED another order where none is asked
orders.groupby("shop", as_index=False)["items"].sum().iloc[::-1]

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    counts:
"""
counts = orders.groupby("shop")["items"].sum()

# %% submission: CORRECT/UNCATEGORIZED (published: PRESENTATION_ERROR/INDEX_MISMATCH) floats for integers in a variable
counts = orders.groupby("shop")["items"].sum().astype(float)

# %% reference
"""
query: Answer the question.
validator:
  result:
    ignore_names: true
"""
orders.groupby("shop", as_index=False)["items"].sum()

# %% submission: CORRECT/UNCATEGORIZED other names where none are asked
orders.groupby("shop", as_index=False)["items"].sum().rename(columns={"items": "total"})

# %% reference
"""
query: Answer the question.
"""
int(orders["items"].sum())

# %% submission: CRASH/ATTRIBUTE_ERROR a function that was renamed
np.flot64(3)

# %% submission: CRASH/ATTRIBUTE_ERROR a list has no shape
orders["shop"].tolist().shape

# %% submission: CRASH/ATTRIBUTE_ERROR a method of another library
orders.filter_by("shop")

# %% submission: CRASH/ATTRIBUTE_ERROR none has no head
missing = None
missing.head()

# %% submission: CRASH/KEY_ERROR a key of a dict
{"a": 1}["b"]

# %% submission: CRASH/KEY_ERROR a label that is not in the index
orders.set_index("order").loc[99]

# %% submission: CRASH/KEY_ERROR a merge on a missing column
orders.merge(shops, on="owner")

# %% submission: CRASH/KEY_ERROR (published: CRASH/MODULE_NOT_FOUND) a missing library behind an error
try:
    import cube_of_pluto
except ImportError as error:
    raise KeyError("pluto") from error

# %% submission: CRASH/MODULE_NOT_FOUND a library that is not here
import spreadsheets_of_mars

# %% submission: CRASH/MODULE_NOT_FOUND a missing plugin
import importlib
importlib.import_module("rings_of_saturn")

# %% submission: CRASH/MODULE_NOT_FOUND a misspelled library
import nunpy as np2
np2.ones(3)

# %% submission: CRASH/MODULE_NOT_FOUND a module of a known library
import pandas.magic

# %% submission: CRASH/MODULE_NOT_FOUND a name from a missing library
from plots_of_venus import bar

# %% submission: CRASH/NAME_ERROR a deleted variable
copied = orders.copy()
del copied
copied

# %% submission: CRASH/NAME_ERROR a misspelled frame
ordres["items"].sum()

# %% submission: CRASH/NAME_ERROR a module never imported
scipy.stats.mode([1])

# %% submission: CRASH/NAME_ERROR a variable never made
result_table.head()

# %% submission: CRASH/TYPE_ERROR a number that is called
total = 3
total()

# %% submission: CRASH/TYPE_ERROR an argument too many
orders["items"].sum(1, 2, 3, 4, 5, 6)

# %% submission: CRASH/TYPE_ERROR an index that is text
[1, 2]["0"]

# %% submission: CRASH/TYPE_ERROR text plus number
"items: " + 3

# %% submission: CRASH/UNCATEGORIZED a file that is not there
pd.read_csv("inputs/none.csv")

# %% submission: CRASH/UNCATEGORIZED an exception of its own
class Stop(Exception):
    pass
raise Stop("no")

# %% submission: CRASH/UNCATEGORIZED an index out of range
[1, 2][5]

# %% submission: CRASH/UNCATEGORIZED recursion without end
def again(n):
    return again(n + 1)
again(0)

# %% submission: CRASH/VALUE_ERROR a frame as a condition
if orders["items"] > 3:
    pass

# %% submission: CRASH/VALUE_ERROR shapes that do not fit
np.ones(3) + np.ones(4)

# %% submission: CRASH/VALUE_ERROR text that is no number
int("three")

# %% submission: CRASH/VALUE_ERROR too many values to unpack
a, b = [1, 2, 3]

# %% submission: PRESENTATION_ERROR/NON_CODE the number in prose
There are 31 items in all orders

# %% submission: SYNTAX_ERROR/UNCATEGORIZED a bracket left open
print((1, 2)

# %% submission: SYNTAX_ERROR/UNCATEGORIZED a statement of python two
print "hello"

# %% submission: SYNTAX_ERROR/UNCATEGORIZED an unfinished string
"half

# %% submission: SYNTAX_ERROR/UNCATEGORIZED markdown around the code
```python
1 + 1
```

# %% submission: SYNTAX_ERROR/UNCATEGORIZED prose with an apostrophe
It's the sum of the items

# %% reference
"""
query: Answer the question.
execution:
  max_time: 20
"""
int(orders["items"].sum())

# %% submission: CRASH/KILLED a copy to nowhere
import ctypes
ctypes.memmove(0, b"abc", 3)

# %% submission: CRASH/KILLED a stack overflow in c
import ctypes
ctypes.memset(0, 1, 100)

# %% submission: CRASH/KILLED an abort
import os
os.abort()

# %% submission: CRASH/OUTPUT_LIMIT a child that prints without end
import subprocess
subprocess.run(["yes", "y" * 200])

# %% submission: CRASH/OUTPUT_LIMIT errors without end
import sys
while True:
    sys.stderr.write("x" * 1_000_000)

# %% submission: CRASH/OUTPUT_LIMIT lines without end
while True:
    print("again" * 10_000)

# %% submission: CRASH/OUT_OF_MEMORY a frame too large
pd.DataFrame(np.zeros((10**6, 10**5)))

# %% submission: CRASH/OUT_OF_MEMORY a list too long
[0] * 10**11

# %% submission: CRASH/OUT_OF_MEMORY a product of everything with everything
np.multiply.outer(np.ones(10**6), np.ones(10**6))

# %% submission: CRASH/OUT_OF_MEMORY text too long
"x" * 10**11

# %% submission: CRASH/PROCESS_LIMIT spawned sleepers
import os
[os.posix_spawnp("sleep", ["sleep", "30"], os.environ) for _ in range(10_000)]

# %% submission: CRASH/PROCESS_LIMIT forks that fork
import os, time
for number in range(10_000):
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)

# %% submission: CRASH/PROCESS_LIMIT forks without end
import os, time
while True:
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)

# %% submission: CRASH/PROCESS_LIMIT shells without end
import subprocess
kept = []
for number in range(10_000):
    kept.append(subprocess.Popen("sleep 30", shell=True))

# %% submission: CRASH/PROCESS_LIMIT sleepers without end
import subprocess
kept = []
while True:
    kept.append(subprocess.Popen(["sleep", "30"]))

# %% reference
"""
query: Answer the question.
execution:
  max_time: 20
  max_memory: 400
"""
int(orders["items"].sum())

# %% submission: CRASH/OUT_OF_MEMORY memory taken bit by bit
kept = []
while True:
    kept.append(bytearray(20_000_000))

# %% reference
"""
query: Answer the question.
"""
answer = len(orders)
answer

# %% submission: INTACT_VIOLATION/UNCATEGORIZED a row is dropped after the answer
answer = len(orders)
orders.drop(index=0, inplace=True)
answer

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = orders.groupby("shop", as_index=False)["items"].sum()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: WRONG_VARIABLES/UNEXPECTED_TYPE) a list for a table in a variable
answer = orders.groupby("shop", as_index=False)["items"].sum().values.tolist()

# %% submission: PRESENTATION_ERROR/NAME_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) a variable with a column renamed
answer = orders.groupby("shop", as_index=False)["items"].sum().rename(columns={"items": "n_items"})

# %% submission: WRONG_VARIABLES/DTYPE_MISMATCH words for numbers
answer = orders.groupby("shop", as_index=False)["items"].sum().assign(items="many")

# %% submission: WRONG_VARIABLES/SHAPE_MISMATCH a row too few
answer = orders.groupby("shop", as_index=False)["items"].sum().iloc[1:]

# %% submission: WRONG_VARIABLES/VALUE_MISMATCH a mean for a sum
answer = orders.groupby("shop", as_index=False)["items"].mean().astype({"items": int})

# %% reference
"""
query: Answer the question.
"""
orders["price"].max()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: WRONG_OUTPUT/UNEXPECTED_TYPE) a series of one for a number
orders[["price"]].max()

# %% reference
"""
query: Answer the question.
"""
orders["shop"].unique()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: WRONG_OUTPUT/UNEXPECTED_TYPE) a set for what unique gives
set(orders["shop"])

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    prices:
"""
prices = orders["price"].tolist()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: WRONG_VARIABLES/UNEXPECTED_TYPE) an array for a list in a variable
prices = orders["price"].to_numpy()

# %% reference
"""
query: Give the sum as a Python integer.
validator:
  result:
    strict_type: true
"""
int(orders["items"].sum())

# %% submission: PRESENTATION_ERROR/DTYPE_MISMATCH (published: CORRECT/UNCATEGORIZED) a numpy integer where the type counts
orders["items"].sum()

# %% reference
"""
query: Give the items by shop, as int64.
validator:
  result:
    ignore_dtypes: false
"""
orders.groupby("shop")["items"].sum().astype("int64")

# %% submission: PRESENTATION_ERROR/DTYPE_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) floats where integers were asked for
orders.pivot_table(index="shop", values="items", aggfunc="sum")["items"].astype(float)

# %% reference
"""
query: Make shop a category.
validator:
  template: intact
  namespace_check:
    shop:
      ignore_dtypes: false
"""
shop = orders["shop"].astype("category")

# %% submission: PRESENTATION_ERROR/DTYPE_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) texts where a category was asked for
shop = orders["shop"].copy()

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    small:
"""
small = orders[["shop", "items"]].copy()

# %% submission: PRESENTATION_ERROR/EXTRA_VALUES (published: PRESENTATION_ERROR/PARTIAL_MATCH) a variable with a column more
small = orders[["shop", "items", "price"]].copy()

# %% reference
"""
query: Answer the question.
"""
orders[["shop", "items"]]

# %% submission: PRESENTATION_ERROR/EXTRA_VALUES (published: PRESENTATION_ERROR/PARTIAL_MATCH) all columns for two
orders

# %% submission: PRESENTATION_ERROR/NAME_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) columns in capitals
orders[["shop", "items"]].rename(columns=str.title)

# %% submission: PRESENTATION_ERROR/NAME_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) columns that are only numbered
pd.DataFrame(orders[["shop", "items"]].to_numpy().tolist())

# %% submission: PRESENTATION_ERROR/ORDER_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) columns the other way round
orders[["items", "shop"]]

# %% submission: WRONG_OUTPUT/COLUMNS_MISMATCH (published: WRONG_OUTPUT/VALUE_MISMATCH) another column
orders[["shop", "order"]]

# %% reference
"""
query: Answer the question.
"""
sorted(orders["shop"].unique())

# %% submission: PRESENTATION_ERROR/EXTRA_VALUES (published: PRESENTATION_ERROR/PARTIAL_MATCH) counts beside the names
orders.groupby("shop").size()

# %% reference
"""
query: Answer the question.
"""
orders["items"].cumsum()

# %% submission: PRESENTATION_ERROR/INDEX_MISMATCH a series under another key
orders.set_index("order")["items"].cumsum()

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = orders[orders["items"] > 3]

# %% submission: PRESENTATION_ERROR/INDEX_MISMATCH a variable numbered anew
answer = orders[orders["items"] > 3].reset_index(drop=True)

# %% submission: WRONG_VARIABLES/SHAPE_MISMATCH rows that were not filtered
answer = orders[orders["items"] > 2]

# %% reference
"""
query: Answer the question.
"""
orders[orders["items"] > 3].reset_index(drop=True)

# %% submission: PRESENTATION_ERROR/INDEX_MISMATCH an index from filtering
orders[orders["items"] > 3]

# %% reference
"""
query: Answer the question.
"""
orders.sort_values("price", ignore_index=True)

# %% submission: PRESENTATION_ERROR/INDEX_MISMATCH sorted without numbering anew
orders.sort_values("price")

# %% reference
"""
query: Give the items sold by shop, as a Series named sold.
validator:
  result:
    ignore_names: false
"""
orders.groupby("shop")["items"].sum().rename("sold")

# %% submission: PRESENTATION_ERROR/NAME_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) a series whose name was asked for
orders.groupby("shop")["items"].sum()

# %% reference
"""
query: Answer the question.
"""
orders["shop"].value_counts().reset_index()

# %% submission: PRESENTATION_ERROR/NAME_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) counts under another word
orders["shop"].value_counts().rename_axis("name").reset_index(name="orders")

# %% reference
"""
query: Answer the question.
"""
orders["items"].to_numpy()

# %% submission: PRESENTATION_ERROR/ORDER_MISMATCH (published: WRONG_OUTPUT/UNCATEGORIZED) an array that was sorted
np.sort(orders["items"].to_numpy())

# %% reference
"""
query: Answer the question.
"""
orders.sort_values("price", ascending=False)[["order", "price"]].reset_index(drop=True)

# %% submission: PRESENTATION_ERROR/ORDER_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) the smallest first
orders.sort_values("price")[["order", "price"]].reset_index(drop=True)

# %% reference
"""
query: Answer the question.
execution:
  max_time: 0.5
"""
5

# %% submission: TIMEOUT/UNCATEGORIZED a loop without end
while True:
    pass

# %% submission: TIMEOUT/UNCATEGORIZED a pattern that backtracks
import re
re.match(r"(a+)+$", "a" * 40 + "b")

# %% submission: TIMEOUT/UNCATEGORIZED a power too large
10**10**8

# %% submission: TIMEOUT/UNCATEGORIZED a sleep too long
import time
time.sleep(60)

# %% reference
"""
query: Answer the question.
"""
orders[["order", "price"]]

# %% submission: WRONG_OUTPUT/COLUMNS_MISMATCH (published: WRONG_OUTPUT/VALUE_MISMATCH) a column that was not asked for in place of one
orders[["items", "price"]]

# %% reference
"""
query: Answer the question.
"""
orders.groupby("shop")["price"].agg(["min", "max"])

# %% submission: WRONG_OUTPUT/COLUMNS_MISMATCH (published: WRONG_OUTPUT/VALUE_MISMATCH) aggregates of other kinds
orders.groupby("shop")["price"].agg(["min", "mean"])

# %% reference
"""
query: Answer the question.
"""
orders.pivot_table(index="shop", columns="order", values="items")

# %% submission: WRONG_OUTPUT/COLUMNS_MISMATCH months for columns
orders.pivot_table(index="shop", columns="day", values="items")

# %% reference
"""
query: Answer the question.
"""
orders[["order"]]

# %% submission: WRONG_OUTPUT/DTYPE_MISMATCH (published: WRONG_OUTPUT/VALUE_MISMATCH) numbers as days
orders[["day"]].set_axis(["order"], axis=1)

# %% reference
"""
query: Answer the question.
"""
orders[["order", "shop"]]

# %% submission: WRONG_OUTPUT/DTYPE_MISMATCH (published: WRONG_OUTPUT/VALUE_MISMATCH) text as numbers
orders[["order", "shop"]].assign(shop=1)

# %% reference
"""
query: Answer the question.
"""
orders[["day"]]

# %% submission: WRONG_OUTPUT/DTYPE_MISMATCH words for days
orders[["day"]].assign(day="a Monday")

# %% reference
"""
query: Answer the question.
"""
orders["shop"].map(shops.set_index("shop")["owner"])

# %% submission: WRONG_OUTPUT/SHAPE_MISMATCH (published: WRONG_OUTPUT/VALUE_MISMATCH) an unmatched shop is missing from a series
orders.merge(shops)["owner"]

# %% reference
"""
query: Answer the question.
"""
orders.merge(shops, how="left")

# %% submission: WRONG_OUTPUT/SHAPE_MISMATCH missing rows were dropped
orders.merge(shops)

# %% reference
"""
query: Answer the question.
"""
orders[orders["items"] > 3]

# %% submission: WRONG_OUTPUT/SHAPE_MISMATCH rows that were not filtered
orders[orders["items"] > 2]

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = orders[["order", "price"]]

# %% submission: WRONG_VARIABLES/COLUMNS_MISMATCH (published: WRONG_VARIABLES/VALUE_MISMATCH) a column that was not asked for in place of one
answer = orders[["items", "price"]]

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = orders.groupby("shop")["price"].agg(["min", "max"])

# %% submission: WRONG_VARIABLES/COLUMNS_MISMATCH (published: WRONG_VARIABLES/VALUE_MISMATCH) aggregates of other kinds
answer = orders.groupby("shop")["price"].agg(["min", "mean"])

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = orders[["shop", "items"]]

# %% submission: WRONG_VARIABLES/COLUMNS_MISMATCH (published: WRONG_VARIABLES/VALUE_MISMATCH) another column
answer = orders[["shop", "order"]]

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = orders.pivot_table(index="shop", columns="order", values="items")

# %% submission: WRONG_VARIABLES/COLUMNS_MISMATCH months for columns
answer = orders.pivot_table(index="shop", columns="day", values="items")

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = orders[["order"]]

# %% submission: WRONG_VARIABLES/DTYPE_MISMATCH (published: WRONG_VARIABLES/VALUE_MISMATCH) numbers as days
answer = orders[["day"]].set_axis(["order"], axis=1)

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = orders[["order", "shop"]]

# %% submission: WRONG_VARIABLES/DTYPE_MISMATCH (published: WRONG_VARIABLES/VALUE_MISMATCH) text as numbers
answer = orders[["order", "shop"]].assign(shop=1)

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = orders[["day"]]

# %% submission: WRONG_VARIABLES/DTYPE_MISMATCH words for days
answer = orders[["day"]].assign(day="a Monday")

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = orders.merge(shops, how="left")

# %% submission: WRONG_VARIABLES/SHAPE_MISMATCH missing rows were dropped
answer = orders.merge(shops)
