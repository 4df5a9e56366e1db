# %% setup
import numpy as np
import pandas as pd

df = pd.DataFrame({"city": ["Oslo", "Bergen", "Oslo", "Troms\u00f8"], "sales": [3, 1, 2, 5], "rate": [0.5, 1.5, None, 2.5]})
limit = 2

# %% reference
"""
query: Answer the question.
validator:
  template: empty
  namespace_check:
    total:
"""
total = int(df["sales"].sum())

# %% submission: CORRECT/UNCATEGORIZED a crash where nothing else is asked of the cell
total = 11
1 / 0

# %% reference
"""
query: Answer the question.
"""
df["sales"].dtype

# %% submission: CORRECT/UNCATEGORIZED a dtype as an answer
np.dtype("int64")

# %% reference
"""
query: Answer the question.
validator:
  result:
    metrictol: 0.9
"""
0.8

# %% submission: CORRECT/UNCATEGORIZED a metric that is good enough
0.79

# %% reference
"""
query: Answer the question.
"""
df["rate"].iloc[2]

# %% submission: CORRECT/UNCATEGORIZED (published: WRONG_OUTPUT/VALUE_MISMATCH) a missing number for a missing number
float("nan")

# %% reference
"""
query: Answer the question.
"""
import collections
collections.namedtuple("Size", "rows columns")(4, 2)

# %% submission: CORRECT/UNCATEGORIZED a named tuple as a tuple
(4, 2)

# %% reference
"""
query: Answer the question.
"""
float(df["rate"].mean())

# %% submission: CORRECT/UNCATEGORIZED a numpy number for a plain one
np.float32(df["rate"].mean())

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    df:
"""
df["double"] = df["sales"] * 2

# %% submission: CORRECT/UNCATEGORIZED a table that the reference changes too
df = df.assign(double=[6, 2, 4, 10])

# %% reference
"""
query: Answer the question.
validator:
  result:
    rtol: 0.05
"""
df["rate"].mean()

# %% submission: CORRECT/UNCATEGORIZED a tolerance that is set
1.52

# %% reference
"""
query: Answer the question.
"""
list(df["sales"])

# %% submission: CORRECT/UNCATEGORIZED a tuple for a list
tuple(df["sales"])

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    sold:
"""
sold = df["sales"].sum()

# %% submission: CORRECT/UNCATEGORIZED a variable with the right value
sold = 0
for n in df["sales"]:
    sold += n

# %% reference
"""
query: Answer the question.
"""
df.groupby("city", as_index=False)["sales"].sum()

# %% submission: CORRECT/UNCATEGORIZED (published: PRESENTATION_ERROR/INDEX_MISMATCH) another dtype
df.groupby("city", as_index=False)["sales"].sum().astype({"sales": float})

# %% submission: CORRECT/UNCATEGORIZED another way to the same table
df.pivot_table(index="city", values="sales", aggfunc="sum").reset_index()

# %% submission: CORRECT/UNCATEGORIZED the reference itself
df.groupby("city", as_index=False)["sales"].sum()

# %% submission: PRESENTATION_ERROR/EXTRA_VALUES (published: PRESENTATION_ERROR/PARTIAL_MATCH) a column too many
df.groupby("city", as_index=False)["sales"].sum().assign(extra=1)

# %% submission: PRESENTATION_ERROR/INDEX_MISMATCH another index
df.groupby("city", as_index=False)["sales"].sum().set_index(pd.Index([7, 8, 9]))

# %% submission: PRESENTATION_ERROR/INDEX_MISMATCH (published: WRONG_OUTPUT/COLUMNS_MISMATCH) the key left in the index
df.groupby("city")[["sales"]].sum()

# %% submission: PRESENTATION_ERROR/MISSING_RETURN (published: PRESENTATION_ERROR/PARTIAL_MATCH) printed with a column too many
print(df.groupby("city", as_index=False)["sales"].sum().assign(extra=1))

# %% submission: PRESENTATION_ERROR/NAME_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) other names
df.groupby("city", as_index=False)["sales"].sum().rename(columns={"sales": "total"})

# %% submission: PRESENTATION_ERROR/ORDER_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) another order of rows
df.groupby("city", as_index=False)["sales"].sum().iloc[::-1]

# %% submission: WRONG_OUTPUT/SHAPE_MISMATCH a row too few
df.groupby("city", as_index=False)["sales"].sum().head(2)

