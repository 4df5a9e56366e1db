"""Who a comment names with @, and which open threads wait for a person's answer."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from authoring.store.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

_AT: Final = re.compile(r"(?<![\w.@])@(?=\w)")  # the @ within an e-mail address names nobody
_WORD: Final = re.compile(r"\w[\w.+-]*(@\w[\w.-]*)?")


class Mentions(NamedTuple):
    """The people that a text names with @, in the order of the text, each once."""

    known: tuple[str, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class MentioningThread:
    """An open thread that names a person, or in which somebody answered them."""

    comment_id: int  # of the comment that names or answers the person, the newest one
    thread_id: int
    problemset_id: int
    problemset_name: str
    problem: str | None  # its id; None: on the whole set
    text: str
    author: str
    created_at: str


def find_mentions(text: str, people: Collection[str]) -> Mentions:
    """Return whom of `people` a text names with @, however capitalized, and which names are none of theirs."""
    longest_first = sorted(people, key=len, reverse=True)  # "Ann Lee" before "Ann"
    known, unknown = [], []
    for at in _AT.finditer(text):
        person = next((name for name in longest_first if name and _begins_with(text, at.end(), name)), None)
        if person is not None:
            known.append(person)
        elif (word := _WORD.match(text, at.end())) is not None:
            unknown.append(word[0].rstrip("."))
    return Mentions(tuple(dict.fromkeys(known)), tuple(dict.fromkeys(unknown)))


def list_writers(ws: Workspace, *, limit: int = 200) -> list[str]:
    """Return who wrote a comment in the workspace."""
    with ws.read() as db:
        return [name for (name,) in db.execute("SELECT DISTINCT author FROM comment ORDER BY author LIMIT ?", [limit])]


def store_mentions(db: "Database", comment_id: int, text: str, people: Collection[str]) -> None:
    """Keep whom a comment names now, inside the caller's transaction."""
    db.execute("DELETE FROM comment_mention WHERE comment_id = ?", [comment_id])
    for person in find_mentions(text, people).known:
        db.execute("INSERT OR IGNORE INTO comment_mention (comment_id, person) VALUES (?, ?)", [comment_id, person])


THREADS_FOR: Final = """SELECT COALESCE(c.reply_to, c.id) FROM comment_mention m JOIN comment c ON c.id = m.comment_id
    WHERE m.person = :me AND c.author != :me COLLATE NOCASE
    UNION SELECT mine.id FROM comment mine JOIN comment answer ON answer.reply_to = mine.id
    WHERE mine.author = :me COLLATE NOCASE AND answer.author != :me COLLATE NOCASE"""
"""Ids of the threads that name the person `:me` or answer a comment of theirs; resolved ones too."""


def list_threads_for(ws: Workspace, person: str, *, limit: int = 20) -> list[MentioningThread]:
    """Return open threads that name a person or answer them, the newest remark first."""
    sql = f"""SELECT max(c.id) AS comment_id, t.id AS thread_id, p.id AS problemset_id, p.name AS problemset_name,
        t.problem, c.text, c.author, c.created_at
        FROM comment t JOIN problemset p ON p.id = t.problemset_id
        JOIN comment c ON (c.id = t.id OR c.reply_to = t.id) AND c.author != :me COLLATE NOCASE
        WHERE t.resolved_at IS NULL AND t.id IN ({THREADS_FOR})
        GROUP BY t.id ORDER BY comment_id DESC LIMIT :limit"""  # noqa: S608 - from fragments of this file only
    with ws.read() as db:
        return [MentioningThread(**row) for row in db.query(sql, {"me": person, "limit": limit})]


def _begins_with(text: str, at: int, name: str) -> bool:
    """Return whether a name stands at a place of a text and no longer word goes on after it."""
    end = at + len(name)
    after = re.match(r"\w|[.@+-]\w", text[end : end + 2])
    return text[at:end].casefold() == name.casefold() and after is None
