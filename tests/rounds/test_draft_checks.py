"""A draft is taken through every check, and what fails is left out; what others rest on stays."""

from pathlib import Path
from typing import Any

import pytest

from authoring.checks import Check, CheckFailure, find_repeats, known_fingerprints
from authoring.progress import no_progress
from authoring.rounds.draft_checks import check_draft, pruned
from authoring.rounds.draft_executor import LocalDraftExecutor
from authoring.rounds.plan_draft import choose_seeds
from authoring.seeds import shipped_seed_names
from authoring.store import problemsets, revisions
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.language import Problem, Problemset, SetupCell
from evaluator.session import Engine

SET = '''# %%
import pandas as pd
numbers = pd.Series([4.5, 2.25, 8.125])

# %%
"""
query: Is the largest of `numbers` above 8?
id: guessable
"""
bool(numbers.max() > 8)

# %%
"""
query: Store in `first` one of the words.
id: any-word
validator: {namespace_check: {first: {}}}
"""
first = list({"lorem", "ipsum", "dolor", "sit", "amet", "consectetur"})[-1]

# %%
"""
query: Note that you have read this.
id: nothing
validator: {crash: {}}
"""
noted = numbers.size

# %%
"""
query: Return the numbers, each with `noted` added.
id: needs-noted
"""
numbers + noted

# %%
"""
query: Return the sum of `numbers` after a nap.
id: slow
"""
__import__("time").sleep(0.4)
numbers.sum()
'''


@pytest.mark.usefixtures("no_trials")
def test_problems_that_fail_a_check_are_left_out_with_the_reason(ws: Workspace, engines: tuple[Engine, ...]) -> None:
    more: dict[str, Any] = {"draft_executor": LocalDraftExecutor(engines), "known": {}, "least": 1}
    more["on_event"] = no_progress
    made = problemsets.create(ws, name="words", text=SET, author="template", origin=Origin.TEMPLATE)
    found = check_draft(ws, made.problemset_id, **more)
    assert (found.refusal, found.drafted, found.problems) == ("", 5, 1)
    whys = {each.problem: each.why for each in found.left_out}
    assert set(whys) == {"guessable", "any-word", "nothing", "slow"}
    assert "'true' passes without" in whys["guessable"]
    assert "another hash seed" in whys["any-word"]
    assert "an empty answer passes" in whys["nothing"]
    assert "of 1 s" in whys["slow"]
    head = revisions.find(ws, "words")
    assert (head.id, head.origin) == (found.revision.id, "template")
    assert "# %%\nnoted = numbers.size\n" in head.text  # a later problem needs it
    broken = problemsets.create(ws, name="bad", text="# %%\n1 +\n", author="x", origin=Origin.PERSON)
    found = check_draft(ws, broken.problemset_id, **more)
    assert (bool(found.refusal), found.problems) == (True, 0)


def test_shipped_seeds_are_added_when_a_workspace_has_none_and_it_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    named = choose_seeds(Workspace.open(tmp_path / "a"), ["penguins"], lambda event: told.append(event.text))
    assert ([seed.name for seed in named], told) == (["penguins"], ["adding the shipped seeds penguins"])
    ws = Workspace.open(tmp_path / "b")
    assert len(choose_seeds(ws, (), lambda event: told.append(event.text))) == len(shipped_seed_names())
    assert "the shipped ones are used" in told[-1]


# leaving problems out


LOAD = Problem("Make `t`.", "t = 3", metadata={"id": "load"})
DOUBLE = Problem("Make `u`.", "u = t * 2", metadata={"id": "double"})
USE = Problem("Return u + 1.", "u + 1", metadata={"id": "use"})
ALONE = Problem("Return 40.", "40", metadata={"id": "alone"})
PARTS = Problemset("s", (SetupCell("import math"), LOAD, DOUBLE, USE, ALONE))


def test_what_fails_is_left_out_and_what_later_problems_read_prepares() -> None:
    setup, prepared = SetupCell("import math"), (SetupCell("t = 3"), SetupCell("u = t * 2"))
    for failures, cells, left_out in (
        ([(Check.GUESS, 4)], (setup, LOAD, DOUBLE, USE), (4,)),
        ([(Check.REPEAT, 1), (Check.REPEAT, 2)], (setup, *prepared, USE, ALONE), (1, 2)),
        ([(Check.GOLD, 1)], (setup, ALONE), (1, 2, 3)),  # code that does not hold goes with all that reads of it
        ([(Check.GOLD, 2), (Check.REPEAT, 1)], (setup, ALONE), (1, 2, 3)),  # only dropped ones read what it makes
    ):
        found = pruned(PARTS, [CheckFailure(check, index, "", "", "") for check, index in failures])
        assert found is not None
        assert (found.problemset.cells, found.left_out) == (cells, left_out)
    assert pruned(PARTS, [CheckFailure(Check.SETUP, 0, "", "", "")]) is None


def test_a_problem_repeats_another_by_its_words_or_its_code() -> None:
    other = Problemset("t", (Problem("  return U + 1. ", "7"), Problem("Something.", "40  # forty"), DOUBLE))
    repeats = find_repeats(other, known_fingerprints(PARTS))
    assert [(f.check, f.index, f.what) for f in repeats] == [
        (Check.REPEAT, 1, "it repeats s, problem 3"),
        (Check.REPEAT, 2, "it repeats s, problem 4"),
        (Check.REPEAT, 3, "it repeats s, problem 2"),
    ]
    assert [f.index for f in find_repeats(Problemset("t", (USE, ALONE, USE)), {})] == [3]  # of its own set
