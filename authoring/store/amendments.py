"""Amendments of the guide: proposed with the comments they rest on, decided by a person, applied in one step."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from authoring.store.clock import timestamp
from authoring.store.conflict import ConflictError
from authoring.store.guide import add_guide, newest_guide
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

AmendmentDecision = Literal["accepted", "changed", "refused"]
AMENDMENT_STATES: Final = ("proposed", "accepted", "changed", "refused")
MAX_AMENDMENT_CHARS: Final = 8_000
_TITLE = re.compile(r"^(?:#{1,6} +(?P<hashed>.+?)|(?P<colon>[^\s#>*-][^\n]{0,100}):)[ \t]*$")
_COMMENTS = """
    SELECT 'c' || c.id AS ref, c.kind, c.text, c.author, c.created_at, c.resolved_at IS NOT NULL AS resolved,
        p.name AS subject, coalesce(c.problem, '') AS place
    FROM comment c JOIN problemset p ON p.id = c.problemset_id
    UNION ALL
    SELECT 's' || c.id, c.kind, c.text, c.author, c.created_at, c.resolved_at IS NOT NULL,
        s.name, coalesce('item ' || c.item, '')
    FROM sketch_comment c JOIN sketch s ON s.id = c.sketch_id"""


@dataclass(frozen=True)
class GuideComment:
    """A comment as evidence for a change of the guide."""

    ref: str  # "c" and the id of a comment on a problemset, "s" and the id of one on a sketch
    kind: str
    text: str
    author: str
    created_at: str
    resolved: bool
    subject: str  # name of the problemset or sketch
    place: str  # id of the problem, or "item 3"; empty: the whole of it


@dataclass(frozen=True)
class NewAmendment:
    """A change of the guide before it is stored."""

    old_text: str  # stands exactly once in the guide; empty: `new_text` is added at the end of `section`
    new_text: str  # empty: `old_text` is removed
    section: str = ""  # title of a part of the guide; empty: its end
    reason: str = ""
    comment_ids: tuple[str, ...] = ()  # as in GuideComment.ref


@dataclass(frozen=True)
class Amendment:
    """A proposed or decided change of the guide."""

    id: int
    base_number: int  # of the guide it was proposed for
    old_text: str
    new_text: str  # as proposed
    section: str
    reason: str
    comment_ids: tuple[str, ...]
    provenance: dict[str, Any]
    status: str  # one of AMENDMENT_STATES
    proposed_by: str
    created_at: str
    decided_by: str | None
    decided_at: str | None
    decision_reason: str  # why it was decided so, if somebody said it
    guide_number: int | None  # of the guide that it led to
    stale: bool  # proposed, and its old text or section no longer stands in the newest guide


def insert_amendments(
    ws: Workspace,
    changes: Sequence[NewAmendment],
    *,
    base_number: int,
    proposed_by: str,
    provenance: Mapping[str, Any] | None = None,
) -> list[int]:
    """Keep proposed changes of the guide and return their ids, all or none.

    Raises:
        ConflictError: If `base_number` is not the newest guide, or a change does not fit it.
        ContentError: If a change says nothing or is too long.
        UsageError: If nobody is named, or a comment does not exist.
    """
    if not proposed_by.strip():
        raise UsageError("a proposal needs a name", fix="say who proposes it")
    ids = []
    with ws.write() as db:
        newest = newest_guide(db)
        if newest is None or newest.number != base_number:
            what = f"the guide was changed since revision {base_number}"
            raise ConflictError(what, fix="read the newest guide and propose again", head=newest)
        for change in changes:
            amended_text(newest.text, change)
            _refuse_unknown_comments(db, change.comment_ids)
            row = {
                **{"base_number": base_number, "old_text": change.old_text, "new_text": change.new_text},
                **{"reason": change.reason, "comment_ids": json.dumps(change.comment_ids), "status": "proposed"},
                "provenance": json.dumps({**(provenance or {}), "section": change.section}),
                **{"proposed_by": proposed_by, "created_at": timestamp()},
            }
            ids.append(int(db.table("amendment").insert(row).last_pk))
    return ids


def list_amendments(ws: Workspace, *, status: str | None = None) -> list[Amendment]:
    """Return all amendments, or those with a status, oldest first."""
    with ws.read() as db:
        newest = newest_guide(db)
        text = "" if newest is None else newest.text
        sql = "SELECT * FROM amendment WHERE :status IS NULL OR status = :status ORDER BY id"
        return [_amendment(row, text) for row in db.query(sql, {"status": status})]


def find_amendment(ws: Workspace, amendment_id: int) -> Amendment:
    """Return the amendment with that id.

    Raises:
        UsageError: If there is none.
    """
    with ws.read() as db:
        return _find(db, amendment_id)


def decide_amendment(
    ws: Workspace,
    amendment_id: int,
    decision: AmendmentDecision,
    *,
    by: str,
    new_text: str | None = None,
    reason: str = "",
) -> Amendment:
    """Accept, change or refuse an amendment; accepted and changed ones make the next guide in the same transaction.

    Args:
        ws: The workspace.
        amendment_id: Which.
        decision: `changed` puts `new_text` in the place of what was proposed.
        by: Who decides.
        new_text: For `changed`; the proposal itself is kept as it was.
        reason: Why, if there is more to say.

    Raises:
        UsageError: If there is no such amendment, or nobody is named.
        ConflictError: If it is decided already, or stale: then nothing is written.
        ContentError: If the changed text changes nothing.
    """
    if not by.strip():
        raise UsageError("a decision needs a name", fix="say who decides")
    if (decision == "changed") != (new_text is not None):
        raise UsageError("a changed amendment needs its new text, another one has none", fix="give the text to use")
    with ws.write() as db:
        found = _find(db, amendment_id)
        _refuse_decided(found)
        number = None if decision == "refused" else _apply(db, found, by, new_text)
        db.execute(
            "UPDATE amendment SET status = ?, decided_by = ?, decided_at = ?, decision_reason = ?, guide_number = ?"
            " WHERE id = ?",
            [decision, by, timestamp(), reason, number, amendment_id],
        )
        return _find(db, amendment_id)


def comments_for_guide(ws: Workspace, *, all_times: bool = False) -> list[GuideComment]:
    """Return the comments, open and resolved, that no amendment rests on yet, oldest first.

    Only those made since the newest guide, unless `all_times`. The shipped guide, number 1, counts as older than
    everything: it answers no comment.
    """
    with ws.read() as db:
        newest = newest_guide(db)
        since = "" if all_times or newest is None or newest.number == 1 else newest.created_at
        used = {ref for row in db.query("SELECT comment_ids FROM amendment") for ref in json.loads(row["comment_ids"])}
        rows = list(db.query(f"SELECT * FROM ({_COMMENTS}) WHERE created_at > ? ORDER BY created_at, ref", [since]))  # noqa: S608
    return [_comment(row) for row in rows if row["ref"] not in used]


def guide_comments(ws: Workspace, refs: Sequence[str]) -> dict[str, GuideComment]:
    """Return the comments that amendments rest on, by reference; those that are gone are left out."""
    marks = ", ".join("?" for _ in refs)
    with ws.read() as db:
        rows = list(db.query(f"SELECT * FROM ({_COMMENTS}) WHERE ref IN ({marks})", list(refs)))  # noqa: S608
    return {row["ref"]: _comment(row) for row in rows}


def guide_sections(text: str) -> tuple[str, ...]:
    """Return the titles of a guide's parts: headings, and lines at the margin that end with a colon."""
    return tuple(title for line in text.splitlines() if (title := _title(line)))


