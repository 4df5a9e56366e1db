"""Tags: words that people put on problemsets, to find those that belong together for some work."""

import json
import unicodedata
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from authoring.store.database.connections import timestamp
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError

if TYPE_CHECKING:
    from sqlite_utils import Database

MAX_LENGTH: Final = 30  # characters of a tag
MAX_TAGS: Final = 8  # of one problemset


def add_tag(ws: Workspace, problemset_ids: Collection[int], tag: str, *, by: str) -> int:
    """Put a tag on problemsets, all of them or none, and return how many did not carry it before.

    Tags that differ in capitals only are one; the spelling of the first one stays.

    Raises:
        ContentError: If the tag is empty or too long, or a problemset would have too many.
        UsageError: If there is no such problemset.
    """
    word = _checked(tag)
    with ws.write() as db:
        written = _spellings(db, word)
        rows = [(each, written[0] if written else word, by, timestamp()) for each in problemset_ids]
        sql = "INSERT OR IGNORE INTO problemset_tag (problemset_id, tag, by, created_at) VALUES (?, ?, ?, ?)"
        added = db.conn.executemany(sql, rows).rowcount
        sql = """SELECT p.name FROM problemset_tag t JOIN problemset p ON p.id = t.problemset_id
            GROUP BY t.problemset_id HAVING count(*) > ? ORDER BY p.name LIMIT 1"""
        if (full := db.execute(sql, [MAX_TAGS]).fetchone()) is not None:
            what = f"{full[0]} has {MAX_TAGS} tags already, the most that a set can have: no set was tagged"
            raise ContentError(what, fix="remove one of its tags, or choose the other sets only")
        return int(added)


def remove_tag(ws: Workspace, problemset_ids: Collection[int], tag: str) -> int:
    """Take a tag, however it is spelled, off problemsets in one transaction and return how many carried it."""
    word = _checked(tag)
    with ws.write() as db:
        chosen = [json.dumps(_spellings(db, word)), json.dumps(list(problemset_ids))]
        sql = """DELETE FROM problemset_tag WHERE tag IN (SELECT value FROM json_each(?))
            AND problemset_id IN (SELECT value FROM json_each(?)) RETURNING problemset_id"""
        return len({row[0] for row in db.execute(sql, chosen).fetchall()})


def _spellings(db: "Database", word: str) -> list[str]:
    """Return a tag as it is written already: in older files more than once, since SQLite folds capitals of ASCII only.

    The spelling with the same capitals comes first.
    """
    written = [row[0] for row in db.execute("SELECT DISTINCT tag FROM problemset_tag ORDER BY tag").fetchall()]
    return sorted((tag for tag in written if _folded(tag) == _folded(word)), key=lambda tag: tag != word)


def _folded(tag: str) -> str:
    return unicodedata.normalize("NFC", tag).casefold()


def _checked(tag: str) -> str:
    word = unicodedata.normalize("NFC", " ".join(tag.split()))
    if not word.isprintable():
        raise ContentError("the tag holds a character that is not shown", fix="type the tag anew")
    if not word:
        raise ContentError("the tag is empty", fix="choose a tag, or type a new one")
    if len(word) > MAX_LENGTH:
        what = f"the tag has {len(word)} characters, the most is {MAX_LENGTH}"
        raise ContentError(what, fix="shorten it")
    return word