# %% submission: WRONG_OUTPUT/UNCATEGORIZED nothing

# %% submission: WRONG_OUTPUT/UNCATEGORIZED nothing but a comment
# I do not know

# %% submission: WRONG_OUTPUT/UNEXPECTED_TYPE a number for a table
5

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH a wrong cell
df.groupby("city", as_index=False)["sales"].sum().assign(sales=[1, 5, 6])

# %% reference
"""
query: Answer the question.
validator:
  result:
    ignore_dtypes: true
"""
df.groupby("city", as_index=False)["sales"].sum()

# %% submission: CORRECT/UNCATEGORIZED another dtype where that is allowed
df.groupby("city", as_index=False)["sales"].sum().astype({"sales": float})

# %% reference
"""
query: Answer the question.
validator:
  result:
    ignore_index: true
"""
df.groupby("city", as_index=False)["sales"].sum()

# %% submission: CORRECT/UNCATEGORIZED another index where that is allowed
df.groupby("city", as_index=False)["sales"].sum().set_index(pd.Index([7, 8, 9]))

# %% reference
"""
query: Answer the question.
validator:
  namespace_check:
    total:
"""
total = int(df["sales"].sum())

# %% submission: CORRECT/UNCATEGORIZED any result where the reference has none
total = 11
total

# %% reference
"""
query: Answer the question.
validator:
  namespace_intact:
    update: [df]
"""
int(df["sales"].max())

# %% submission: CORRECT/UNCATEGORIZED intact where changes are allowed
df.sort_values("sales", inplace=True)
int(df["sales"].max())

# %% reference
"""
query: Answer the question.
validator:
  result:
    match_partial: true
"""
df.groupby("city", as_index=False)["sales"].sum()

# %% submission: CORRECT/UNCATEGORIZED more columns where that is allowed
df.groupby("city", as_index=False)["sales"].sum().assign(extra=1)

# %% reference
"""
query: Answer the question.
"""
df["sales"].sum()

# %% submission: CORRECT/UNCATEGORIZED new variables are no harm
helper = df["sales"]
total = helper.sum()
total

# %% submission: PRESENTATION_ERROR/MISSING_RETURN assigned
total = df["sales"].sum()

# %% submission: PRESENTATION_ERROR/MISSING_RETURN printed
print(df["sales"].sum())

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH a wrong number
df["sales"].max()

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH printed a wrong number
print(df["sales"].max())

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  or:
    result:
    namespace_check:
      answer:
"""
answer = 11
answer

# %% submission: CORRECT/UNCATEGORIZED one of two ways to answer
answer = 11

# %% reference
"""
query: Answer the question.
validator:
  result:
    type_only: true
"""
"a report"

# %% submission: CORRECT/UNCATEGORIZED only the type where that is asked
"something else"

# %% reference
"""
query: Answer the question.
validator:
  result:
    value_only: true
"""
df["sales"]

# %% submission: CORRECT/UNCATEGORIZED only the values where that is asked
[3, 1, 2, 5]

# %% reference
"""
query: Answer the question.
validator:
  result:
    ignore_names: true
"""
df.groupby("city", as_index=False)["sales"].sum()

# %% submission: CORRECT/UNCATEGORIZED other names where that is allowed
df.groupby("city", as_index=False)["sales"].sum().set_axis(["place", "total"], axis=1)

# %% reference
"""
query: Answer the question.
"""
df["rate"].mean()

# %% submission: CORRECT/UNCATEGORIZED rounding within the tolerance
1.5000001

# %% reference
"""
query: Answer the question.
validator:
  result:
    ignore_order: true
"""
df.groupby("city", as_index=False)["sales"].sum()

# %% submission: CORRECT/UNCATEGORIZED rows in any order where that is allowed
df.groupby("city", as_index=False)["sales"].sum().iloc[::-1]

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  stream:
"""
print(df["sales"].sum())

# %% submission: CORRECT/UNCATEGORIZED the same text printed
import sys
sys.stdout.write("11\n")

# %% reference
"""
query: Answer the question.
"""
5

# %% submission: CRASH/ATTRIBUTE_ERROR a method that is not there
df.summarise()

# %% submission: CRASH/KEY_ERROR a column that is not there
df["price"]

# %% submission: CRASH/KILLED a broken pointer
import ctypes
ctypes.string_at(0)

