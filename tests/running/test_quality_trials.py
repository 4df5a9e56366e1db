"""What trials beside a reference show: ties, changed inputs, answers that say little, demands never exercised."""

import json
import logging
from pathlib import Path

import pytest

from evaluator.running import ProblemsetExecutor
from evaluator.running.quality.assessing import QualityTrials, planned
from evaluator.running.quality.facts import read_facts
from evaluator.running.quality.flips import MAX_FLIPS
from evaluator.running.quality.warning import WarningCode
from evaluator.session import Ending, Engine, Outcome
from tests.running.doubtful import executed, problem, problemset

pytestmark = pytest.mark.kernel

IGNORES_ORDER = """
validator:
  result:
    ignore_order: true
"""
STORES = """
validator:
  namespace_check:
    {0}:
"""
TABLE_TEST = """
validator:
  template: basic
  table_test:
    function_name: grade
    test_cases:
      - [{0}]
      - [12.0]
      - [48.0]
"""
GRADE = """
def grade(points):
    return "good" if points >= 20 else "poor"
"""


def codes(engine: Engine, query: str, code: str, settings: str = "") -> list[str]:
    return [warning.code.value for warning in executed(engine, query, code, settings)]


TIES = {
    "the first of two largest": (
        "Which name has the most points in `tied`?",
        'tied.loc[tied["points"].idxmax(), "name"]',
    ),
    "the order of two largest": (
        "Return the names of the two rows of `tied` with the most points, as a list.",
        'tied.nlargest(2, "points")["name"].tolist()',
    ),
    "the cut of a sorted table": (
        "Return the name of the row of `tied` that comes first by points from high to low.",
        'tied.sort_values("points", ascending=False).head(1)["name"].item()',
    ),
    "the most frequent team": ("Which team of `tied` occurs most often?", 'tied["team"].value_counts().index[0]'),
    "the mode": ("What is the mode of `team` in `tied`?", 'tied["team"].mode()[0]'),
    "the best of each group": (
        "For each letter of `twice` in column `b`, return the row label with the largest `a`, as a dictionary.",
        'twice.groupby("b")["a"].idxmax().to_dict()',
    ),
    "shared ranks": (
        "Rank the rows of `tied` by points, the best with rank 1, and return the ranks as a list.",
        'tied["points"].rank(ascending=False).tolist()',
    ),
    "a key that the query does not say": (
        "Return the letters of `tied` as a list, in the sequence of `points`, most points first.",
        'tied.sort_values(["points", "name"], ascending=[False, True])["name"].tolist()',
    ),
    "python's max": (
        "Which letter of `tied` has the most points?",
        'max(zip(tied["name"], tied["points"]), key=lambda pair: pair[1])[0]',
    ),
}


@pytest.mark.parametrize(("query", "code"), TIES.values(), ids=TIES)
def test_equal_values_that_decide_the_answer_are_found(engine: Engine, query: str, code: str) -> None:
    assert "ties" in codes(engine, query, code)


NO_TIES = {
    "one largest": ("Which name has the most points in `clear`?", 'clear.loc[clear["points"].idxmax(), "name"]', ""),
    "ties below the cut": (
        "Return the names of the two rows of `twice` with the largest `a`, largest first, as a list.",
        'twice.nlargest(2, "a")["b"].tolist()',
        "",
    ),
    "a query that says which": (
        "Which name has the most points in `tied`? Of equal ones take the first in alphabetical order.",
        'tied.sort_values(["points", "name"], ascending=[False, True])["name"].iloc[0]',
        "",
    ),
    "a second key that the query says": (
        "Return the letters of `tied` as a list, sorted by `points`, most first, and by `name`.",
        'tied.sort_values(["points", "name"], ascending=[False, True])["name"].tolist()',
        "",
    ),
    "an order that nobody minds": (
        "Return the names of the two rows of `tied` with the most points, as a list.",
        'tied.nlargest(2, "points")["name"].tolist()',
        IGNORES_ORDER,
    ),
    "equal values alone": (
        "Return all points of `tied` as a list, the smallest number at the start.",
        'tied["points"].sort_values().tolist()',
        "",
    ),
    "a sort before a sum": (
        "What is the sum of the points of `tied`, times 100?",
        'int(tied.sort_values("points")["points"].cumsum().iloc[-1]) * 100',
        "",
    ),
    "ranks without equal values": (
        "Rank the rows of `clear` by points, the best with rank 1, and return the ranks as a list.",
        'clear["points"].rank(ascending=False).tolist()',
        "",
    ),
    "the first place where something holds": (
        "At which row label of `tied` are the points above 4 for the first time, times 1000?",
        'int((tied["points"] > 4).idxmax()) + 1000',
        "",
    ),
    "a rule for several largest": (
        "If several names have the most points in `tied`, take the one that stands earliest. Which name is it?",
        'tied.loc[tied["points"].idxmax(), "name"]',
        "",
    ),
    "ranks of a rank correlation": (
        "Return Spearman's correlation of the points with the row labels of `tied`.",
        'tied["points"].rank().corr(pd.Series(tied.index).rank())',
        "",
    ),
    "one mode": ("What is the mode of `team` in `clear`?", 'clear["team"].mode()[0]', ""),
}


