"""How each problemset came to be what it is: its revisions, decision and comments, as counts are made from them."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from authoring.store.statuses import CommentKind, Origin, ProblemsetStatus
from authoring.store.workspace import Workspace

_STEPS = """SELECT id, problemset_id, number, parent_id, origin, author, minutes, guide_number
    FROM revision ORDER BY problemset_id, number"""
_ACCEPTED = """SELECT p.id, d.revision_id FROM problemset p JOIN decision d ON d.id =
    (SELECT max(id) FROM decision WHERE problemset_id = p.id AND decision = 'accepted') WHERE p.status = 'accepted'"""
_FIRST = """SELECT r.problemset_id, r.provenance FROM revision r WHERE r.number = 1"""


@dataclass(frozen=True)
class RevisionStep:
    """A revision without its text."""

    id: int
    problemset_id: int
    number: int
    parent_id: int | None
    origin: Origin
    author: str
    minutes: float
    guide_number: int | None


@dataclass(frozen=True)
class SetHistory:
    """One problemset from its draft on."""

    id: int
    name: str
    status: ProblemsetStatus
    steps: tuple[RevisionStep, ...]  # all revisions, oldest first
    accepted_id: int | None  # the accepted revision, while the set is accepted
    comment_kinds: tuple[str, ...]  # one for each comment
    provenance: dict[str, Any]  # of the first revision

    @property
    def is_draft(self) -> bool:
        """Whether a model or a template wrote the first revision."""
        return self.steps[0].origin in (Origin.MODEL, Origin.TEMPLATE)

    @property
    def guide_number(self) -> int | None:
        """The guide that the first revision was written with."""
        return self.steps[0].guide_number

    @property
    def until_accepted(self) -> tuple[RevisionStep, ...]:
        """The revisions up to the accepted one; none when the set is not accepted."""
        last = next((step.number for step in self.steps if step.id == self.accepted_id), 0)
        return tuple(step for step in self.steps if step.number <= last)


def set_histories(ws: Workspace) -> list[SetHistory]:
    """Return the history of every problemset, by id, without texts."""
    steps: dict[int, list[RevisionStep]] = defaultdict(list)
    kinds: dict[int, list[str]] = defaultdict(list)
    with ws.read() as db:
        for row in db.query(_STEPS):
            steps[row["problemset_id"]].append(RevisionStep(**row))
        for row in db.query("SELECT problemset_id, kind FROM comment WHERE reply_to IS NULL ORDER BY id"):
            kinds[row["problemset_id"]].append(CommentKind.stored(row["kind"]))
        accepted = dict(db.execute(_ACCEPTED).fetchall())
        first = dict(db.execute(_FIRST).fetchall())
        rows = list(db.query("SELECT id, name, status FROM problemset ORDER BY id"))
    return [
        SetHistory(
            **row,
            steps=tuple(steps[row["id"]]),
            accepted_id=accepted.get(row["id"]),
            comment_kinds=tuple(kinds[row["id"]]),
            provenance=json.loads(first[row["id"]]),
        )
        for row in rows
        if steps[row["id"]]
    ]


def revision_texts(ws: Workspace, ids: Iterable[int]) -> dict[int, str]:
    """Return the texts of some revisions, by id."""
    with ws.read() as db:
        found = (db.execute("SELECT id, text FROM revision WHERE id = ?", [one]).fetchone() for one in sorted(set(ids)))
        return {row[0]: row[1] for row in found if row is not None}
