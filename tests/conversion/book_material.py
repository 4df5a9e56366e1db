"""Exercise notebooks of our own in the ways in which such are published, and the data that they read."""

import json
from pathlib import Path
from typing import Any, Final

Cell = tuple[str, str]

VISITS: Final = "\n".join(
    ["visit_id\tday\tmuseum\tvisitors\tfee"]
    + [
        f"{n}\t2024-0{1 + n % 4}-{1 + n % 27:02d}\t{'ABC'[n % 3]}\t{(n * 37) % 91 + 5}\t${(n % 5) + 2}.50"
        for n in range(120)
    ]
)
STAFF: Final = "\n".join(
    ["user_id|age|gender|job"]
    + [f"{n}|{20 + (n * 7) % 45}|{'MF'[n % 2]}|{['guide', 'guard', 'clerk'][n % 3]}" for n in range(90)]
)


def notebook(*cells: Cell, outputs: dict[int, list[Any]] | None = None) -> bytes:
    """Return a notebook of format 4; `outputs` by the number of the cell, from 0."""
    made: list[dict[str, Any]] = [
        {
            "cell_type": kind,
            "source": source.splitlines(keepends=True),
            "metadata": {},
            **({"outputs": (outputs or {}).get(number, []), "execution_count": None} if kind == "code" else {}),
        }
        for number, (kind, source) in enumerate(cells)
    ]
    book = {"cells": made, "nbformat": 4, "nbformat_minor": 2, "metadata": {"language_info": {"name": "python"}}}
    return json.dumps(book).encode()


def md(source: str) -> Cell:
    """Return a text cell."""
    return "markdown", source


def py(source: str = "") -> Cell:
    """Return a code cell."""
    return "code", source


PICTURE: Final = [{"output_type": "display_data", "data": {"image/png": "aGk="}, "metadata": {}}]

KNOWING: Final = (
    md("# Museum visits - Getting and Knowing your Data\n\nCheck out [the film](https://example.org/film) of somebody who does them."),
    md("This time we are going to pull data directly from the internet.\nSpecial thanks to: https://example.org for sharing the dataset."),
    md("### Step 1. Import the necessary libraries"),
    py("import pandas as pd\nimport numpy as np"),
    md("### Step 2. Import the dataset from this [address](https://example.org/data/visits.tsv). "),
    md("### Step 3. Assign it to a variable called visits."),
    py("%matplotlib inline\nurl = 'https://example.org/data/visits.tsv'\nvisits = pd.read_csv(url, sep = '\\t')"),
    md("### Step 4. See the first 10 entries"),
    py("visits.head(10)"),
    md("### Step 5. What is the number of observations in the dataset?"),
    py("# Solution 1\n\nvisits.shape[0]  # entries <= 120 observations"),
    py("# Solution 2\n\nlen(visits)"),
    md("### Step 6. Print the name of all the columns."),
    py("print(visits.columns)"),
    md("### Step 7. Which museum had the most visitors? \n\nCount all of its visits:\n\n- add up `visitors`\n    - over all days\n    - not only of `2024`\n- the answer is one letter"),
    py("visits.groupby('museum').visitors.sum().idxmax()"),
    md("### Step 8. Turn the fee into a float"),
    md("#### Step 8.a. Check the fee type"),
    py("visits.fee.dtype"),
    md("#### Step 8.b. Create a lambda function and change the type of fee"),
    py("dollarizer = lambda x: float(x[1:])\nvisits.fee = visits.fee.apply(dollarizer)"),
    md("### Step 9. How much was the revenue for the period in the dataset?"),
    py("revenue = (visits['visitors'] * visits['fee']).sum()\n\nprint('Revenue was: $' + str(np.round(revenue, 2)))"),
    md("### Step 10. How many different museums are there?"),
    py("print(visits.museum.nunique())"),
)  # fmt: skip

GROUPING: Final = (
    md("# Staff\n"),
    md("### Introduction:\n\nGroupBy can be summarised as Split-Apply-Combine.\n\nSpecial thanks to: https://example.org for sharing the dataset and materials."),
    md("Import the necessary libraries"),
    py("import pandas as pd"),
    md("### Import the dataset from this [address](../data/staff.user). "),
    md("### Assign it to a variable called staff."),
    py("staff = pd.read_table('../data/staff.user', \n                      sep='|', index_col='user_id')\nstaff.head()"),
    md("### Discover what is the mean age per job"),
    py("staff.groupby('job').age.mean()"),
    md("### Discover the male ratio per job and sort it from the most to the least"),
    py(
        "# create a function\ndef gender_to_numeric(x):\n    if x == 'M':\n        return 1\n    return 0\n\n# apply the function\n"
        "staff['gender_n'] = staff['gender'].apply(gender_to_numeric)\n\n\na = staff.groupby('job').gender_n.sum() / staff.job.value_counts() * 100 \n\n# sort to the most male \na.sort_values(ascending = False)"
    ),
    md("### For each combination of job and gender, calculate the mean age"),
    py("staff.groupby(['job', 'gender']).age.mean()"),
    md("### Create a dataframe called `young` with the people below 30 and look at it"),
    py("young = staff[staff.age < 30]\nyoung"),
    md("### Drop the column gender_n again"),
    py("del staff['gender_n']\nstaff.head()"),
    md("---\n### Bonus: a new column `decade`\nAdd the column `decade` to staff: 20 for 20 to 29 and so on.\n\n<br>\nKeep the *type* integer."),
    py("staff['decade'] = staff.age // 10 * 10\nstaff.sample(3)"),
)  # fmt: skip