@pytest.mark.parametrize(("query", "code", "settings"), NO_TIES.values(), ids=NO_TIES)
def test_ties_that_do_not_matter_are_none(engine: Engine, query: str, code: str, settings: str) -> None:
    assert "ties" not in codes(engine, query, code, settings)


def test_a_tie_names_the_keys_and_how_it_would_be_decided(engine: Engine) -> None:
    query, code = TIES["the cut of a sorted table"]
    found = executed(engine, query, code)[0]
    assert found.what.endswith("where `sort_values` looks by 'points'")
    assert found.fix == "say which of equal ones counts, or have them all, or let the validator ignore the order"


CHANGED = {
    "a column is added": (
        "What is the mean of the doubled points of `tied`?",
        'tied["double"] = tied["points"] * 2\ntied["double"].mean()',
    ),
    "sorted where it stands": (
        "Which three names have the most points in `clear`, best first?",
        'clear.sort_values("points", ascending=False, inplace=True)\nclear["name"].head(3).tolist()',
    ),
    "replaced by a part": (
        "Which names have more than 2 points in `tied`?",
        'tied = tied[tied["points"] > 2]\ntied["name"].tolist()',
    ),
    "changed through another name": (
        "What is the total of the halved points of `tied`?",
        '_copy = tied\n_copy["half"] = _copy["points"] / 2\n_copy["half"].sum()',
    ),
}


@pytest.mark.parametrize(("query", "code"), CHANGED.values(), ids=CHANGED)
def test_a_variable_that_changes_unasked_is_found(engine: Engine, query: str, code: str) -> None:
    assert "mutates-input" in codes(engine, query, code)


UNCHANGED = {
    "asked for": ("Add a column `double` to `tied`: twice the points.", 'tied["double"] = tied["points"] * 2'),
    "on a copy": (
        "What is the mean of the doubled points of `tied`?",
        '_copy = tied.copy()\n_copy["double"] = _copy["points"] * 2\n_copy["double"].mean()',
    ),
    "with assign": (
        "What is the mean of the doubled points of `tied`?",
        'tied.assign(double=tied["points"] * 2)["double"].mean()',
    ),
    "a repair": ("In `gappy`, replace missing values of `x` by 0.", 'gappy["x"] = gappy["x"].fillna(0)'),
    "a generator that is used": ("Which three numbers come next?", "rng.integers(0, 1000, 3).tolist()"),
    "a new variable": ("Store the points of `tied` as `scores`.", 'scores = tied["points"]'),
}


@pytest.mark.parametrize(("query", "code"), UNCHANGED.values(), ids=UNCHANGED)
def test_a_change_that_is_asked_for_is_none(engine: Engine, query: str, code: str) -> None:
    assert "mutates-input" not in codes(engine, query, code)


