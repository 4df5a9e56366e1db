"""What trials beside a reference show: ties, changed inputs, answers that say little, demands never exercised."""

import json
import logging
from pathlib import Path

import pytest

from evaluator.language.problem_settings import WAIVABLE
from evaluator.running import ProblemsetExecutor
from evaluator.running.quality.assessing import QualityTrials, planned
from evaluator.running.quality.facts import read_facts
from evaluator.running.quality.flips import MAX_FLIPS
from evaluator.running.quality.warning import ProblemWarning, WarningCode
from evaluator.session import Ending, Engine, Outcome
from tests.running.doubtful import Case, executed, problem, problemset

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
SHARE = '(clear["points"] / clear["points"].sum()).max()'

TIES: list[Case] = [
    ("Which name has the most points in `tied`?", 'tied.loc[tied["points"].idxmax(), "name"]'),
    (
        "Return the names of the two rows of `tied` with the most points, as a list.",
        'tied.nlargest(2, "points")["name"].tolist()',
    ),
    (
        "Return the name of the row of `tied` that comes first by points from high to low.",
        'tied.sort_values("points", ascending=False).head(1)["name"].item()',
    ),
    ("Which team of `tied` occurs most often?", 'tied["team"].value_counts().index[0]'),
]

NO_TIES: list[Case] = [
    ("Which name has the most points in `clear`?", 'clear.loc[clear["points"].idxmax(), "name"]'),
    (
        "Return the names of the two rows of `tied` with the most points, as a list.",
        'tied.nlargest(2, "points")["name"].tolist()',
        IGNORES_ORDER,
    ),
    (
        "At which row label of `tied` are the points above 4 for the first time, times 1000?",
        'int((tied["points"] > 4).idxmax()) + 1000',
    ),
]

CHANGED: list[Case] = [
    ("What is the mean of the doubled points of `tied`?", 'tied["double"] = tied["points"] * 2\ntied["double"].mean()'),
    (
        "Which three names have the most points in `clear`, best first?",
        'clear.sort_values("points", ascending=False, inplace=True)\nclear["name"].head(3).tolist()',
    ),
]

UNCHANGED: list[Case] = [
    ("Add a column `double` to `tied`: twice the points.", 'tied["double"] = tied["points"] * 2'),
    (
        "What is the mean of the doubled points of `tied`?",
        '_other = tied.copy()\n_other["double"] = _other["points"] * 2\n_other["double"].mean()',
    ),
]

LITTLE: list[Case] = [
    ("Does `tied` have more rows than columns?", "len(tied) > tied.shape[1]"),
    ("Which rows of `tied` have more than 50 points?", 'tied[tied["points"] > 50]'),
    (
        "Store the rows of `tied` with more than 50 points as `best`.",
        'best = tied[tied["points"] > 50]',
        STORES.format("best"),
    ),
]

ENOUGH: list[Case] = [
    ("What is 100 times the sum of the points of `tied`?", 'int(tied["points"].sum()) * 100'),
    (
        "Draw `x` of `gappy` as a line.",
        'import matplotlib.pyplot as plt\n\nplt.plot(gappy["x"])\nplt.show()',
        "\nvalidator:\n  template: basic\n  visual:\n    pass_at: 0\n",
    ),
]

IDLE: list[Case] = [
    (
        "Drop the rows of `gappy` in which `y` is missing and return the mean of `x`.",
        'gappy.dropna(subset=["y"])["x"].mean()',
    ),
    ("Which rows of `clear` have at least 10 points?", 'clear[clear["points"] >= 10]'),
    ("Write a function `grade(points)`: good from at least 20 points on, else poor.", GRADE, TABLE_TEST.format("33.0")),
]

EXERCISED: list[Case] = [
    (
        "Drop the rows of `gappy` in which `x` is missing and return the mean of `y`.",
        'gappy.dropna(subset=["x"])["y"].mean()',
    ),
    ("Which rows of `clear` have at least 15 points?", 'clear[clear["points"] >= 15]'),
    ("Write a function `grade(points)`: good from at least 20 points on, else poor.", GRADE, TABLE_TEST.format("20.0")),
]


