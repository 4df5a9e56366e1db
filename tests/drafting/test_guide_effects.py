"""Effects per guide revision, with stated denominators; what has none is unknown."""

from pathlib import Path

import pytest

from authoring.drafting.guide.guide_effects import guide_effects
from authoring.store import problemsets, revisions
from authoring.store.effort import record_effort
from authoring.store.reviewing.reviews import add_comment, record_decision
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace

CELL = '# %%\n"""\nquery: {0}\nvalidator:\n  result:\n"""\n{1}\n'
DRAFT = "# %%\nimport pandas as pd\n\n" + "\n".join(CELL.format(f"Ask {n}.", n) for n in range(1, 5))


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


def drafted(ws: Workspace, name: str, guide: int, **provenance: int) -> Revision:
    return problemsets.create(
        ws, name=name, text=DRAFT, author="model", origin=Origin.MODEL, guide_number=guide, provenance=provenance
    )


def edited(ws: Workspace, base: Revision, text: str, minutes: float = 0.0) -> Revision:
    return revisions.save(
        ws, base.problemset_id, text, base_revision_id=base.id, author="Ann", origin=Origin.PERSON, minutes=minutes
    )


def test_each_guide_is_counted_by_what_its_drafts_came_to(ws: Workspace) -> None:
    first = drafted(ws, "a", 1, repairs=2, prompt_tokens=100, completion_tokens=20)
    reworded = edited(ws, first, DRAFT.replace("Ask 2.", "Ask two."), minutes=6)
    judged = edited(ws, reworded, reworded.text.replace("Ask two.\nvalidator:\n  result:", "Ask two."), minutes=1)
    record_decision(ws, revision_id=judged.id, decision="accepted", by="Ben")
    record_effort(ws, "review", subject="a", person="Ben", minutes=3, problemset_id=first.problemset_id)
    add_comment(ws, revision_id=first.id, author="Ben", text="Ties?", kind="ambiguous")
    drafted(ws, "b", 1)
    untouched = drafted(ws, "c", 2)
    record_decision(ws, revision_id=untouched.id, decision="accepted", by="Ben")
    one, two = guide_effects(ws)
    assert (one.guide_number, one.drafts, one.accepted, one.acceptance_rate) == (1, 2, 1, 0.5)
    assert (one.problems, one.cells_changed, one.edits_per_problem, one.revision_rate) == (4, 2, 0.5, 0.25)
    assert (one.validator_changes, one.minutes, one.measured_problems, one.minutes_per_problem) == (1, 10, 4, 2.5)
    assert (one.comments["ambiguous"], one.comments["other"], one.repairs, one.tokens) == (1, 0, 2, 120)
    assert (two.acceptance_rate, two.edits_per_problem, two.revision_rate) == (1.0, 0.0, 0.0)
    assert (two.measured_problems, two.minutes_per_problem) == (0, None)


def test_without_accepted_sets_quotients_are_unknown(ws: Workspace) -> None:
    drafted(ws, "a", 3)
    problemsets.create(ws, name="own", text=DRAFT, author="Ann", origin=Origin.IMPORT)
    (only,) = guide_effects(ws)
    assert (only.drafts, only.acceptance_rate, only.problems, only.edits_per_problem) == (1, 0.0, 0, None)


def test_a_problem_put_in_between_is_one_edit_and_a_text_that_does_not_parse_is_none(ws: Workspace) -> None:
    first = drafted(ws, "a", 1)
    broken = edited(ws, first, '# %%\n"""\nquery: [a\n"""\n1\n')
    whole = edited(ws, broken, DRAFT)
    inserted = f"{CELL.format('New.', 9)}\n{CELL.format('Ask 2.', 2)}"
    longer = edited(ws, whole, DRAFT.replace(CELL.format("Ask 2.", 2), inserted))
    record_decision(ws, revision_id=longer.id, decision="accepted", by="Ben")
    (only,) = guide_effects(ws)
    assert (only.problems, only.incomparable, only.cells_changed) == (5, 2, 1)
