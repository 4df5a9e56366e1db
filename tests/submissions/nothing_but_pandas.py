# %% setup
import numpy as np
import pandas as pd

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  table_test:
    function_name: top
    test_cases:
      - ['`pd.DataFrame({"x": [3, 1, 2], "y": list("abc")})`', 2]
      - ['`pd.DataFrame({"x": np.random.rand(6), "y": range(6)})`', 3]
      - //
"""
def top(frame, n):
    return frame.sort_values("x", ascending=False).head(n)

# %% submission: CORRECT/UNCATEGORIZED a function that uses another method
def top(frame, n):
    return frame.nlargest(n, "x")

# %% submission: CORRECT/UNCATEGORIZED a function with a helper
def order(frame):
    return frame["x"].to_numpy().argsort()[::-1]

def top(frame, n):
    return frame.iloc[order(frame)[:n]]

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: UNIT_TEST_FAILURE/UNEXPECTED_TYPE) a dict for a frame
def top(frame, n):
    return frame.nlargest(n, "x").to_dict()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: UNIT_TEST_FAILURE/UNEXPECTED_TYPE) a list for a frame
def top(frame, n):
    return frame.nlargest(n, "x").values.tolist()

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: UNIT_TEST_FAILURE/UNCATEGORIZED) lists for numbers
def top(frame, n):
    found = frame.nlargest(n, "x")
    return found.assign(x=[[value] for value in found["x"]])

# %% submission: PRESENTATION_ERROR/INDEX_MISMATCH a function that numbers rows anew
def top(frame, n):
    return frame.nlargest(n, "x").reset_index(drop=True)

# %% submission: UNIT_TEST_FAILURE/COLUMNS_MISMATCH (published: UNIT_TEST_FAILURE/VALUE_MISMATCH) another name and other values
def top(frame, n):
    found = frame.nlargest(n, "x")
    return found.assign(x=found["x"] + 1).rename(columns={"x": "score"})

# %% submission: UNIT_TEST_FAILURE/COLUMNS_MISMATCH (published: UNIT_TEST_FAILURE/VALUE_MISMATCH) both columns named anew
def top(frame, n):
    found = frame.nlargest(n, "x")
    return found.assign(x=found["x"] + 1).set_axis(["a", "b"], axis=1)

# %% submission: UNIT_TEST_FAILURE/COLUMNS_MISMATCH (published: UNIT_TEST_FAILURE/VALUE_MISMATCH) names in capitals and other values
def top(frame, n):
    found = frame.nlargest(n, "x")
    return found.assign(x=found["x"] + 1).rename(columns=str.upper)

# %% submission: UNIT_TEST_FAILURE/COLUMNS_MISMATCH (published: UNIT_TEST_FAILURE/VALUE_MISMATCH) the other column named anew
def top(frame, n):
    found = frame.nlargest(n, "x")
    return found.assign(x=found["x"] + 1).rename(columns={"y": "name"})

# %% submission: UNIT_TEST_FAILURE/DTYPE_MISMATCH (published: UNIT_TEST_FAILURE/VALUE_MISMATCH) days for numbers
def top(frame, n):
    return frame.nlargest(n, "x").assign(x=pd.Timestamp("2024-01-01"))

# %% submission: UNIT_TEST_FAILURE/DTYPE_MISMATCH text for numbers
def top(frame, n):
    return frame.nlargest(n, "x").astype({"x": str}).assign(x=lambda t: "v" + t["x"])

# %% submission: UNIT_TEST_FAILURE/DTYPE_MISMATCH (published: UNIT_TEST_FAILURE/VALUE_MISMATCH) truths for numbers
def top(frame, n):
    return frame.nlargest(n, "x").assign(x=lambda found: found["x"] > 1)

# %% submission: UNIT_TEST_FAILURE/DTYPE_MISMATCH words for numbers
def top(frame, n):
    return frame.nlargest(n, "x").assign(x="many")

# %% submission: UNIT_TEST_FAILURE/SHAPE_MISMATCH all rows
def top(frame, n):
    return frame.sort_values("x", ascending=False)

# %% submission: UNIT_TEST_FAILURE/SHAPE_MISMATCH no rows
def top(frame, n):
    return frame.iloc[:0]

# %% submission: UNIT_TEST_FAILURE/SHAPE_MISMATCH one row too few
def top(frame, n):
    return frame.nlargest(n - 1, "x")

# %% submission: UNIT_TEST_FAILURE/SHAPE_MISMATCH one row too many
def top(frame, n):
    return frame.sort_values("x", ascending=False).head(n + 1)

# %% submission: UNIT_TEST_FAILURE/UNEXPECTED_TYPE a number for a frame
def top(frame, n):
    return n

# %% submission: UNIT_TEST_FAILURE/UNEXPECTED_TYPE text for a frame
def top(frame, n):
    return frame.nlargest(n, "x").to_string()

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - [[3, 1, 2]]
"""

def f(items):
    items.sort()
    return items[0]

# %% submission: CORRECT/UNCATEGORIZED function changes its argument as the reference
def f(items):
    items[:] = sorted(items)
    return min(items)

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - ['`lambda x: x + 1`', 3]
"""

def f(g, x):
    return g(g(x))

# %% submission: CORRECT/UNCATEGORIZED function of a function
def f(g, x):
    for _ in range(2):
        x = g(x)
    return x

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - [1, 2]
      - [3, 4]
    input_validator: |
      def _validate(a, b):
          assert a < b
    input_checker: false
    output_checker: |
      def compare_fn(expected, found):
          return {'match': abs(expected - found) < 1, 'reason': 'too far'}
"""