# %% submission: CRASH/KILLED leaving the process at once
import os
os._exit(0)

# %% submission: CRASH/MODULE_NOT_FOUND an import of nothing
import no_such_module

# %% submission: CRASH/NAME_ERROR (published: CRASH/UNCATEGORIZED) a local name before its value
def f():
    n += 1

f()

# %% submission: CRASH/NAME_ERROR a name that is not there
table.head()

# %% submission: CRASH/OUT_OF_MEMORY an array too large
np.ones(10**10)

# %% submission: CRASH/TYPE_ERROR a text and a number
"a" + 1

# %% submission: CRASH/UNCATEGORIZED a division by zero
1 / 0

# %% submission: CRASH/UNCATEGORIZED leaving the process politely
import sys
sys.exit(0)

# %% submission: CRASH/VALUE_ERROR (published: CRASH/UNCATEGORIZED) a subclass of value error
import json
json.loads("{")

# %% submission: CRASH/VALUE_ERROR no number
int("a")

# %% submission: SYNTAX_ERROR/UNCATEGORIZED code that does not parse
df.head(

# %% submission: SYNTAX_ERROR/UNCATEGORIZED prose
I would group the table by city.

# %% submission: SYNTAX_ERROR/UNCATEGORIZED (published: CRASH/UNCATEGORIZED) wrong indentation
if limit:
limit

# %% reference
"""
query: Answer the question.
validator:
  namespace_intact:
execution:
  forbid_names: [df]
"""
5

# %% submission: CRASH/ATTRIBUTE_ERROR a variable that is forbidden
df.head()

# %% reference
"""
query: Answer the question.
execution:
  max_time: 20
"""
5

# %% submission: CRASH/OUTPUT_LIMIT endless printing
line = "x" * 1_000_000
while True:
    print(line)

# %% reference
"""
query: Answer the question.
validator:
  template: empty
  or:
    stream:
    crash:
"""
print("x" * 1_000)

# %% submission: CRASH/OUTPUT_LIMIT more text than is compared
print("x" * 3_000_000)

# %% reference
"""
query: Answer the question.
"""
df

# %% submission: CRASH/UNCATEGORIZED (published: SYNTAX_ERROR/UNCATEGORIZED) a query that does not parse
df.query("sales >")

# %% reference
"""
query: Answer the question.
validator:
  namespace_intact:
    addition: false
"""
int(df["sales"].max())

# %% submission: INTACT_VIOLATION/UNCATEGORIZED a variable added where none may be
top = 5
top

# %% reference
"""
query: Answer the question.
"""
int(df["sales"].max())

# %% submission: INTACT_VIOLATION/UNCATEGORIZED a variable deleted
del limit
5

# %% submission: INTACT_VIOLATION/UNCATEGORIZED changed through another name
alias = df
alias.drop(index=0, inplace=True)
5

# %% submission: INTACT_VIOLATION/UNCATEGORIZED rebound to a filtered table
df = df.dropna()
5

# %% submission: INTACT_VIOLATION/UNCATEGORIZED rebound to an equal copy
df = df.copy()
5

# %% submission: INTACT_VIOLATION/UNCATEGORIZED sorted in place
df.sort_values("sales", inplace=True)
int(df["sales"].max())

# %% reference
"""
query: Answer the question.
"""
class Thing:
    pass

Thing()

# %% submission: NOT_JUDGED/UNCATEGORIZED (published: WRONG_OUTPUT/UNEXPECTED_TYPE) a reference that nothing can equal
5

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
other = 5

# %% submission: NOT_JUDGED/UNCATEGORIZED a variable that the reference lacks
answer = 5

# %% reference
"""
query: Answer the question.
"""
df["sales"].to_numpy()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: WRONG_OUTPUT/UNCATEGORIZED) an array of another shape
df[["sales"]].to_numpy()

# %% reference
"""
query: Answer the question.
"""
df["sales"]

# %% submission: PRESENTATION_ERROR/EXTRA_VALUES (published: PRESENTATION_ERROR/PARTIAL_MATCH) a table for its column
df

# %% submission: WRONG_OUTPUT/DTYPE_MISMATCH texts for numbers
df["sales"].astype(str) + " pieces"

# %% reference
"""
query: Answer the question.
"""
df["sales"].max()

# %% submission: PRESENTATION_ERROR/MISSING_RETURN printed in a sentence
best = df["sales"].max()
print(f"The best sale was {best}")