LITTLE = {
    "a truth value": ("Does `tied` have more rows than columns?", "len(tied) > tied.shape[1]"),
    "a small number": ("How many different teams are in `tied`?", 'tied["team"].nunique()'),
    "equal values": ("Return the number of rows of each team of `tied`.", 'tied.groupby("team").size()'),
    "an empty table": ("Which rows of `tied` have more than 50 points?", 'tied[tied["points"] > 50]'),
    "mostly missing": (
        "Return the change of `y` over ten rows of `gappy`.",
        'pd.concat([gappy["y"].diff(4), gappy["y"].diff(3)])',
    ),
    "a number of the query": ("Of 9.25, 2.5 and 1.5, which is the largest `x` of `gappy`?", 'gappy["x"].max()'),
    "a word of the query": ("Which is rarer in `clear`, `team` or `name`?", '"team" if len(clear) > 3 else "name"'),
    "an empty variable": (
        "Store the rows of `tied` with more than 50 points as `best`.",
        'best = tied[tied["points"] > 50]',
    ),
}


@pytest.mark.parametrize(("query", "code"), LITTLE.values(), ids=LITTLE)
def test_an_answer_that_says_little_is_found(engine: Engine, query: str, code: str) -> None:
    settings = STORES.format("best") if code.startswith("best") else ""
    assert "low-information" in codes(engine, query, code, settings)


ENOUGH = {
    "a large number": ("What is 100 times the sum of the points of `tied`?", 'int(tied["points"].sum()) * 100', ""),
    "a fraction": ("What is the mean of `x` in `gappy`?", 'gappy["x"].mean()', ""),
    "a table": ("Return the total of each team of `clear`.", 'clear.groupby("team")["points"].sum()', ""),
    "a name": ("Which name has the most points in `clear`?", 'clear.loc[clear["points"].idxmax(), "name"]', ""),
    "a small number beside a variable": (
        "Store the points of `tied` as `scores` and return how many there are.",
        'scores = tied["points"]\nlen(scores)',
        STORES.format("scores"),
    ),
    "a figure": (
        "Draw `x` of `gappy` as a line.",
        'import matplotlib.pyplot as plt\n\nplt.plot(gappy["x"])\nplt.show()',
        "\nvalidator:\n  template: basic\n  visual:\n    pass_at: 0\n",
    ),
    "a model": (
        "Fit a straight line to `y` of `gappy` and store it as `line`.",
        'line = np.poly1d(np.polyfit(range(4), gappy["y"], 1))',
        STORES.format("line"),
    ),
}


@pytest.mark.parametrize(("query", "code", "settings"), ENOUGH.values(), ids=ENOUGH)
def test_an_answer_that_says_something_is_none(engine: Engine, query: str, code: str, settings: str) -> None:
    assert "low-information" not in codes(engine, query, code, settings)


IDLE = {
    "no missing values": ("Ignoring missing values of `y`, what is its sum in `gappy`?", 'gappy["y"].sum() * 100', ""),
    "nothing to drop": (
        "Drop the rows of `gappy` in which `y` is missing and return the mean of `x`.",
        'gappy.dropna(subset=["y"])["x"].mean()',
        "",
    ),
    "no duplicates": (
        "Return the names of `clear` as a list, duplicates removed.",
        'clear["name"].drop_duplicates().tolist()',
        "",
    ),
    "a bound that no value has": (
        "Which rows of `clear` have at least 10 points?",
        'clear[clear["points"] >= 10]',
        "",
    ),
    "a filter that keeps every row": (
        "What is the mean of the points of `clear` that are above 0?",
        'clear[clear["points"] > 0]["points"].mean()',
        "",
    ),
    "no case on the bound": (
        "Write a function `grade(points)`: good from at least 20 points on, else poor.",
        GRADE,
        TABLE_TEST.format("33.0"),
    ),
    "no row without a match": (
        "Join the points of `clear` to `tied` by `name`; rows without a match stay. Store the result as `both`.",
        'both = tied.merge(clear[["name", "points"]], on="name", how="left")',
        STORES.format("both"),
    ),
    "mean and median alike": (
        "Return the median of the numbers of `gappy` in column `y`.",
        'gappy["y"].median()',
        "",
    ),
}


@pytest.mark.parametrize(("query", "code", "settings"), IDLE.values(), ids=IDLE)
def test_a_demand_that_nothing_exercises_is_found(engine: Engine, query: str, code: str, settings: str) -> None:
    assert "not-exercised" in codes(engine, query, code, settings)