PLOTS: Final = (
    md("Visualising scores\n==================\n\nWords about it."),
    md("1. Import the libraries and make the table of scores below, called `df`:\n\n![the table](attachment:table.png)\n\n| name | first | second |\n|------|-------|--------|\n| Ann  | 3     | 5      |\n| Ben  | 4     | 2      |"),
    py("import pandas as pd\nimport matplotlib.pyplot as plt\nimport plotly.express as px\n\nraw = {'name': ['Ann', 'Ben', 'Cid'], 'first': [3, 4, 9], 'second': [5, 2, 1]}\ndf = pd.DataFrame(raw, columns = ['name', 'first', 'second'])\n\ndf"),
    md("2. Create a scatter plot of first against second"),
    py("plt.scatter(df['first'], df['second'])\n\nplt.xlabel('first')"),
    md("3) Store the total of each person in `totals` and draw them as bars."),
    py("totals = df.set_index('name')[['first', 'second']].sum(axis=1)\ntotals.plot(kind='bar')"),
    md("Exercise 4 - Draw 2 names at random."),
    py("df.name.sample(2)"),
    md("Question 5: Who has the best total?<br><b>Return the name.</b> <img src='x.png'>"),
    py("totals.idxmax()"),
    md("6. Move the slider."),
    py("from ipywidgets import interact\n\ninteract(lambda n: n + 1, n=3)"),
    ("raw", "Some LaTeX for the printed version"),
    md("7. How many lines has the notes file?"),
    py("with open('notes') as f:\n    n_lines = len(f.readlines())\nn_lines"),
    md("8. List the folder."),
    py("%%bash\nls -l"),
)  # fmt: skip

SERIES: Final = (
    md("# Time series"),
    md("## Getting the data\n\nThe file has one row for each visit. `day` is its date.\n\nLoad `visits.tsv` into `visits`, with `day` as dates and as the index, sorted by it."),
    py("import pandas as pd\n\nvisits = pd.read_csv('./data/visits.tsv', sep='\\t', parse_dates=['day'], index_col='day').sort_index()"),
    py("# Q2. How many visitors came in each month? Give a Series of sums by month start.\nvisits['visitors'].resample('MS').sum()"),
    py("# 3. Which month had the most?\n# Give its number.\nper_month = visits['visitors'].resample('MS').sum()\nper_month.idxmax().month"),
    md("<details><summary>Hint</summary>\nThink of `diff`.\n</details>\n\n## By how many visitors does each month differ from the one before?"),
    py("per_month.diff()"),
    md("## What is the median fee?\n\n<details>\n<summary>Click for the solution</summary>\n\n```python\nvisits['fee'].str[1:].astype(float).median()\n```\n\n</details>"),
    py("# your code here"),
    md("## Which weekday is the busiest?"),
    py(""),
)  # fmt: skip

QUESTIONS: Final = tuple(
    ("code", "" if number % 2 else "# YOUR CODE HERE\nraise NotImplementedError()")
    if kind == "code"
    else (kind, source)
    for number, (kind, source) in enumerate(GROUPING)
)
"""The notebook about grouping as it is given to those who shall solve it."""
BOOKS: Final = {"knowing": KNOWING, "grouping": GROUPING, "plots": PLOTS, "series": SERIES}
INPUTS: Final = {"visits.tsv": VISITS, "staff.user": STAFF, "notes": "one\ntwo\n"}


def write_books(folder: Path) -> dict[str, Path]:
    """Write every notebook and its data into a folder, where a set made of it finds its inputs."""
    (folder / "_inputs").mkdir()
    for name, text in INPUTS.items():
        (folder / "_inputs" / name).write_text(text)
    paths = {name: folder / f"{name}.ipynb" for name in BOOKS}
    for name, cells in BOOKS.items():
        drawn = {number: PICTURE for number, (_, source) in enumerate(cells) if "plt." in source or ".plot(" in source}
        paths[name].write_bytes(notebook(*cells, outputs=drawn))
    return paths
