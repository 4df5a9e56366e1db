"""Dry runs that ask the reference agent several times: solve rates, equal wrong answers, open questions."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from authoring.checks.dry_run.dry_running import dry_run
from authoring.checks.solve_rates import solve_rates, wrong_groups
from authoring.store import problemsets
from authoring.store.dry_runs import DryRunSample, list_dry_run_samples
from authoring.store.reviewing.roundtable import list_roundtable
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.models import configured_model
from evaluator.session import Engine
from tests.scripted_model import Say, Script, ScriptedModel

pytestmark = pytest.mark.kernel
Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]

TEXT = '''# %%
rows = [3, 1, 2]

# %%
"""
query: How many rows are there?
id: count
"""
len(rows)

# %%
"""
query: Which is the largest?
id: largest
"""
max(rows)
'''
COUNTS = ["len(rows)", "print(len(rows))", "3", "int('x')"]
LARGEST = ["rows[1]", "max(rows)", "min(rows)", "sorted(rows)[0]"]


def test_several_answers_give_a_solve_rate_and_groups_of_equal_wrong_ones(
    ws: Workspace, engine: Engine, serve: Serve
) -> None:
    revision = problemsets.create(ws, name="sampled", text=TEXT, author="Ann", origin=Origin.PERSON)
    with serve([Say(f"```python\n{code}\n```") for code in COUNTS + LARGEST]) as model:
        found = dry_run(ws, revision.id, engine=engine, model=configured_model(), samples=4)
    assert len({str(request["messages"]) for request in model.requests}) == 2, "samples ask the same"
    samples = list_dry_run_samples(ws, found.id)
    assert [sample.verdict for sample in samples[:4]] == ["CORRECT", "PRESENTATION_ERROR", "CORRECT", "CRASH"]
    assert [sample.sample for sample in samples[4:]] == [1, 2, 3, 4]
    count, largest = solve_rates(ws, revision, found.id)
    assert (count.correct, count.judged, count.rate, largest.rate) == (2, 4, 0.5, 0.25)
    assert [(group.count, group.verdict) for group in largest.wrong] == [(3, "WRONG_OUTPUT")]
    assert [group.count for group in count.wrong] == [1, 1]
    assert count.difficulty > 0
    assert (count.level, largest.level) == ("easy", "medium")  # seldom solved: harder than it looks
    items = list_roundtable(ws, revision.problemset_id)
    assert [(item.problem, item.evidence["kind"], item.evidence["agree"]) for item in items] == [
        ("largest", "samples_agree", 3)
    ]
    assert items[0].evidence["code"] == "rows[1]"


def test_several_answers_need_a_model(ws: Workspace, engine: Engine) -> None:
    revision = problemsets.create(ws, name="unasked", text=TEXT, author="Ann", origin=Origin.PERSON)
    with pytest.raises(UsageError, match="no model to ask"):
        dry_run(ws, revision.id, engine=engine, samples=2)


def test_wrong_answers_that_nothing_compared_are_equal_where_their_code_is() -> None:
    codes = ("1", "1", "2", "1")
    samples = [DryRunSample(1, n, "m", "WRONG_VARIABLES", code=code) for n, code in enumerate(codes, 1)]
    assert [group.count for group in wrong_groups(samples)] == [3, 1]