EXERCISED = {
    "missing values": (
        "Drop the rows of `gappy` in which `x` is missing and return the mean of `y`.",
        'gappy.dropna(subset=["x"])["y"].mean()',
        "",
    ),
    "missing values that a method skips": (
        "Ignoring missing values, what is the mean of `x` in `gappy`?",
        'gappy["x"].mean()',
        "",
    ),
    "duplicates": (
        "Return column `a` of `twice` without duplicates; drop duplicate rows first.",
        'twice.drop_duplicates()["a"].tolist()',
        "",
    ),
    "a bound that a value has": ("Which rows of `clear` have at least 15 points?", 'clear[clear["points"] >= 15]', ""),
    "a bound between fractions": ("Which rows of `gappy` have at least 2 in `x`?", 'gappy[gappy["x"] >= 2]', ""),
    "a filter": (
        "What is the mean of the points of `clear` above 3?",
        'clear[clear["points"] > 3]["points"].mean()',
        "",
    ),
    "a case on the bound": (
        "Write a function `grade(points)`: good from at least 20 points on, else poor.",
        GRADE,
        TABLE_TEST.format("20.0"),
    ),
    "a row without a match": (
        "Join the points of `gappy` to `tied` by `name`; rows without a match stay. Store the result as `both`.",
        'both = tied.merge(gappy[["name", "x"]], on="name", how="left")',
        STORES.format("both"),
    ),
    "a mean that only moves things": (
        "Standardise `y` of `gappy` by its mean and return the range.",
        '_moved = gappy["y"] - gappy["y"].mean()\n(_moved.max() - _moved.min()) / 7',
        "",
    ),
    "mean and median unlike": ("Return the median of `x` in `gappy`.", 'gappy["x"].median()', ""),
}


@pytest.mark.parametrize(("query", "code", "settings"), EXERCISED.values(), ids=EXERCISED)
def test_a_demand_that_the_data_exercise_is_none(engine: Engine, query: str, code: str, settings: str) -> None:
    assert "not-exercised" not in codes(engine, query, code, settings)


SHARE = '(clear["points"] / clear["points"].sum()).max()'


@pytest.mark.parametrize(
    ("query", "code", "is_found"),
    [
        ("What percentage of the points of `clear` does c have?", SHARE, True),
        ("By how many percent is 16 more than 15 in `clear`?", "16 / 15 - 1", True),
        ("`clear` 中得分最高者占总分的百分比是多少？", SHARE, True),
        ("What share of the points of `clear` does c have?", SHARE, False),
        ("What percentage of the points does c have?", f"{SHARE} * 100", False),
        ("What percentage, as a fraction from 0 to 1, does c have?", SHARE, False),
    ],
)
def test_a_fraction_where_a_percentage_is_asked_for(engine: Engine, query: str, code: str, is_found: bool) -> None:
    assert ("query-code-mismatch" in codes(engine, query, code)) == is_found


def test_an_order_that_is_asked_for_and_not_checked_is_found(engine: Engine) -> None:
    query = "Return the points of `clear` with their names, sorted by points in descending order."
    code = 'clear.sort_values("points", ascending=False)[["name", "points"]]'
    assert codes(engine, query, code, IGNORES_ORDER) == ["unchecked-demand"]
    assert codes(engine, query, code) == []


def test_a_waiver_settles_a_warning(engine: Engine) -> None:
    query, code = TIES["the mode"]
    waiver = "waivers:\n  ties: {by: Ann, reason: any of them will do}\n"
    assert codes(engine, query, code) == ["ties"]
    assert codes(engine, query, code, waiver) == []


def test_trials_leave_nothing_behind_for_the_next_problem(engine: Engine) -> None:
    text = problemset("Which name has the most points in `tied`?", 'tied.nlargest(1, "points")["name"].item()').render()
    text += '\n# %%\n"""\nquery: Which names start with `_bw`?\n"""\n[n for n in dir() if n.startswith("_bw")]\n'
    parsed = problemset("x", "1").parse(text, name="doubtful")
    trials = QualityTrials()
    with ProblemsetExecutor(engine, parsed, Path("doubtful.py"), None) as executor:
        last = list(executor.cells(trials=trials.codes))[-1]
    shown = [output["data"]["text/plain"] for output in last.outcome.outputs] if last.outcome is not None else []
    assert shown == ["[]"]


