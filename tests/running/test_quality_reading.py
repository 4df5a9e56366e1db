"""What the text of a problem alone says against it: contradictions, unchecked demands, outputs nobody asked for."""

import pytest

from evaluator.running.quality.query_words import (
    Demand,
    bounds_in,
    demands,
    missing_names,
    named_ddof,
    named_directions,
    promised_names,
    top_counts,
)
from tests.running.doubtful import read


def said(query: str, code: str, settings: str = "") -> list[str]:
    return [f"{warning.code.value}: {warning.what}" for warning in read(query, code, settings)]


RESULT = "validator:\n  result:\n"
CONTRADICTIONS = {
    "median, mean": ("Return the median points of `tied`.", 'tied["points"].mean()'),
    "mean, median": ("What is the average of `points`?", 'tied.groupby("team")["points"].agg("median")'),
    "median, mean, Chinese": ("求 `points` 的中位数。", 'tied["points"].mean()'),
    "minimum, maximum": ("What is the minimum of `points`?", 'tied["points"].max()'),
    "population, pandas' default": (
        "Return the population standard deviation of `points`.",
        'tied["points"].std()',
    ),
    "sample, numpy's default": ("Return the sample standard deviation of `points`.", 'np.std(tied["points"])'),
    "sample, ddof=0": ("返回 `points` 的样本标准差。", 'tied["points"].std(ddof=0)'),
    "at least, above": ("Which rows have at least 3 points?", 'tied[tied["points"] > 3]'),
    "more than, at least": ("Which rows have more than 3 points?", 'tied[tied["points"] >= 3]'),
    "at most, below": ("Which rows have at most 3 points?", 'tied[tied["points"].lt(3)]'),
    "below, at most": ("Which rows have fewer than 3 points?", 'tied.loc[3 >= tied["points"]]'),
    "at least, above, Chinese": ("哪些行的分数至少3？", 'tied[tied["points"] > 3]'),
    "descending, ascending": ("Return the points in descending order.", 'tied["points"].sort_values().tolist()'),
    "ascending, descending": (
        "Return the rows, smallest points first.",
        'tied.sort_values("points", ascending=False)',
    ),
    "top 5, 10": ("Return the top 5 rows by points.", 'tied.nlargest(10, "points")'),
    "first three, 5": ("Return the first three rows.", "tied.head()"),
    "quarter, month": ("Sum the points per quarter.", 'tied.groupby(tied["when"].dt.month)["points"].sum()'),
    "month, quarter": ("Return the points of each month.", 'tied.groupby(tied["when"].dt.quarter)["points"].sum()'),
}