def amended_text(text: str, change: NewAmendment) -> str:
    """Return the guide with one change made.

    Raises:
        ConflictError: If the old text or the section does not stand in it, or the old text more than once.
        ContentError: If the change says nothing or is too long.
    """
    _refuse_empty(change)
    if not change.old_text:
        return _with_addition(text, change.section, change.new_text.strip("\n"))
    count = text.count(change.old_text)
    if count != 1:
        what = f"the text to change stands {count} times in the guide, not once: {change.old_text[:80]!r}"
        fix = (
            "quote more of it"
            if count
            else "quote the guide as it is now; an amendment whose place was changed is refused"
        )
        raise ConflictError(what, where="guide", fix=fix)
    return text.replace(change.old_text, change.new_text)


def _refuse_empty(change: NewAmendment) -> None:
    if change.old_text.strip() == change.new_text.strip():
        raise ContentError("the amendment changes nothing", where="guide", fix="give a new text that differs")
    if change.old_text and not change.old_text.strip():
        raise ContentError("the text to change is blank", where="guide", fix="quote it, or leave it out to add text")
    if max(len(change.old_text), len(change.new_text)) > MAX_AMENDMENT_CHARS:
        what = f"the amendment is longer than {MAX_AMENDMENT_CHARS} characters"
        raise ContentError(what, where="guide", fix="split it, or edit the guide as a whole: guide edit FILE")


