"""Sessions that wait at a problem leave the same as fresh ones, and serve only where every cell before is the same."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from authoring.checks.dry_run.checked_execution import execute_problemset
from authoring.checks.dry_run.checked_set import CheckedSet, outcome_digest
from authoring.checks.dry_run.warm_sessions import WarmPlace, WarmSessions
from evaluator.session import Engine

pytestmark = pytest.mark.usefixtures("no_trials")
TEXT = '''# %%
import random
from pathlib import Path

import numpy as np

Path("log.txt").write_text("start")
log = []

# %%
"""
query: Draw three numbers and remember that.
validator: {namespace_check: {drawn: }}
"""
drawn = [random.random(), float(np.random.rand()), 1]
log.append("drawn")
drawn[2]

# %%
"""
query: Fail after a part of the work.
validator: {template: empty}
"""
log.append("half")
raise ValueError("no")

# %%
"""
query: What is left?
"""
log.append("left")
(len(log), drawn[:2], Path("log.txt").read_text(), random.random())

# %%
"""
query: And then?
"""
len(log)
'''


@pytest.fixture
def shelf() -> Iterator[WarmSessions]:
    shelf = WarmSessions()
    yield shelf
    shelf.drop()


def run(
    engine: Engine, text: str, number: int, shelf: WarmSessions | None = None, *, first: int = 1, key: str = "key"
) -> CheckedSet:
    place = None if shelf is None else WarmPlace(shelf, key, number)
    executed = execute_problemset(engine, text, "set", None, first=first, upto=number, place=place)
    if shelf is not None:
        shelf.rest()
    return executed


def shown(executed: CheckedSet) -> list[tuple[object, ...]]:
    verdicts = (
        (cell.reference and cell.reference.verdict, cell.empty and cell.empty.verdict) for cell in executed.cells
    )
    return [
        (cell.position, outcome_digest(cell.outcome), *each)
        for cell, each in zip(executed.cells, verdicts, strict=True)
    ]


def test_a_run_that_goes_on_where_sessions_wait_leaves_the_same(engine: Engine, shelf: WarmSessions) -> None:
    first = run(engine, TEXT, 3, shelf)
    edited = TEXT.replace("random.random())\n", "random.random(), 7)\n")
    again = run(engine, edited, 3, shelf)
    assert shown(again) == shown(run(engine, edited, 3))
    further = run(engine, TEXT, 4, shelf)
    for later in (again, further):
        assert all(now.outcome is then.outcome for now, then in zip(later.cells[:3], first.cells, strict=False))
    assert again.cells[3].outcome is not first.cells[3].outcome  # the problem that was worked on, executed anew
    assert shown(further)[:4] == shown(first)
    assert further.cells[4].outcome.ending == "ok"


def test_a_change_before_the_problem_executes_everything_again(engine: Engine, shelf: WarmSessions) -> None:
    before = run(engine, TEXT, 2, shelf, first=2)
    for old, new in {
        "log = []": "log = [0]",
        "query: Draw three": "query: Draw",
        "(len(log), drawn": "import numpy.fft\n(len(log), drawn",  # which is imported first
    }.items():
        again = run(engine, TEXT.replace(old, new), 2, shelf, first=2)
        assert again.cells[0].outcome is not before.cells[0].outcome, new
        before = again


def test_sessions_wait_for_no_other_set_or_earlier_problem_or_for_ever(engine: Engine, shelf: WarmSessions) -> None:
    first = run(engine, TEXT, 1, shelf)
    other = run(engine, TEXT, 2, shelf, key="another key")
    assert other.cells[0].outcome is not first.cells[0].outcome
    assert run(engine, TEXT, 1, shelf, key="another key").cells[0].outcome is not other.cells[0].outcome
    short = WarmSessions(kept_s=0.0)
    first = run(engine, TEXT, 1, short)
    for timer in threading.enumerate():
        if isinstance(timer, threading.Timer) and timer.interval == 0.0:
            timer.join()
    assert run(engine, TEXT, 1, short).cells[0].outcome is not first.cells[0].outcome
    short.drop()


def test_what_was_only_executed_is_not_taken_for_judged(engine: Engine, shelf: WarmSessions) -> None:
    run(engine, TEXT, 2, shelf, first=2)
    again = run(engine, TEXT, 2, shelf)
    assert [cell.reference is not None for cell in again.problems] == [True, True]


def test_cells_that_end_a_session_are_not_waited_behind(engine: Engine, shelf: WarmSessions) -> None:
    text = TEXT.replace('log.append("drawn")', "import os\nos._exit(3)")
    first, again = (run(engine, text, 2, shelf, first=2) for _ in range(2))
    assert shown(again) == shown(first)
    assert again.cells[0].outcome is not first.cells[0].outcome


def test_sessions_that_are_replayed_do_not_wait(engine: Engine, shelf: WarmSessions, tmp_path: Path) -> None:
    replayed = '''# %%
"""
query: Read it.
isolation: replay
"""
text = open("inputs/note.txt").read()
text

# %%
"""
query: How long is it?
"""
len(text)
'''
    (tmp_path / "note.txt").write_text("seven")
    place = WarmPlace(shelf, "key", 2)
    last = execute_problemset(engine, replayed, "set", tmp_path, upto=2, first=2, place=place).cells[-1]
    assert (last.outcome.engine, last.reference and last.reference.verdict) == ("replay", "CORRECT")
    assert shelf._waiting is None