def test_a_problem_gets_a_bounded_number_of_trials() -> None:
    code = "\n".join(f'a{n} = tied.sort_values("points").head({n})' for n in range(1, 30))
    asked = problem("Which names are they, and what is their median, mean, ddof=1? At least 3.", code)
    assert 2 <= len(planned(asked)) <= MAX_FLIPS + 1


def test_a_spent_budget_ends_the_trials_and_not_the_reading(caplog: pytest.LogCaptureFixture) -> None:
    trials = QualityTrials(budget_s=1.0, spent_s=2.0)
    with caplog.at_level(logging.INFO):
        assert trials.codes(1, problem("Which is it?", "tied.head()")) == ()
    assert "event=trials_ended" in caplog.text


def test_trials_end_with_the_first_that_takes_long(engine: Engine) -> None:
    code = 'import time\ntime.sleep(2.2)\ntied.sort_values("points").nlargest(2, "points")["name"].tolist()'
    asked = problemset("Return the names of the two best of `tied`.", code, "execution:\n  max_time: 20\n")
    with ProblemsetExecutor(engine, asked, Path("doubtful.py"), None) as executor:
        cell = list(executor.cells(trials=QualityTrials().codes))[-1]
    assert len(planned(asked.problems[0])) == 3
    assert len(cell.trials) == 1


def test_code_that_lies_about_what_it_does_is_not_believed_and_breaks_nothing(engine: Engine) -> None:
    code = """
    import builtins
    _bw = {"columns": lambda *given: None, "report": lambda *given: print("{}"), "result": lambda value: None}
    [1, 2, 3]
    """
    assert codes(engine, "Return the numbers 1, 2 and 3 as a list.", code) == []


def test_every_warning_can_be_waived() -> None:
    from evaluator.language.problem_settings import WAIVABLE

    assert {code.value for code in WarningCode} <= set(WAIVABLE)


FACTS = {
    "steps": [{"site": 1, "values": 3, "equal": 0, "coarse": True, "nearest": 1.0}, {"site": 0, "rows": 6, "kept": 6}],
    "columns": {"points": 0},
    "result": {"values": 1, "known": 1, "distinct": 1, "single": True, "kind": "int", "text": "7", "largest": 7.0,
               "opaque": False},
    "variables": {},
}  # fmt: skip
SOUND = json.dumps(FACTS)


@pytest.mark.parametrize(
    "line",
    [
        SOUND.replace("1.0}", "NaN}"),
        SOUND.replace("7.0", "Infinity"),
        SOUND.replace('"kept": 6', '"kept": "all"'),
        SOUND.replace('"rows": 6, ', ""),
        SOUND.replace('"site": 0', '"site": 99'),
        SOUND.replace('"points": 0', '"points": null'),
        SOUND.replace('"text": "7"', '"text": "\u00b2"').replace('"values": 1, "known"', '"values": [], "known"'),
        SOUND.replace('"steps": [', '"steps": [7, '),
        "[" * 100_000,
        "null",
        "{}",
        "no report",
        "",
    ],
)
def test_a_report_of_another_form_is_no_report(line: str) -> None:
    asked = problem("Which have at least 3 points?", 'clear[clear["points"] >= 3]')
    outcome = Outcome(Ending.OK, "", outputs=({"output_type": "stream", "name": "stdout", "text": line},))
    assert read_facts(asked, outcome) is None


def test_a_report_is_read_to_its_last_line() -> None:
    asked = problem("Which have at least 3 points?", 'clear[clear["points"] >= 3]')
    outcome = Outcome(Ending.OK, "", outputs=({"name": "stdout", "text": f"printed\n{SOUND}\n"},))
    facts = read_facts(asked, outcome)
    assert facts is not None
    assert [site.kind for site, _ in facts.steps] == ["compared", "chosen"]
    assert facts.columns == {"points": 0}
    assert facts.result is not None
    assert facts.result.text == "7"