# %% reference
"""
query: Answer the question.
"""
(df["sales"].min(), df["sales"].max())

# %% submission: PRESENTATION_ERROR/MISSING_RETURN printed one by one
print(df["sales"].min())
print(df["sales"].max())

# %% reference
"""
query: Answer the question.
"""
int(df["sales"].sum())

# %% submission: PRESENTATION_ERROR/NON_CODE answered in prose
The total is 11 pieces.

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH (published: PRESENTATION_ERROR/NON_CODE) answered in a comment
total = 10  # 11 it must be

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    order:
"""
order = [1, 2, 3]

# %% submission: PRESENTATION_ERROR/ORDER_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) a variable in another order
order = [3, 2, 1]

# %% reference
"""
query: Answer the question.
execution:
  max_time: 0.5
"""
5

# %% submission: TIMEOUT/UNCATEGORIZED a loop that swallows interrupts
import time
while True:
    try:
        time.sleep(1)
    except BaseException:
        pass

# %% submission: TIMEOUT/UNCATEGORIZED an endless loop
while True:
    pass

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  stream:
"""
print(11)

# %% submission: UNKNOWN/UNCATEGORIZED another text printed
print(12)

# %% reference
"""
query: Answer the question.
"""
df[["city", "sales"]]

# %% submission: WRONG_OUTPUT/COLUMNS_MISMATCH (published: WRONG_OUTPUT/VALUE_MISMATCH) a column swapped for another
df[["city", "rate"]].assign(rate=[3, 1, 2, 6])

# %% reference
"""
query: Answer the question.
"""
df[["city", "rate"]]

# %% submission: WRONG_OUTPUT/SHAPE_MISMATCH missing rates were dropped
df[["city", "rate"]].dropna()

# %% reference
"""
query: Answer the question.
"""
"Oslo"

# %% submission: WRONG_OUTPUT/UNEXPECTED_TYPE (published: WRONG_OUTPUT/UNCATEGORIZED) an object that equals everything
class Everything:
    def __eq__(self, other):
        return True
    __hash__ = None

Everything()

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH (published: WRONG_OUTPUT/UNCATEGORIZED) a wrong text
"Bergen"

# %% reference
"""
query: Answer the question.
"""
1

# %% submission: WRONG_OUTPUT/UNEXPECTED_TYPE true for one
True

# %% reference
"""
query: Answer the question.
"""
df["city"].head(2)

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH a table of objects that equal everything
class Everything:
    def __eq__(self, other):
        return True
    __hash__ = None

pd.Series([Everything(), Everything()], name="city", dtype=object)

# %% reference
"""
query: Answer the question.
"""
[1]

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH a value without end
x = []
x.append(x)
x

# %% reference
"""
query: Answer the question.
"""
[1, 2]

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH an element too many
[1, 2, 3]

# %% reference
"""
query: Answer the question.
validator:
  result:
    rtol: 0.5
"""
df["rate"].mean()

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH infinity for a number
float("inf")

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = pd.DataFrame({"b": [1, 2]})

# %% submission: WRONG_VARIABLES/COLUMNS_MISMATCH (published: WRONG_VARIABLES/VALUE_MISMATCH) other columns and values
answer = pd.DataFrame({"a": [9, 9]})

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = df["sales"]

# %% submission: WRONG_VARIABLES/DTYPE_MISMATCH texts for numbers
answer = df["sales"].astype(str) + "!"

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = df.head(2)

# %% submission: WRONG_VARIABLES/SHAPE_MISMATCH a table cut short
answer = df.head(1)

# %% submission: WRONG_VARIABLES/UNEXPECTED_TYPE a number for a table
answer = 5

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = 5

# %% submission: WRONG_VARIABLES/UNCATEGORIZED the variable is missing
result = 5

# %% submission: WRONG_VARIABLES/UNCATEGORIZED the variable was deleted
answer = 5
del answer

# %% reference
"""
query: Answer the question.
validator:
  namespace_check:
    answer:
"""
answer = 5
answer

# %% submission: WRONG_VARIABLES/VALUE_MISMATCH both the variable and the result are wrong
answer = 4
answer

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
    other:
"""
answer = 5
other = 2

# %% submission: WRONG_VARIABLES/VALUE_MISMATCH one of two is wrong
answer = 5
other = 1