PERCENT: list[Case] = [
    ("What percentage of the points of `clear` does c have?", SHARE),
]
NO_PERCENT: list[Case] = [
    ("What share of the points of `clear` does c have?", SHARE),
]
MODE = ("What is the mode of `team` in `tied`?", 'tied["team"].mode()[0]')
WAIVED = (*MODE, "waivers:\n  ties: {by: Ann, reason: any of them will do}\n")
LIES = (
    "Return the numbers 1, 2 and 3 as a list.",
    """
    import builtins
    _bw = {"columns": lambda *given: None, "report": lambda *given: print("{}"), "result": lambda value: None}
    [1, 2, 3]
    """,
)
TOLD: dict[str, tuple[list[Case], list[Case]]] = {  # where a warning is due, and where it is not
    "ties": (TIES, NO_TIES),
    "mutates-input": (CHANGED, UNCHANGED),
    "low-information": (LITTLE, ENOUGH),
    "not-exercised": (IDLE, EXERCISED),
    "query-code-mismatch": (PERCENT, NO_PERCENT),
}


@pytest.fixture(scope="module")
def found(engine: Engine) -> dict[Case, tuple[ProblemWarning, ...]]:
    """What text and trials say of each case, all of which one session executes."""
    cases = [case for both in TOLD.values() for some in both for case in some]
    return executed(engine, [*cases, MODE, WAIVED, LIES])


def codes(warnings: tuple[ProblemWarning, ...]) -> list[str]:
    return [warning.code.value for warning in warnings]


@pytest.mark.parametrize("code", TOLD)
def test_what_is_doubtful_is_found_and_nothing_else(found: dict[Case, tuple[ProblemWarning, ...]], code: str) -> None:
    doubtful, sound = TOLD[code]
    assert [case for case in doubtful if code not in codes(found[case])] == []
    assert [case for case in sound if code in codes(found[case])] == []


def test_a_tie_names_its_keys_a_waiver_settles_it_and_lies_do_not_count(
    found: dict[Case, tuple[ProblemWarning, ...]],
) -> None:
    (tie,) = [each for case in TIES if ".head(1)" in case[1] for each in found[case]]
    assert tie.what.endswith("where `sort_values` looks by 'points'")
    assert tie.fix == "say which of equal ones counts, or have them all, or let the validator ignore the order"
    assert (codes(found[MODE]), codes(found[WAIVED]), codes(found[LIES])) == (["ties"], [], [])


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


def test_every_warning_can_be_waived() -> None:
    assert {code.value for code in WarningCode} <= set(WAIVABLE)


FACTS = {
    "steps": [{"site": 1, "values": 3, "equal": 0, "coarse": True, "nearest": 1.0}, {"site": 0, "rows": 6, "kept": 6}],
    "columns": {"points": 0},
    "result": {"values": 1, "known": 1, "distinct": 1, "single": True, "kind": "int", "text": "7", "largest": 7.0,
               "opaque": False},
    "variables": {},
}  # fmt: skip
SOUND = json.dumps(FACTS)


OTHER_FORMS = [
    SOUND.replace("1.0}", "NaN}"),
    SOUND.replace('"kept": 6', '"kept": "all"'),
    SOUND.replace('"text": "7"', '"text": "\u00b2"').replace('"values": 1, "known"', '"values": [], "known"'),
    SOUND.replace('"steps": [', '"steps": [7, '),
    "null",
    "{}",
    "no report",
    "",
]
ASKED = ("Which have at least 3 points?", 'clear[clear["points"] >= 3]')


def reported(text: str) -> Outcome:
    return Outcome(Ending.OK, "", outputs=({"output_type": "stream", "name": "stdout", "text": text},))


def test_a_report_of_another_form_is_no_report() -> None:
    assert [line[:40] for line in OTHER_FORMS if read_facts(problem(*ASKED), reported(line)) is not None] == []
