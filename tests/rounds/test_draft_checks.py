"""A draft is taken through every check, and what fails is left out; what others rest on stays."""

from pathlib import Path

from authoring.checks import Check, CheckFailure, find_repeats, known_fingerprints
from authoring.progress import no_progress
from authoring.rounds.draft_checks import Pruned, check_draft, pruned
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
__import__("time").sleep(0.5)
numbers.sum()
'''


def test_problems_that_fail_a_check_are_left_out_with_the_reason(ws: Workspace, engines: tuple[Engine, ...]) -> None:
    made = problemsets.create(ws, name="words", text=SET, author="template", origin=Origin.TEMPLATE)
    found = check_draft(
        ws, made.problemset_id, draft_executor=LocalDraftExecutor(engines), known={}, least=1, on_event=no_progress
    )
    assert found.refusal == ""
    assert (found.drafted, found.problems) == (5, 1)
    whys = {each.problem: each.why for each in found.left_out}
    assert set(whys) == {"guessable", "any-word", "nothing", "slow"}
    assert "'true' passes without" in whys["guessable"]
    assert "another hash seed" in whys["any-word"]
    assert "an empty answer passes" in whys["nothing"]
    assert "of 1 s" in whys["slow"]
    head = revisions.find(ws, "words")
    assert head.id == found.revision.id
    assert head.origin == "template"
    assert "# %%\nnoted = numbers.size\n" in head.text  # a later problem needs it


def test_a_draft_that_does_not_parse_is_refused_with_the_error(ws: Workspace, engines: tuple[Engine, ...]) -> None:
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


# leaving problems out


LOAD = Problem("Make `t`.", "t = 3", metadata={"id": "load"})
DOUBLE = Problem("Make `u`.", "u = t * 2", metadata={"id": "double"})
USE = Problem("Return u + 1.", "u + 1", metadata={"id": "use"})
ALONE = Problem("Return 40.", "40", metadata={"id": "alone"})
PARTS = Problemset("s", (SetupCell("import math"), LOAD, DOUBLE, USE, ALONE))


def prune(*failures: tuple[Check, int]) -> Pruned:
    found = pruned(PARTS, [CheckFailure(check, index, "", "", "") for check, index in failures])
    assert found is not None
    return found


def test_a_question_nobody_rests_on_is_left_out() -> None:
    found = prune((Check.GUESS, 4))
    assert found.problemset.cells == (SetupCell("import math"), LOAD, DOUBLE, USE)
    assert found.left_out == (4,)


def test_the_code_of_a_bad_question_goes_on_as_a_preparing_cell() -> None:
    found = prune((Check.REPEAT, 1), (Check.REPEAT, 2))
    assert found.problemset.cells == (SetupCell("import math"), SetupCell("t = 3"), SetupCell("u = t * 2"), USE, ALONE)


def test_code_that_does_not_hold_goes_with_all_that_reads_what_it_stores() -> None:
    found = prune((Check.GOLD, 1))
    assert (found.problemset.problems, found.left_out) == ((ALONE,), (1, 2, 3))


def test_what_only_dropped_problems_read_prepares_nothing() -> None:
    found = prune((Check.GOLD, 2), (Check.REPEAT, 1))
    assert found.problemset.cells == (SetupCell("import math"), ALONE)


def test_a_failing_setup_cell_leaves_nothing() -> None:
    assert pruned(PARTS, [CheckFailure(Check.SETUP, 0, "", "", "")]) is None


def test_a_problem_repeats_another_by_its_words_or_its_code() -> None:
    other = Problemset("t", (Problem("  return U + 1. ", "7"), Problem("Something.", "40  # forty"), DOUBLE))
    repeats = find_repeats(other, known_fingerprints(PARTS))
    assert [(f.check, f.index, f.what) for f in repeats] == [
        (Check.REPEAT, 1, "it repeats s, problem 3"),
        (Check.REPEAT, 2, "it repeats s, problem 4"),
        (Check.REPEAT, 3, "it repeats s, problem 2"),
    ]


def test_a_problem_repeats_an_earlier_one_of_its_own_set() -> None:
    assert [f.index for f in find_repeats(Problemset("t", (USE, ALONE, USE)), {})] == [3]
