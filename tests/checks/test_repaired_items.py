"""Items of the roundtable end when a dry run of a newer revision shows no more what they are about."""

from pathlib import Path

import pytest

from authoring.checks.dry_run.controversies import close_repaired, open_controversies
from authoring.store import dry_runs, problemsets, revisions
from authoring.store.database.schema import VERSION_8
from authoring.store.dry_runs import DryRun, DryRunProblem, DryRunSample
from authoring.store.reviewing.roundtable import (
    REPAIRED,
    RESOLUTIONS,
    NewItem,
    list_roundtable,
    open_items,
    resolve_item,
)
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.language import Problemset, parse_problemset

TEXT = '# %%\n"""\nquery: What is one?\nid: p1\n"""\n1\n'
CHANGED = TEXT.replace("\n1\n", "\n2 - 1\n")


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


@pytest.fixture
def first(ws: Workspace) -> Revision:
    return problemsets.create(ws, name="one", text=TEXT, author="lee", origin=Origin.PERSON)


def newer(ws: Workspace, base: Revision, text: str = CHANGED) -> Revision:
    return revisions.save(ws, base.problemset_id, text, author="lee", base_revision_id=base.id)


def parsed(revision: Revision) -> Problemset:
    problemset = parse_problemset(revision.text, name="one").problemset
    assert problemset is not None
    return problemset


def judged(
    ws: Workspace,
    revision: Revision,
    reference: str = "CORRECT",
    empty: str = "WRONG_OUTPUT",
    agent: str = "none",
    samples: tuple[DryRunSample, ...] = (),
) -> DryRun:
    """A stored dry run with what its worker does afterwards."""
    row = DryRunProblem(1, "p1", 0.01, reference, empty, agent)
    made = dry_runs.save(
        ws, revision_id=revision.id, environment="e", sandbox="none", problems=[row], summary={}, samples=samples
    )
    found = dry_runs.find(ws, made)
    close_repaired(ws, revision, found)
    open_controversies(ws, parsed(revision), found)
    return found


def standings(ws: Workspace) -> list[tuple[str, str | None]]:
    return [(str(item.evidence.get("kind")), item.resolution) for item in list_roundtable(ws)]


WRONG = tuple(DryRunSample(1, number, "a", "WRONG_OUTPUT", cluster=1) for number in (1, 2))
RIGHT = tuple(DryRunSample(1, number, "a", "CORRECT", cluster=1) for number in (1, 2))


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("reference_fails", {"reference": "CRASH"}, {}),
        ("empty_passes", {"empty": "CORRECT"}, {}),
        ("agent_wrong", {"agent": "CRASH"}, {"agent": "CORRECT"}),
        ("samples_agree", {"agent": "WRONG_OUTPUT", "samples": WRONG}, {"agent": "CORRECT", "samples": RIGHT}),
    ],
)
def test_a_newer_revision_that_comes_out_well_repairs_an_item(
    ws: Workspace, first: Revision, kind: str, before: dict[str, object], after: dict[str, object]
) -> None:
    judged(ws, first, **before)  # type: ignore[arg-type]
    assert standings(ws) == [(kind, None)]
    second = newer(ws, first)
    run = judged(ws, second, **after)  # type: ignore[arg-type]
    assert standings(ws) == [(kind, REPAIRED)]
    (item,) = list_roundtable(ws)
    assert (item.resolved_by, item.note) == (f"dry run {run.id}", "revision 2 shows it no more")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"reference": "CRASH"}, {"reference": "NOT_JUDGED"}),
        ({"empty": "CORRECT"}, {"empty": "NOT_JUDGED"}),
        ({"agent": "CRASH"}, {"agent": "none"}),
        ({"agent": "WRONG_OUTPUT", "samples": WRONG}, {"agent": "none"}),
    ],
)
def test_what_was_not_asked_again_stays_open(
    ws: Workspace, first: Revision, before: dict[str, object], after: dict[str, object]
) -> None:
    judged(ws, first, **before)  # type: ignore[arg-type]
    (opened,) = list_roundtable(ws)
    judged(ws, newer(ws, first), **after)  # type: ignore[arg-type]
    assert opened.id in [item.id for item in list_roundtable(ws, only_open=True)]


def test_the_same_revision_and_an_older_one_repair_nothing(ws: Workspace, first: Revision) -> None:
    judged(ws, first, "CRASH")
    judged(ws, first)  # executed again, and well: by chance, perhaps
    assert standings(ws) == [("reference_fails", None)]
    second = newer(ws, first)
    judged(ws, second, "CRASH")
    judged(ws, first)  # not the newest any more
    assert standings(ws) == [("reference_fails", None), ("reference_fails", None)]


def test_a_repaired_item_is_opened_anew_when_the_old_text_comes_back(ws: Workspace, first: Revision) -> None:
    judged(ws, first, "CRASH")
    second = newer(ws, first)
    judged(ws, second)
    judged(ws, newer(ws, second, TEXT), "CRASH")
    assert standings(ws) == [("reference_fails", REPAIRED), ("reference_fails", None)]


def test_what_people_opened_or_settled_stays_as_they_left_it(ws: Workspace, first: Revision) -> None:
    judged(ws, first, "CRASH")
    resolve_item(ws, list_roundtable(ws)[0].id, resolution="reference_wrong", by="mei")
    open_items(ws, first.id, [NewItem("p1", "is it one?", {})], by="mei")
    judged(ws, newer(ws, first))
    assert [item.resolution for item in list_roundtable(ws)] == ["reference_wrong", None]


def test_the_table_is_rebuilt_with_every_item_and_goes_on_counting(ws: Workspace, first: Revision) -> None:
    ids = open_items(ws, first.id, [NewItem("p1", f"doubt {number}", {}) for number in range(6)], by="mei")
    for item_id, resolution in zip(ids, RESOLUTIONS, strict=False):
        resolve_item(ws, item_id, resolution=resolution, by="mei", note="seen")
    before = list_roundtable(ws)
    with ws.write() as db:
        for statement in VERSION_8:
            db.conn.execute(statement)
    assert (len(before), list_roundtable(ws)) == (6, before)
    assert open_items(ws, first.id, [NewItem("p1", "another", {})], by="mei") == [max(ids) + 1]