@pytest.mark.parametrize(("query", "code"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_query_and_a_code_that_name_different_things_are_found(query: str, code: str) -> None:
    assert "query-code-mismatch" in [warning.code.value for warning in read(query, code)]


AGREEING = {
    "median": ("Return the median points.", 'tied["points"].median()'),
    "median as a quantile": ("Return the median points.", 'tied["points"].quantile(0.5)'),
    "mean and median": ("Return the mean of the teams' medians.", 'tied.groupby("team")["points"].median().mean()'),
    "mean of a column called median": ("What is the mean of `median`?", 'tied["median"].mean()'),
    "mean by sums": ("What is the average?", 'tied["points"].sum() / len(tied)'),
    "maximum by sorting": ("What is the maximum?", 'tied["points"].sort_values().iloc[-1]'),
    "sample": ("Return the sample standard deviation.", 'tied["points"].std()'),
    "population": ("Return the population standard deviation.", 'np.std(tied["points"])'),
    "at least": ("Which rows have at least 3 points?", 'tied[tied["points"] >= 3]'),
    "at least, by the others": ("Which rows have at least 3 points?", 'tied[~(tied["points"] < 3)]'),
    "at least 3, above 2": ("Which rows have at least 3 points?", 'tied[tied["points"] > 2]'),
    "no more than": ("Which rows have no more than 3 points?", 'tied[tied["points"] <= 3]'),
    "not above": ("Which rows are not above 3?", 'tied[tied["points"] <= 3]'),
    "two bounds at one number": (
        "Class `low` up to and including 3, `high` above 3.",
        'tied.assign(level=np.where(tied["points"] <= 3, "low", "high"))',
    ),
    "descending": ("Return the points in descending order.", 'tied["points"].sort_values(ascending=False).tolist()'),
    "descending, turned round": ("Return them in descending order.", 'tied["points"].sort_values()[::-1].tolist()'),
    "descending by a negative key": ("Return it, largest first.", 'sorted(tied["points"], key=lambda each: -each)'),
    "descending in each group": (
        "Sort by team, then in descending order of points.",
        'tied.sort_values(["team", "points"], ascending=[True, False])',
    ),
    "a sort for another purpose": (
        "Largest total first.",
        'tied.sort_values("when").groupby("team").sum().nlargest(3, "points")',
    ),
    "the most negative first": ("The most negative change first.", 'tied.sort_values("change")'),
    "the largest loss first": ("Return the changes, the largest loss first.", 'tied.sort_values("change")'),
    "the best rank first": ("Return the rows, the highest rank first.", 'tied.sort_values("rank")'),
    "top 5": ("Return the top 5 rows by points.", 'tied.nlargest(5, "points")'),
    "top three, one number more": ("Of the top three, skip 1 and take 2.", 'tied.nlargest(2, "points")'),
    "quarter": ("Sum the points per quarter.", 'tied.groupby(tied["when"].dt.quarter)["points"].sum()'),
    "quarters from months": ("Sum per quarter.", 'tied.groupby((tied["when"].dt.month - 1) // 3)["points"].sum()'),
    "month": ("Sum per month.", 'tied.resample("MS", on="when")["points"].sum()'),
}


@pytest.mark.parametrize(("query", "code"), AGREEING.values(), ids=AGREEING)
def test_a_query_and_a_code_that_agree_are_left_alone(query: str, code: str) -> None:
    assert "query-code-mismatch" not in [warning.code.value for warning in read(query, code)]


def test_a_contradiction_says_both_sides() -> None:
    assert said("Which rows have at least 3 points?", 'tied[tied["points"] > 3]') == [
        "query-code-mismatch: the query says at least 3, the code compares with >"
    ]
    assert said("Return the top 5 rows by points.", 'tied.nlargest(10, "points")') == [
        "query-code-mismatch: the query asks for 5, the code takes 10"
    ]


UNCHECKED = {
    "a variable": ("Store the points as `scores`.", 'scores = tied["points"]', "validator:\n  template: basic\n"),
    "a variable beside a result": (
        "Keep the sorted rows as `best` and return how many there are.",
        'best = tied.sort_values("points")\nlen(best)',
        "",
    ),
    "a changed table": ("Add a column `half` to `tied`.", 'tied["half"] = tied["points"] / 2', ""),
    "a function": (
        "Write a function `half(value)` that returns half of a number.",
        "def half(value):\n    return value / 2",
        "validator:\n  template: basic\n",
    ),
    "a function in Chinese": ("编写一个函数 `half(value)`，返回一半。", "def half(value):\n    return value / 2", ""),
    "a result": ("Return the mean of the points.", 'tied["points"].mean()', "validator:\n  template: intact\n"),
    "no result": ("Return the mean of the points.", '_mean = tied["points"].mean()', ""),
    "a print": ("Print one line per team.", 'for team in tied["team"]:\n    print(team)', ""),
}


@pytest.mark.parametrize(("query", "code", "settings"), UNCHECKED.values(), ids=UNCHECKED)
def test_a_demand_that_no_validator_checks_is_found(query: str, code: str, settings: str) -> None:
    assert "unchecked-demand" in [warning.code.value for warning in read(query, code, settings)]


CHECKED = {
    "a variable": (
        "Store the points as `scores`.",
        'scores = tied["points"]',
        "validator:\n  namespace_check:\n    scores:\n",
    ),
    "a variable or a result": (
        "Store it as `scores` or return it.",
        'scores = tied["points"]\nscores',
        "validator:\n  template: intact\n  or:\n    namespace_check:\n      scores:\n    result:\n",
    ),
    "a column of the same kind": ("Return the column `points` of `tied`.", 'tied["points"]', ""),
    "scratch": ("Return the mean of the points.", '_points = tied["points"]\n_points.mean()', ""),
    "a function": (
        "Write a function `half(value)` that returns half of a number.",
        "def half(value):\n    return value / 2",
        "validator:\n  template: basic\n  table_test:\n    function_name: half\n    test_cases:\n      - [1]\n",
    ),
    "a print": (
        "Print one line per team.",
        'for team in tied["team"]:\n    print(team)',
        "validator:\n  template: basic\n  stream:\n",
    ),
    "a result that is printed": ("Return the mean of the points.", 'print(tied["points"].mean())', RESULT),
}


@pytest.mark.parametrize(("query", "code", "settings"), CHECKED.values(), ids=CHECKED)
def test_a_demand_that_a_validator_checks_is_left_alone(query: str, code: str, settings: str) -> None:
    assert "unchecked-demand" not in [warning.code.value for warning in read(query, code, settings)]


UNASKED = {
    "head": ("Store the teams as `teams`.", 'teams = tied.groupby("team").sum()\nteams.head()'),
    "head of an answer": ("Return the total of each team.", 'tied.groupby("team").sum().head()'),
    "head beside an order": ("Return the total of each team, the largest first.", 'tied.groupby("team").sum().head()'),
    "head of another number": ("Return the rows with the most points.", 'tied.sort_values("points").head(4)'),
    "sample": ("Return the total of each team.", 'tied.groupby("team").sum().sample(2, random_state=0)'),
    "tail": ("What is the total of each team?", 'tied.groupby("team").sum().tail(2)'),
    "display": ("Store the teams as `teams`.", "teams = tied\ndisplay(teams)"),
    "the variable itself": ("Store the teams as `teams`.", 'teams = tied.groupby("team").sum()\nteams'),
}


@pytest.mark.parametrize(("query", "code"), UNASKED.values(), ids=UNASKED)
def test_an_output_that_nobody_asked_for_is_found(query: str, code: str) -> None:
    settings = "validator:\n  namespace_check:\n    teams:\n" if "teams =" in code else ""
    assert [warning.code.value for warning in read(query, code, settings)] == ["unasked-output"]


ASKED = {
    "head": ("Return the first five rows.", "tied.head()"),
    "head of a number": ("Return 3 rows with the fewest points.", 'tied.sort_values("points").head(3)'),
    "a preview": ("Show the first rows of `tied`.", "tied.head()"),
    "head in Chinese": ("返回前三行。", "tied.head(3)"),
    "sample": ("Draw 2 rows at random (seed 0).", "tied.sample(2, random_state=0)"),
    "the best": ("Who has the most points?", 'tied.sort_values("points", ascending=False).head(1)'),
    "an answer": ("Store the teams as `teams` and return how many there are.", "teams = tied\nlen(teams)"),
    "a question": ("How many rows does each team have?", 'tied.groupby("team").size()'),
}


@pytest.mark.parametrize(("query", "code"), ASKED.values(), ids=ASKED)
def test_an_output_that_is_asked_for_is_left_alone(query: str, code: str) -> None:
    assert "unasked-output" not in [warning.code.value for warning in read(query, code)]


HARD = """
_first = tied.groupby("team")["points"].transform("mean")
_second = tied.assign(gap=tied["points"] - _first).merge(clear, on="name")
_third = _second.groupby("team_x")["gap"].rolling(3).mean().reset_index()
_third.pivot_table(index="level_1", columns="team_x", values="gap")
"""


@pytest.mark.parametrize(
    ("stated", "code", "is_found"),
    [
        ("hard", "len(tied)", True),
        ("easy", HARD, True),
        ("Hard", 'tied["points"].mean()', True),
        ("hard", HARD, False),
        ("medium", "len(tied)", False),
        ("easy", "len(tied)", False),
        ("4", "len(tied)", False),
    ],
)
def test_a_level_that_is_two_away_is_found(stated: str, code: str, is_found: bool) -> None:
    found = read("How are they, as a table?", code, f"difficulty: {stated}\n")
    assert ("difficulty-mismatch" in [warning.code.value for warning in found]) == is_found


def test_the_bounds_of_a_query_are_read_in_both_languages() -> None:
    assert [tuple(bound) for bound in bounds_in("at least 3, more than 1,500, at most 9, below 2.5, 7 or more")] == [
        (">=", 3.0),
        (">=", 7.0),
        (">", 1500.0),
        ("<=", 9.0),
        ("<", 2.5),
    ]
    assert [tuple(bound) for bound in bounds_in("至少3，超过5，不超过7，低于9")] == [
        (">=", 3.0),
        (">", 5.0),
        ("<=", 7.0),
        ("<", 9.0),
    ]


@pytest.mark.parametrize("query", ["no more than 3 and above 3", "not above 3", "above 3, up to and including 3"])
def test_a_bound_that_is_negated_or_double_is_not_read(query: str) -> None:
    assert [bound for bound in bounds_in(query) if bound.operator == ">"] == []


def test_other_words_of_a_query_are_read() -> None:
    assert named_directions("largest first, from low to high") == {"descending", "ascending"}
    assert named_ddof("population standard deviation (ddof=0)") == 0
    assert named_ddof("ddof=0 or ddof=1") is None
    assert top_counts("the top five of the 3 largest") == {5, 3}
    assert missing_names("Ignore missing values of `a` and `b`, sum `c`.") == {"a", "b"}
    assert promised_names("Store the mean as `mean_km`.") == ("mean_km",)
    assert not demands("What is the sum of `tied`?", Demand.TIES)  # the name of a variable is no wording
