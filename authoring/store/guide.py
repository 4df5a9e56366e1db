"""The guide for authors: numbered, saved texts. They are never changed; a save adds the next one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from authoring.store.clock import timestamp
from authoring.store.conflict import ConflictError
from authoring.store.revisions import text_digest
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
