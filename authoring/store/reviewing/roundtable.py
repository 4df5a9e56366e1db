"""The roundtable: what dry runs leave open about query, reference, validators and agents, and how it was settled."""
# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from authoring.store import problemsets
from authoring.store.database.connections import timestamp
from authoring.store.releases import ReleasedPlace, find_problem_place
from authoring.store.runs import AttemptRow
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

RESOLUTIONS = ("agent_wrong", "query_ambiguous", "reference_wrong", "validator_too_strict", "validator_too_loose")
REPAIRED: Final = "repaired"  # by a dry run of a newer revision, which shows no more what the item is about
_SELECT = """SELECT t.*, p.name AS problemset_name, r.number FROM roundtable t
    JOIN problemset p ON p.id = t.problemset_id JOIN revision r ON r.id = t.revision_id"""


@dataclass(frozen=True)
class NewItem:
    """A controversy before it is in the queue."""

    problem: str  # its id
    reason: str
    evidence: Mapping[str, Any]  # plain JSON; `about` fixes what it is about: the same is not opened twice


@dataclass(frozen=True)
class RoundtableItem:
    """A controversy about a problem."""

    id: int
    problemset_id: int
    problemset_name: str
    revision_id: int
    number: int  # of the revision
    problem: str
    evidence: dict[str, Any]
    reason: str
    opened_by: str
    created_at: str
    resolution: str | None  # one of RESOLUTIONS, or REPAIRED; None: open
    note: str = ""
    resolved_by: str | None = None
    resolved_at: str | None = None

    @property
    def assigned_to(self) -> str:
        """Who is to look at it; empty: nobody in particular."""
        return str(self.evidence.get("assigned_to") or "")

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            **{"id": self.id, "problemset": self.problemset_name, "revision": self.revision_id},
            **{"number": self.number, "problem": self.problem},
            **{"reason": self.reason, "evidence": self.evidence, "opened_by": self.opened_by},
            **{"resolution": self.resolution, "note": self.note, "resolved_by": self.resolved_by},
            **{"assigned_to": self.assigned_to},
        }


@dataclass(frozen=True)
class RoundtableFilter:
    """Which items to list; None: any."""

    settled: bool = False
    problemset_id: int | None = None
    assigned_to: str | None = None


def open_items(ws: Workspace, revision_id: int, items: Sequence[NewItem], *, by: str) -> list[int]:
    """Put controversies about a revision into the queue and return their ids.

    What is there already, open or resolved, by problem and `about` of its evidence, is not opened again, unless it was
    repaired: then it is back.

    Raises:
        UsageError: If there is no such revision.
        ContentError: If one has no reason.
    """
    if any(not item.reason.strip() for item in items):
        raise ContentError("an item of the roundtable needs a reason", fix="say what is in question")
    with ws.write() as db:
        found = db.execute("SELECT problemset_id FROM revision WHERE id = ?", [revision_id]).fetchone()
        if found is None:
            raise UsageError(f"no revision has the id {revision_id}", fix="name a revision that the problemset has")
        known = _known(db, int(found[0]))
        fresh = [item for item in items if not item.evidence.get("about") or _identity(item) not in known]
        return [_insert(db, int(found[0]), revision_id, item, by) for item in fresh]


def _known(db: "Database", problemset_id: int) -> set[tuple[str, str]]:
    sql = """SELECT problem, evidence FROM roundtable WHERE problemset_id = ? AND resolution IS NOT ?"""
    rows = db.execute(sql, [problemset_id, REPAIRED])
    return {(problem, str(json.loads(evidence).get("about", ""))) for problem, evidence in rows.fetchall()}


def _identity(item: NewItem) -> tuple[str, str]:
    return item.problem, str(item.evidence.get("about", ""))


def _insert(db: "Database", problemset_id: int, revision_id: int, item: NewItem, by: str) -> int:
    row = {
        "problemset_id": problemset_id,
        "revision_id": revision_id,
        "problem": item.problem,
        "evidence": json.dumps(dict(item.evidence)),
        "reason": item.reason,
        "opened_by": by,
        "created_at": timestamp(),
    }
    return int(db.table("roundtable").insert(row).last_pk)


def list_roundtable(
    ws: Workspace, problemset_id: int | None = None, *, only_open: bool = False
) -> list[RoundtableItem]:
    """Return the items of a problemset, or of all, oldest first."""
    terms = ["t.problemset_id = :id"] if problemset_id is not None else []
    terms += ["t.resolution IS NULL"] if only_open else []
    where = f" WHERE {' AND '.join(terms)}" if terms else ""
    with ws.read() as db:
        return [_item(row) for row in db.query(f"{_SELECT}{where} ORDER BY t.id", {"id": problemset_id})]


def page_roundtable(
    ws: Workspace, chosen: RoundtableFilter, *, limit: int = 50, offset: int = 0
) -> list[RoundtableItem]:
    """Return one page of the items that match, newest first."""
    where, values = _terms(chosen)
    with ws.read() as db:
        sql = f"{_SELECT}{where} ORDER BY t.id DESC LIMIT :limit OFFSET :offset"
        return [_item(row) for row in db.query(sql, {**values, "limit": limit, "offset": offset})]


def count_roundtable(ws: Workspace, chosen: RoundtableFilter) -> int:
    """Return how many items match."""
    where, values = _terms(chosen)
    with ws.read() as db:
        return int(db.execute(f"SELECT count(*) FROM roundtable t{where}", values).fetchone()[0])


