"""The guide for authors: numbered, saved texts. They are never changed; a save adds the next one."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from authoring.store.database.connections import ConflictError, timestamp
from authoring.store.revisions import text_digest
from authoring.store.statuses import AmendmentStatus, CommentKind
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

MAX_GUIDE_CHARS: Final = 60_000  # it stands in every prompt
SHIPPED_AUTHOR: Final = "benchwright"
_NEWEST = "SELECT * FROM guide_revision ORDER BY number DESC LIMIT 1"


@dataclass(frozen=True)
class GuideRevision:
    """A saved text of the guide."""

    number: int  # from 1
    text: str
    digest: str  # sha256 of the text in UTF-8
    author: str
    message: str  # what was changed
    created_at: str


def current_guide(ws: Workspace, shipped_text: str) -> GuideRevision:
    """Return the newest guide; a workspace without one gets `shipped_text` as number 1."""
    with ws.read() as db:
        found = newest_guide(db)
    if found is not None:
        return found
    with ws.write() as db:  # another process may have been faster
        return newest_guide(db) or add_guide(
            db, shipped_text, author=SHIPPED_AUTHOR, message="the guide that comes with the toolkit"
        )


def find_guide(ws: Workspace, number: int) -> GuideRevision:
    """Return the guide with that number.

    Raises:
        UsageError: If there is none.
    """
    with ws.read() as db:
        for row in db.query("SELECT * FROM guide_revision WHERE number = ?", [number]):
            return _guide(row)
        newest = newest_guide(db)
    fix = "the first draft or `guide show` makes number 1" if newest is None else f"the newest is {newest.number}"
    raise UsageError(f"the guide has no revision {number}", fix=fix)


def list_guides(ws: Workspace) -> list[GuideRevision]:
    """Return all revisions of the guide, oldest first."""
    with ws.read() as db:
        return [_guide(row) for row in db.query("SELECT * FROM guide_revision ORDER BY number")]


def save_guide(ws: Workspace, text: str, *, base_number: int, author: str, message: str) -> GuideRevision:
    """Add `text` as the newest guide; a text that is already the newest is not saved twice.

    Args:
        ws: The workspace.
        text: The whole guide.
        base_number: The newest guide that the author saw; 0 when there was none.
        author: Who changed it.
        message: What was changed.

    Raises:
        ConflictError: If `base_number` is not the newest; its `head` is the newest. Nothing is saved.
        ContentError: If the text is empty or too long.
        UsageError: If nobody is named.
    """
    with ws.write() as db:
        newest = newest_guide(db)
        if newest is not None and newest.digest == text_digest(_plain(text)):
            return newest
        refuse_old_guide(newest, base_number)
        return add_guide(db, text, author=author, message=message)


def newest_guide(db: "Database") -> GuideRevision | None:
    """Return the newest guide, inside the caller's transaction."""
    return next((_guide(row) for row in db.query(_NEWEST)), None)


def refuse_old_guide(newest: GuideRevision | None, base_number: int) -> None:
    """Refuse a change that rests on a guide which is not the newest.

    Raises:
        ConflictError: With the newest in `head`.
    """
    number = 0 if newest is None else newest.number
    if number != base_number:
        by = "" if newest is None else f" by {newest.author!r}"
        raise ConflictError(
            f"the guide was changed{by}: revision {number} is the newest, not {base_number}",
            where=f"guide revision {base_number}",
            fix=f"read revision {number}, then repeat the change on top of it",
            head=newest,
        )


def add_guide(db: "Database", text: str, *, author: str, message: str) -> GuideRevision:
    """Insert the next guide, inside the caller's transaction.

    Raises:
        ContentError: If the text is empty or too long.
        UsageError: If nobody is named.
    """
    text = _plain(text)
    if not text:
        raise ContentError("the guide is empty", fix="write what authors should keep to")
    if len(text) > MAX_GUIDE_CHARS:
        what = f"the guide has {len(text)} characters, {MAX_GUIDE_CHARS} are allowed: it stands in every prompt"
        raise ContentError(what, where="guide", fix="shorten it")
    if not author.strip():
        raise UsageError("a guide revision needs a name", fix="say who changes it")
    newest = newest_guide(db)
    row = {
        "number": 1 if newest is None else newest.number + 1,
        "text": text,
        "digest": text_digest(text),
        "author": author,
        "message": message,
        "created_at": timestamp(),
    }
    db.table("guide_revision").insert(row)
    return _guide(row)


def _plain(text: str) -> str:
    """Return the text with plain line ends and nothing around it: such differences are not a change."""
    return text.replace("\r\n", "\n").strip()


def _guide(row: Mapping[str, Any]) -> GuideRevision:
    return GuideRevision(**row)


AmendmentDecision = Literal[AmendmentStatus.ACCEPTED, AmendmentStatus.CHANGED, AmendmentStatus.REFUSED]
MAX_AMENDMENT_CHARS: Final = 8_000
_TITLE = re.compile(r"^(?:#{1,6} +(?P<hashed>.+?)|(?P<colon>[^\s#>*-][^\n]{0,100}):)[ \t]*$")
_COMMENTS = """
    SELECT 'c' || c.id AS ref, c.kind, c.text, c.author, c.created_at, c.resolved_at IS NOT NULL AS resolved,
        p.name AS subject, coalesce(c.problem, '') AS place
    FROM comment c JOIN problemset p ON p.id = c.problemset_id WHERE c.reply_to IS NULL
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
    status: AmendmentStatus
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
                **{
                    "reason": change.reason,
                    "comment_ids": json.dumps(change.comment_ids),
                    "status": AmendmentStatus.PROPOSED,
                },
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
    if (decision == AmendmentStatus.CHANGED) != (new_text is not None):
        raise UsageError("a changed amendment needs its new text, another one has none", fix="give the text to use")
    with ws.write() as db:
        found = _find(db, amendment_id)
        _refuse_decided(found)
        number = None if decision == AmendmentStatus.REFUSED else _apply(db, found, by, new_text)
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
    if found.status != AmendmentStatus.PROPOSED:
        what = f"amendment {found.id} was {found.status} by {found.decided_by!r} at {found.decided_at}"
        raise ConflictError(what, where=f"amendment {found.id}", fix="propose another one", head=found)


def _comment(row: dict[str, Any]) -> GuideComment:
    return GuideComment(**(row | {"kind": CommentKind.stored(row["kind"]), "resolved": bool(row["resolved"])}))


def _find(db: "Database", amendment_id: int) -> Amendment:
    newest = newest_guide(db)
    for row in db.query("SELECT * FROM amendment WHERE id = ?", [amendment_id]):
        return _amendment(row, "" if newest is None else newest.text)
    raise UsageError(f"no amendment has the id {amendment_id}", fix="see: benchwright guide list")


def _amendment(row: Mapping[str, Any], guide_text: str) -> Amendment:
    provenance = json.loads(row["provenance"])
    section = str(provenance.pop("section", ""))
    values: dict[str, Any] = {
        **row,
        "comment_ids": tuple(json.loads(row["comment_ids"])),
        "provenance": provenance,
        "section": section,
    }
    change = NewAmendment(row["old_text"], row["new_text"], section)
    return Amendment(**values, stale=row["status"] == AmendmentStatus.PROPOSED and not _fits(guide_text, change))


def _fits(text: str, change: NewAmendment) -> bool:
    try:
        amended_text(text, change)
    except ContentError:  # a conflict is one
        return False
    return True