def _with_addition(text: str, section: str, addition: str) -> str:
    """Add lines below the last line of a section."""
    lines = text.splitlines()
    end = len(lines)
    if section:
        titles = [index for index, line in enumerate(lines) if _title(line).casefold() == _bare(section).casefold()]
        if not titles:
            what, known = f"the guide has no section {section!r}", ", ".join(map(repr, guide_sections(text))) or "none"
            raise ConflictError(what, where="guide", fix=f"its sections are: {known}")
        end = next((index for index in range(titles[0] + 1, len(lines)) if _title(lines[index])), len(lines))
    while end > 0 and not lines[end - 1].strip():
        end -= 1
    return "\n".join([*lines[:end], *addition.splitlines(), *lines[end:]])


def _title(line: str) -> str:
    found = _TITLE.match(line)
    return _bare(found["hashed"] or found["colon"]) if found else ""


def _bare(title: str) -> str:
    return title.strip().strip("#").strip().rstrip(":").strip()


def _apply(db: "Database", found: Amendment, by: str, new_text: str | None) -> int:
    newest = newest_guide(db)
    assert newest is not None  # an amendment refers to one
    chosen = found.new_text if new_text is None else new_text
    text = amended_text(newest.text, NewAmendment(found.old_text, chosen, found.section))
    message = f"amendment {found.id}" + (f": {found.reason}" if found.reason else "")
    return add_guide(db, text, author=by, message=message).number


def _refuse_unknown_comments(db: "Database", refs: Sequence[str]) -> None:
    known = {row["ref"] for row in db.query(f"SELECT ref FROM ({_COMMENTS})")} if refs else set()  # noqa: S608
    missing = [ref for ref in refs if ref not in known]
    if missing:
        fix = "write c12 for comment 12 on a problemset, s12 for comment 12 on a sketch"
        raise UsageError(f"there is no comment {missing[0]!r}", where="amendment", fix=fix)


def _refuse_decided(found: Amendment) -> None:
    if found.status != "proposed":
        what = f"amendment {found.id} was {found.status} by {found.decided_by!r} at {found.decided_at}"
        raise ConflictError(what, where=f"amendment {found.id}", fix="propose another one", head=found)


def _comment(row: Mapping[str, Any]) -> GuideComment:
    return GuideComment(**{**row, "resolved": bool(row["resolved"])})


def _find(db: "Database", amendment_id: int) -> Amendment:
    newest = newest_guide(db)
    for row in db.query("SELECT * FROM amendment WHERE id = ?", [amendment_id]):
        return _amendment(row, "" if newest is None else newest.text)
    raise UsageError(f"no amendment has the id {amendment_id}", fix="see: benchwright guide list")


def _amendment(row: Mapping[str, Any], guide_text: str) -> Amendment:
    provenance = json.loads(row["provenance"])
    section = str(provenance.pop("section", ""))
    values = {**row, "comment_ids": tuple(json.loads(row["comment_ids"])), "provenance": provenance, "section": section}
    change = NewAmendment(row["old_text"], row["new_text"], section)
    return Amendment(**values, stale=row["status"] == "proposed" and not _fits(guide_text, change))


def _fits(text: str, change: NewAmendment) -> bool:
    try:
        amended_text(text, change)
    except ContentError:  # a conflict is one
        return False
    return True