def assign_item(ws: Workspace, item_id: int, *, to: str) -> None:
    """Say who is to look at an open item; an empty name takes it back.

    Raises:
        UsageError: If there is no such item.
        ContentError: If it is settled.
    """
    item = find_item(ws, item_id)
    with ws.write() as db:
        sql = """UPDATE roundtable SET evidence = json_set(evidence, '$.assigned_to', :to)
            WHERE id = :id AND resolution IS NULL"""
        changed = db.execute(sql, {"to": " ".join(to.split()), "id": item_id}).rowcount
    if not changed:
        what = f"item {item_id} was settled as {item.resolution} by {item.resolved_by}"
        raise ContentError(what, where=f"item {item_id}", fix="open a new item if that does not hold any more")


def _terms(chosen: RoundtableFilter) -> tuple[str, dict[str, Any]]:
    terms = ["t.resolution IS NOT NULL" if chosen.settled else "t.resolution IS NULL"]
    terms += ["t.problemset_id = :id"] if chosen.problemset_id is not None else []
    terms += ["json_extract(t.evidence, '$.assigned_to') = :person"] if chosen.assigned_to is not None else []
    return f" WHERE {' AND '.join(terms)}", {"id": chosen.problemset_id, "person": chosen.assigned_to}


def find_item(ws: Workspace, item_id: int) -> RoundtableItem:
    """Return an item.

    Raises:
        UsageError: If there is none with that id.
    """
    with ws.read() as db:
        rows = list(db.query(f"{_SELECT} WHERE t.id = ?", [item_id]))
    if not rows:
        raise UsageError(f"the roundtable has no item {item_id}", fix="list them: benchwright roundtable list")
    return _item(rows[0])


def resolve_item(ws: Workspace, item_id: int, *, resolution: str, by: str, note: str = "") -> None:
    """Record how an open item was settled; a settled one stays as it is.

    Raises:
        UsageError: If there is no such item or resolution, or nobody is named.
        ContentError: If it was settled before, in another way.
    """
    if resolution not in RESOLUTIONS:
        raise UsageError(f"there is no resolution {resolution!r}", fix=f"use one of {', '.join(RESOLUTIONS)}")
    if not by.strip():
        raise UsageError("a resolution needs a name", fix="say who settles it")
    item = find_item(ws, item_id)
    with ws.write() as db:
        sql = """UPDATE roundtable SET resolution = ?, note = ?, resolved_by = ?, resolved_at = ?
            WHERE id = ? AND resolution IS NULL"""
        changed = db.execute(sql, [resolution, note, by, timestamp(), item_id]).rowcount
    if not changed and item.resolution != resolution:
        what = f"item {item_id} was settled as {item.resolution} by {item.resolved_by}"
        raise ContentError(what, where=f"item {item_id}", fix="open a new item if that does not hold any more")


def repair_items(ws: Workspace, item_ids: Sequence[int], *, by: str, note: str) -> None:
    """Settle open items as repaired; those that somebody settled meanwhile stay as they are."""
    sql = """UPDATE roundtable SET resolution = ?, note = ?, resolved_by = ?, resolved_at = ?
        WHERE id = ? AND resolution IS NULL"""
    with ws.write() as db:
        for item_id in item_ids:
            db.execute(sql, [REPAIRED, note, by, timestamp(), item_id])


def _item(row: Mapping[str, Any]) -> RoundtableItem:
    return RoundtableItem(**{**row, "evidence": json.loads(row["evidence"])})


SUSPECT: Final = "suspect"
MAX_CODE_CHARS: Final = 4_000


def place_of(ws: Workspace, attempt: AttemptRow) -> ReleasedPlace | None:
    """Return where the workspace holds the problem of an attempt; None when it does not."""
    return find_problem_place(ws, attempt.problemset, attempt.position, str(attempt.record.get("question") or ""))


def mark_suspect(ws: Workspace, attempt: AttemptRow, *, note: str, by: str) -> int:
    """Open an item of the roundtable about an attempt's problem and return its id.

    Raises:
        UsageError: If the workspace does not hold the problem.
        ContentError: If the note is empty, or the attempt is marked already.
    """
    place = place_of(ws, attempt)
    if place is None:
        what = f"this workspace does not hold {attempt.problemset} {attempt.position}"
        raise UsageError(what, where=f"attempt {attempt.id}", fix="import the problemset first: benchwright import")
    if not note.strip():
        raise ContentError("a suspicion needs a note", where="Note", fix="say what is suspect")
    evidence = {
        **{"about": f"{SUSPECT} attempt {attempt.id}", "kind": SUSPECT, "attempt": attempt.id, "run": attempt.run_id},
        **{"agent": attempt.agent, "verdict": attempt.verdict},
        "why": f"{attempt.agent} was judged {attempt.verdict}: {attempt.record.get('extended_verdict') or 'no reason'}",
        "code": str(attempt.record.get("code") or "")[:MAX_CODE_CHARS],
    }
    head = problemsets.find(ws, place.problemset_id).head_revision_id
    opened = open_items(ws, head, [NewItem(place.problem_id, f"suspect: {note.strip()}", evidence)], by=by)
    if not opened:
        raise ContentError(
            "the attempt is marked already", where=f"attempt {attempt.id}", fix="settle its item at the Roundtable"
        )
    return opened[0]


def items_about(ws: Workspace, place: ReleasedPlace) -> list[RoundtableItem]:
    """Return the items of the roundtable about a problem, oldest first."""
    return [item for item in list_roundtable(ws, place.problemset_id) if item.problem == place.problem_id]
