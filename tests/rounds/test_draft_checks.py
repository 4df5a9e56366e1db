"""A draft is taken through every check, and what fails is left out."""

from pathlib import Path

import pytest

from authoring.progress import no_progress
from authoring.rounds.draft_checks import check_draft
from authoring.rounds.draft_executor import LocalDraftExecutor
from authoring.rounds.plan_draft import choose_seeds
from authoring.seeds import shipped_seed_names
from authoring.store import problemsets, revisions
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.session import Engine

pytestmark = pytest.mark.kernel

SET = '''# %%
import pandas as pd
numbers = pd.Series([4.5, 2.25, 8.125])

# %%
"""
query: Return the mean of `numbers`.
id: mean
"""
numbers.mean()

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
query: Return the word in capitals, twice.
id: rests-on-any-word
"""
(first * 2).upper()

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
__import__("time").sleep(0.5)
numbers.sum()
'''


def test_each_problem_that_fails_a_check_is_left_out_and_the_reason_is_kept(
    tmp_path: Path, engines: tuple[Engine, ...]
) -> None:
    ws = Workspace.open(tmp_path)
    made = problemsets.create(ws, name="words", text=SET, author="template", origin=Origin.TEMPLATE)
    found = check_draft(
        ws, made.problemset_id, draft_executor=LocalDraftExecutor(engines), known={}, least=2, on_event=no_progress
    )
    assert found.refusal == ""
    assert (found.drafted, found.problems) == (7, 2)
    whys = {each.problem: each.why for each in found.left_out}
    assert set(whys) == {"guessable", "any-word", "rests-on-any-word", "nothing", "slow"}
    assert "'true' passes without" in whys["guessable"]
    assert "another hash seed" in whys["any-word"]
    assert "an empty answer passes" in whys["nothing"]
    assert "of 1 s" in whys["slow"]
    head = revisions.find(ws, "words")
    assert head.id == found.revision.id
    assert head.origin == "template"
    assert "# %%\nnoted = numbers.size\n" in head.text  # a later problem needs it


def test_a_draft_that_does_not_parse_is_refused_with_the_error(tmp_path: Path, engines: tuple[Engine, ...]) -> None:
    ws = Workspace.open(tmp_path)
    made = problemsets.create(ws, name="bad", text="# %%\n1 +\n", author="x", origin=Origin.PERSON)
    found = check_draft(
        ws, made.problemset_id, draft_executor=LocalDraftExecutor(engines), known={}, least=1, on_event=no_progress
    )
    assert found.refusal
    assert found.problems == 0


def test_shipped_seeds_are_added_when_a_workspace_has_none_and_it_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    named = choose_seeds(Workspace.open(tmp_path / "a"), ["penguins"], lambda event: told.append(event.text))
    assert ([seed.name for seed in named], told) == (["penguins"], ["adding the shipped seeds penguins"])
    ws = Workspace.open(tmp_path / "b")
    assert len(choose_seeds(ws, (), lambda event: told.append(event.text))) == len(shipped_seed_names())
    assert "the shipped ones are used" in told[-1]
