"""How hard a problem is measured to be, and how that agrees with people who wrote and labelled problems."""

from pathlib import Path
from textwrap import dedent

from evaluator.language import (
    Level,
    Problemset,
    level_with_samples,
    levels_apart,
    measure_difficulty,
    measured_difficulties,
    measured_level,
    read_benchmark,
    results_used,
    stated_level,
)
from evaluator.language.difficulty import HARD_FROM

CORE = Path(__file__).parents[2] / "problemsets" / "core"

LOAD = 'days = pd.read_csv("inputs/days.csv")\nlen(days)'
GROUPED = 'days.groupby("year")["rain"].mean().round(2)'
COMPOSED = """
    _dry = days["rain"] == 0
    _spell = (~_dry).cumsum()[_dry]
    _spells = days[_dry].groupby(["year", _spell])["date"].agg(["first", "size"]).reset_index()
    _longest = _spells.sort_values(["year", "size"], kind="stable").drop_duplicates("year")
    _longest.merge(years, on="year")
"""
LONG_LINE = (
    'days.merge(years).groupby("year").rain.transform("mean").shift(1).rolling(3).mean().diff().rank()'
    '.groupby(days["month"]).cumsum().pivot_table().melt().interpolate()'
)


def test_one_call_is_easy_one_idea_is_medium_and_steps_composed_are_hard() -> None:
    levels = [measured_level(dedent(code)) for code in (LOAD, GROUPED + ".cumsum()", COMPOSED)]
    assert levels == ["easy", "medium", "hard"]


def test_one_line_is_never_hard_however_long_it_is() -> None:
    query = "ties, missing values, at least, ddof=1"
    imports, constants = "import numpy as np\nfrom pandas import DataFrame", 'NAMES = ["a", "b"]\nLIMIT = 3'
    for code in (LONG_LINE, f"{imports}\n{LONG_LINE}", f"{constants}\n{LONG_LINE}", f"answer = {LONG_LINE}\nanswer"):
        assert measure_difficulty(code, query, results_used=5).score > HARD_FROM
        assert measured_level(code, query, results_used=5) == "medium"


def test_conventions_and_earlier_results_make_a_problem_harder() -> None:
    query = "Ignore missing values; equal ones by name, at least 3 each, ddof=1."
    plain, named = measure_difficulty(GROUPED, query, conventions=()), measure_difficulty(GROUPED, query)
    assert named.conventions == ("ddof", "ties", "missing", "bounds")
    assert named.score == plain.score + 4
    assert measure_difficulty(GROUPED, query, conventions=("ties",)).score == plain.score + 1
    assert measure_difficulty(GROUPED, query, conventions=(), results_used=2).score == plain.score + 2.5
    assert measure_difficulty(GROUPED, f"{query} " * 3, conventions=()).score > plain.score
    assert measure_difficulty(GROUPED, "word " * 50) == measure_difficulty(GROUPED)


def test_loading_a_table_is_no_result_that_a_later_problem_uses() -> None:
    cells = [LOAD, 'wet = days[days["rain"] > 0]', "len(wet)", "len(days) - len(wet)"]
    text = "\n\n".join(f'# %%\n"""\nquery: Number {number}.\n"""\n{code}' for number, code in enumerate(cells))
    problemset = Problemset.parse(f"# %%\nimport pandas as pd\n\n{text}\n", name="days")
    assert [set(used) for used in results_used(problemset)] == [set(), set(), {2}, {2}]


def test_sampled_answers_move_a_level_by_one_at_most() -> None:
    moves: tuple[tuple[Level, int, int, Level], ...] = (
        *(("medium", 4, 4, "easy"), ("medium", 1, 4, "hard"), ("medium", 2, 4, "medium"), ("easy", 4, 4, "easy")),
        *(("hard", 0, 4, "hard"), ("medium", 3, 3, "medium")),  # the last: too few to say anything
    )
    for level, correct, judged, expected in moves:
        assert level_with_samples(level, correct, judged) == expected


def test_the_measure_agrees_with_the_labels_of_the_shipped_benchmark() -> None:
    pairs = [
        (problem.metadata["id"], stated_level(problem), found.level)
        for problemset in read_benchmark(CORE).problemsets
        for problem, found in zip(problemset.problems, measured_difficulties(problemset), strict=True)
    ]
    labelled = [(name, stated, measured) for name, stated, measured in pairs if stated is not None]
    assert len(labelled) >= 40
    assert sum(stated == measured for _, stated, measured in labelled) >= 0.75 * len(labelled)
    assert [name for name, stated, measured in labelled if levels_apart(stated, measured) == 2] == []