def f(a, b):
    return a + b

# %% submission: CORRECT/UNCATEGORIZED function passes the checker
def f(a, b):
    return a + b + 0.5

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - ['`pd.DataFrame({"a": np.arange(3), "b": np.random.rand(3)})`']
"""

def f(df):
    return df.a * 2

# %% submission: CORRECT/UNCATEGORIZED (published: PRESENTATION_ERROR/INDEX_MISMATCH) function returns other names
def f(df):
    return (df.a * 2).rename('twice')

# %% submission: UNIT_TEST_FAILURE/DTYPE_MISMATCH (published: UNIT_TEST_FAILURE/VALUE_MISMATCH) numbers as text
def f(df):
    return df.a.astype(str)

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - [1, 2]
      - [3, 4]
"""

def f(a, b):
    return np.random.rand(3) * a

# %% submission: CORRECT/UNCATEGORIZED function that draws
def f(a, b):
    return a * np.random.random(3)

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - [1, 2]
      - [3, 4]
      - {a: 5, b: 6}
      - '`[7, 8]`'
      - |
        ```
        def _generate():
            return [random.randint(0, 9), np.random.randint(9)]
        ```
      - //
"""

def f(a, b):
    return a + b

# %% submission: CORRECT/UNCATEGORIZED function written otherwise
f = lambda a, b: b + a

# %% reference
"""
query: Name a number near the mean.
validator:
  namespace_check:
    answer: |
      def compare_fn(expected, found):
          return abs(expected - found) < 2, "too far away"
"""

answer = 10

# %% submission: CORRECT/UNCATEGORIZED near enough for the authors code
answer = 11

# %% submission: WRONG_VARIABLES/UNCATEGORIZED too far for the authors code
answer = 13

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - ['`pd.DataFrame({"a": np.arange(3), "b": np.random.rand(3)})`']
"""

def f(df):
    return df.assign(c=df.a + df.b)

# %% submission: CRASH/KEY_ERROR in a unit test
def f(df):
    return df['nothing']

# %% submission: PRESENTATION_ERROR/EXTRA_VALUES (published: PRESENTATION_ERROR/PARTIAL_MATCH) a function that keeps a helper column
def f(df):
    df = df.assign(c=df.a + df.b)
    return df.assign(rank=df.c.rank())

# %% submission: PRESENTATION_ERROR/NAME_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) a function that names its column otherwise
def f(df):
    return df.assign(total=df.a + df.b)

# %% submission: UNIT_TEST_FAILURE/COLUMNS_MISMATCH (published: UNIT_TEST_FAILURE/VALUE_MISMATCH) another column
def f(df):
    return df.assign(d=df.a - df.b)

# %% submission: UNIT_TEST_FAILURE/DTYPE_MISMATCH durations for numbers
def f(df):
    return df.assign(c=pd.to_timedelta(df.a + df.b, unit="s"))

# %% submission: UNIT_TEST_FAILURE/SHAPE_MISMATCH fewer rows
def f(df):
    return df.assign(c=df.a + df.b).head(2)

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - [1, 2]
      - [3, 4]
"""

def f(a, b):
    return a + b

# %% submission: CRASH/TYPE_ERROR too few parameters
def f(a):
    return a

# %% submission: CRASH/UNCATEGORIZED an assertion in a unit test
def f(a, b):
    assert a > b
    return a + b

# %% submission: PRESENTATION_ERROR/CONTAINER_MISMATCH (published: UNIT_TEST_FAILURE/UNEXPECTED_TYPE) a list for a number
def f(a, b):
    return [a + b]

# %% submission: UNIT_TEST_FAILURE/UNCATEGORIZED another name
def add(a, b):
    return a + b

# %% submission: UNIT_TEST_FAILURE/UNCATEGORIZED no function
g = 1

# %% submission: UNIT_TEST_FAILURE/UNCATEGORIZED the process ends in the function
def f(a, b):
    import os
    os._exit(0)

# %% submission: UNIT_TEST_FAILURE/UNEXPECTED_TYPE a function that only prints
def f(a, b):
    print(a + b)

# %% submission: UNIT_TEST_FAILURE/UNEXPECTED_TYPE a truth for a number
def f(a, b):
    return (a + b) == 3

# %% submission: UNIT_TEST_FAILURE/UNEXPECTED_TYPE the sum as text
def f(a, b):
    return f"{a + b}"

# %% submission: UNIT_TEST_FAILURE/VALUE_MISMATCH another sum
def f(a, b):
    return a * b + 1

# %% submission: UNIT_TEST_FAILURE/VALUE_MISMATCH the cases hard coded
def f(a, b):
    return 3

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - [1, 2]
      - [3, 4]
    output_checker: |
      def compare_fn(expected, found):
          assert found >= expected, 'too small'
          return True, ''
"""

def f(a, b):
    return a + b

# %% submission: UNIT_TEST_FAILURE/UNCATEGORIZED fails the checker
def f(a, b):
    return a

# %% reference
"""
query: Write the function.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - ['`pd.DataFrame({"a": np.arange(3), "b": np.random.rand(3)})`']
"""

def f(df):
    return float(df.b.sum())

# %% submission: UNIT_TEST_FAILURE/VALUE_MISMATCH argument changed
def f(df):
    total = float(df.b.sum())
    df['b'] = df['b'] + 1
    return total
