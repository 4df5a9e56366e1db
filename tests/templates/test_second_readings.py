"""Answers worked out in another way from the words of the query must be judged correct: there is one answer only."""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from authoring.templates import FAMILIES
from authoring.templates.board import Board
from authoring.templates.planning import TaskCandidate, next_board
from authoring.templates.template_draft import problem_of
from evaluator.language import Problem, resolve_validators, wanted_names
from evaluator.scoring import Verdict, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, Session, record_probes
from tests.templates.test_families import everything

LIMITS: Final = CellLimits(wall_s=60)
READINGS: Final[Mapping[str, str]] = {  # plain Python, slots filled in by name
    "nth_value": "sorted({x for x in {frame}[{column!r}] if x == x}, reverse={direction!r} == 'largest')[{count} - 1]",
    "fitted_line": (
        "x, y = {frame}[{x!r}].tolist(), {frame}[{y!r}].tolist()\n"
        "known = [(a, b) for a, b in zip(x, y) if a == a and b == b]\n"
        "mx, my = sum(a for a, _ in known) / len(known), sum(b for _, b in known) / len(known)\n"
        "slope = sum((a - mx) * (b - my) for a, b in known) / sum((a - mx) ** 2 for a, _ in known)\n"
        "(slope, my - slope * mx)"
    ),
    "largest_shares": (
        "values = sorted({frame}[{column!r}], reverse=True)\n"
        "total, taken, count = sum(values), 0, 0\n"
        "while taken < {share} / 100 * total:\n"
        "    taken += values[count]\n"
        "    count += 1\n"
        "count"
    ),
    "longest_runs": (
        "import itertools\n"
        "middle = {frame}[{column!r}].{how}()\n"
        "{var} = pd.Series([x > middle for x in {frame}[{column!r}]], index={frame}.index)\n"
        "sorted((len(list(run)) for on, run in itertools.groupby({var}) if on), reverse=True)[:3]"
    ),
    "weighted_groups": (
        "pd.Series({key: np.average(rows[{number!r}], weights=rows[{weight!r}]) for key, rows in "
        "{frame}.groupby({group!r})}).sort_index()"
    ),
    "best_partner": (
        "means = {frame}.groupby([{rows!r}, {columns!r}])[{number!r}].{how}()\n"
        "best = {}\n"
        "for (row, column), value in means.items():\n"
        "    if value == value and (row not in best or value > best[row][0]):\n"
        "        best[row] = (value, column)\n"
        "pd.Series({row: column for row, (_, column) in sorted(best.items())})"
    ),
    "widest_ranges": (
        "spans = [(rows[{number!r}].max() - rows[{number!r}].min(), key) for key, rows in {frame}.groupby({group!r})]\n"
        "pd.Series({key: span for span, key in sorted(spans, reverse=True)[:{count}]})"
    ),
    "top_per_group": (
        "parts = [rows.nlargest({count}, {number!r}) for _, rows in {frame}.groupby({group!r})]\n"
        "pd.concat(parts, ignore_index=True)[[{group!r}, {label!r}, {number!r}]]"
    ),
    "outliers_by_group": (
        "found = {}\n"
        "for key, rows in {frame}.groupby({group!r}):\n"
        "    low, high = np.nanquantile(rows[{number!r}], [0.25, 0.75])\n"
        "    found[key] = int((rows[{number!r}] > high + 1.5 * (high - low)).sum())\n"
        "pd.Series(found)"
    ),
    "change_within": (
        "last, changes = {}, []\n"
        "for key, value in zip({frame}[{group!r}], {frame}[{number!r}]):\n"
        "    changes.append(value - last[key] if key in last else np.nan)\n"
        "    last[key] = value\n"
        "{frame}[{new!r}] = changes"
    ),
    "by_other_table": (
        "names = dict(zip({other}[{key!r}], {other}[{brought!r}]))\n"
        "{frame}.groupby({frame}[{column!r}].map(names))[{number!r}].{how}()"
    ),
    "random_split": (
        "{train} = {frame}.sample(frac={share}, random_state={state})\n"
        "{test} = {frame}[[label not in set({train}.index) for label in {frame}.index]]"
    ),
}


def filled(reading: str, slots: Mapping[str, Any]) -> str:
    """Return a reading with its slots filled; braces of dictionaries and sets stay."""
    for key, value in slots.items():
        reading = reading.replace(f"{{{key}!r}}", repr(value)).replace(f"{{{key}}}", str(value))
    return reading


def proposed(name: str, board: Board) -> TaskCandidate:
    """Return the first problem of a family that fits."""
    family = FAMILIES[name]
    found = (slots for rng_seed in range(20) for slots in family.propose(board, Random(rng_seed)))
    slots = {**next(one for one in found if one.get("frame", board.main) == board.main), "wording": 0}
    return TaskCandidate(family, slots, family.build(board, slots))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("readings")
    everything(made)
    return made


def test_a_second_reading_of_the_query_gives_the_reference_answer(engine: Engine, folder: Path) -> None:
    from authoring.seeds import build_profile

    board, verdicts = Board(build_profile(engine, sorted(folder.iterdir()))), dict[str, str]()
    with engine.open(key="readings", inputs=folder) as session:
        session.execute("import numpy as np\nimport pandas as pd")
        for name in ("load_table", "load_table", "load_table"):
            candidate = proposed(name, board)
            session.execute(candidate.task.code, limits=LIMITS)
            board = next_board(candidate, board)
        for name, reading in READINGS.items():
            candidate = proposed(name, board)
            problem = problem_of(candidate, (), board)
            capture = _wants(session, problem)
            reference = session.attempt(problem.code, capture=capture, limits=LIMITS)
            answer = session.attempt(filled(reading, candidate.slots), capture=capture, limits=LIMITS)
            judged = judge_submission(engine, reference, answer, problem)
            if judged.verdict is not Verdict.CORRECT:
                verdicts[name] = f"{judged.verdict}: {judged.reason} {answer.error}"
    assert verdicts == {}


def _wants(session: Session, problem: Problem) -> CaptureSpec:
    names = wanted_names(resolve_validators(problem))
    return CaptureSpec(names=names, infer=True, probes=record_probes(session, problem, LIMITS))
