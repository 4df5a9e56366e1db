"""Effort is a sum of what was measured; what was not is unknown."""

from typing import Any

import pytest

from authoring.effort import Grouping, effort_report
from authoring.store import model_calls, problemsets, revisions
from authoring.store.effort import record_baseline, record_effort, save_person
from authoring.store.reviewing.reviews import record_decision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

TEXT = '# %%\n"""\nquery: Ask.\n"""\n1\n\n# %%\n"""\nquery: Ask more.\n"""\n2\n'


@pytest.fixture
def ws(workspace: Workspace) -> Workspace:
    """A workspace with an accepted set of two problems in which Ann and Ben spent 8 minutes."""
    ws = workspace
    made = problemsets.create(ws, name="a", text=TEXT, author="template", origin=Origin.TEMPLATE, guide_number=2)
    text = TEXT.replace("more", "much more")
    saved = revisions.save(ws, made.problemset_id, text, base_revision_id=made.id, author="Ann", minutes=6)
    record_decision(ws, revision_id=saved.id, decision="accepted", by="Ben")
    record_effort(ws, "review", subject="a", person="Ben", minutes=2, problemset_id=made.problemset_id)
    record_effort(ws, "guide", subject="guide 1", person="Ann", minutes=5, guide_number=1)
    return ws


def call(ws: Workspace, cost: float | None) -> None:
    said: dict[str, Any] = {"purpose": "draft", "subject": "sketch 1", "digest": "d", "model": "m", "host": "h"}
    used: dict[str, Any] = {"prompt_tokens": 90, "completion_tokens": 10, "currency": "EUR" if cost else ""}
    model_calls.insert(ws, **said, params={}, messages=[], answer="x", cost=cost, **used)


def test_minutes_are_added_up_by_set_person_and_guide(ws: Workspace) -> None:
    save_person(ws, "ann", experience="5 years")
    found = {by: effort_report(ws, by) for by in Grouping}
    assert {g.name: g.minutes for g in found[Grouping.SET].groups} == {"a": 8, "no problemset": 5}
    people = {g.name: (g.minutes, g.experience) for g in found[Grouping.PERSON].groups}
    assert people == {"Ann": (11, "5 years"), "Ben": (2, "")}
    assert {g.name: g.minutes_per_problem for g in found[Grouping.GUIDE].groups} == {"guide 1": None, "guide 2": 4.0}
    report = found[Grouping.SET]
    assert (report.minutes, report.minutes_per_problem, report.minutes_per_revision) == (13, 4.0, 6.0)
    assert report.minutes_by_activity == {"guide": 5, "review": 2, "revision": 6}


def test_a_cost_is_stated_only_when_every_call_has_a_price(ws: Workspace) -> None:
    call(ws, 0.5)
    priced = effort_report(ws)
    assert (priced.cost, priced.currency, priced.cost_per_accepted_problem) == (0.5, "EUR", 0.25)
    assert priced.tokens_per_accepted_problem == 50
    call(ws, None)
    mixed = effort_report(ws)
    assert (mixed.cost, mixed.cost_per_accepted_problem, mixed.unpriced_calls, mixed.tokens) == (None, None, 1, 200)


def test_a_reduction_needs_a_measured_baseline(ws: Workspace) -> None:
    assert effort_report(ws).reduction is None
    record_baseline(ws, "by hand", person="Ann", minutes=120, problems=10)
    report = effort_report(ws)
    assert (report.baseline_minutes_per_problem, report.reduction) == (12.0, 3.0)


def test_impossible_minutes_and_unknown_activities_are_refused(ws: Workspace) -> None:
    for minutes in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="minutes cannot be"):
            record_effort(ws, "review", subject="a", person="Ben", minutes=minutes)
    with pytest.raises(UsageError, match="no activity 'nap'"):
        record_effort(ws, "nap", subject="a", person="Ben", minutes=1)
    with pytest.raises(UsageError, match="needs problems"):
        record_baseline(ws, "by hand", person="Ann", minutes=1, problems=0)
