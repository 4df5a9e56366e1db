"""What the text of a problem alone says against it: contradictions, unchecked demands, outputs nobody asked for."""

import pytest

from tests.running.doubtful import Case, read

RESULT = "validator:\n  result:\n"
OF_TEAMS = "validator:\n  namespace_check:\n    teams:\n"
CONTRADICTIONS: list[Case] = [
    ("Return the median points of `tied`.", 'tied["points"].mean()'),
    ("求 `points` 的中位数。", 'tied["points"].mean()'),
    ("Return the population standard deviation of `points`.", 'tied["points"].std()'),
    ("Return the sample standard deviation of `points`.", 'np.std(tied["points"])'),
    ("Which rows have at least 3 points?", 'tied[tied["points"] > 3]'),
    ("Which rows have more than 3 points?", 'tied[tied["points"] >= 3]'),
    ("哪些行的分数至少3？", 'tied[tied["points"] > 3]'),
    ("Return the points in descending order.", 'tied["points"].sort_values().tolist()'),
    ("Return the rows, smallest points first.", 'tied.sort_values("points", ascending=False)'),
    ("Return the top 5 rows by points.", 'tied.nlargest(10, "points")'),
    ("Sum the points per quarter.", 'tied.groupby(tied["when"].dt.month)["points"].sum()'),
]

AGREEING: list[Case] = [
    ("Return the median points.", 'tied["points"].quantile(0.5)'),
    ("Return the mean of the teams' medians.", 'tied.groupby("team")["points"].median().mean()'),
    ("Return the population standard deviation.", 'np.std(tied["points"])'),
    ("Which rows have at least 3 points?", 'tied[tied["points"] >= 3]'),
    ("Which rows have at least 3 points?", 'tied[tied["points"] > 2]'),
    ("Which rows are not above 3?", 'tied[tied["points"] <= 3]'),
    (
        "Class `low` up to and including 3, `high` above 3.",
        'tied.assign(level=np.where(tied["points"] <= 3, "low", "high"))',
    ),
    ("Return the points in descending order.", 'tied["points"].sort_values(ascending=False).tolist()'),
    (
        "Sort by team, then in descending order of points.",
        'tied.sort_values(["team", "points"], ascending=[True, False])',
    ),
    ("Return the rows, the highest rank first.", 'tied.sort_values("rank")'),
    ("Return the top 5 rows by points.", 'tied.nlargest(5, "points")'),
    ("Sum the points per quarter.", 'tied.groupby(tied["when"].dt.quarter)["points"].sum()'),
    ("Sum per quarter.", 'tied.groupby((tied["when"].dt.month - 1) // 3)["points"].sum()'),
]

UNCHECKED: list[Case] = [
    ("Store the points as `scores`.", 'scores = tied["points"]', "validator:\n  template: basic\n"),
    ("Keep the sorted rows as `best` and return how many there are.", 'best = tied.sort_values("points")\nlen(best)'),
    ("Add a column `half` to `tied`.", 'tied["half"] = tied["points"] / 2'),
    (
        "Write a function `half(value)` that returns half of a number.",
        "def half(value):\n    return value / 2",
        "validator:\n  template: basic\n",
    ),
    ("Return the mean of the points.", 'tied["points"].mean()', "validator:\n  template: intact\n"),
    ("Print one line per team.", 'for team in tied["team"]:\n    print(team)'),
]

CHECKED: list[Case] = [
    ("Store the points as `scores`.", 'scores = tied["points"]', "validator:\n  namespace_check:\n    scores:\n"),
    (
        "Store it as `scores` or return it.",
        'scores = tied["points"]\nscores',
        "validator:\n  template: intact\n  or:\n    namespace_check:\n      scores:\n    result:\n",
    ),
    (
        "Write a function `half(value)` that returns half of a number.",
        "def half(value):\n    return value / 2",
        "validator:\n  template: basic\n  table_test:\n    function_name: half\n    test_cases:\n      - [1]\n",
    ),
    (
        "Print one line per team.",
        'for team in tied["team"]:\n    print(team)',
        "validator:\n  template: basic\n  stream:\n",
    ),
    ("Return the mean of the points.", 'print(tied["points"].mean())', RESULT),
]

UNASKED: list[Case] = [
    ("Store the teams as `teams`.", 'teams = tied.groupby("team").sum()\nteams.head()'),
    ("Return the total of each team, the largest first.", 'tied.groupby("team").sum().head()'),
    ("Return the rows with the most points.", 'tied.sort_values("points").head(4)'),
    ("Store the teams as `teams`.", 'teams = tied.groupby("team").sum()\nteams'),
]

ASKED: list[Case] = [
    ("Return the first five rows.", "tied.head()"),
    ("Return 3 rows with the fewest points.", 'tied.sort_values("points").head(3)'),
    ("返回前三行。", "tied.head(3)"),
    ("Who has the most points?", 'tied.sort_values("points", ascending=False).head(1)'),
    ("Store the teams as `teams` and return how many there are.", "teams = tied\nlen(teams)"),
]


def codes(case: Case) -> list[str]:
    return [warning.code.value for warning in read(*case)]


@pytest.mark.parametrize(
    ("code", "doubtful", "sound"),
    [
        ("query-code-mismatch", CONTRADICTIONS, AGREEING),
        ("unchecked-demand", UNCHECKED, CHECKED),
        ("unasked-output", [], ASKED),
    ],
)
def test_what_is_doubtful_is_found_and_nothing_else(code: str, doubtful: list[Case], sound: list[Case]) -> None:
    assert [case for case in doubtful if code not in codes(case)] == []
    assert [case for case in sound if code in codes(case)] == []


def test_an_output_that_nobody_asked_for_is_found() -> None:
    cases = [(*case[:2], OF_TEAMS if "teams =" in case[1] else "") for case in UNASKED]
    assert [case for case in cases if codes(case) != ["unasked-output"]] == []


def test_a_contradiction_says_both_sides() -> None:
    (bound,) = read("Which rows have at least 3 points?", 'tied[tied["points"] > 3]')
    assert bound.what == "the query says at least 3, the code compares with >"
    (count,) = read("Return the top 5 rows by points.", 'tied.nlargest(10, "points")')
    assert count.what == "the query asks for 5, the code takes 10"


HARD = """
_first = tied.groupby("team")["points"].transform("mean")
_second = tied.assign(gap=tied["points"] - _first).merge(clear, on="name")
_third = _second.groupby("team_x")["gap"].rolling(3).mean().reset_index()
_third.pivot_table(index="level_1", columns="team_x", values="gap")
"""


def test_a_level_that_is_two_away_is_found() -> None:
    for stated, code, is_found in (
        ("hard", "len(tied)", True),
        ("easy", HARD, True),
        ("hard", HARD, False),
        ("medium", "len(tied)", False),
        ("4", "len(tied)", False),
    ):
        found = read("How are they, as a table?", code, f"difficulty: {stated}\n")
        assert ("difficulty-mismatch" in [warning.code.value for warning in found]) == is_found
