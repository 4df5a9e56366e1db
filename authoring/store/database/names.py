"""Names of seeds, sketches, problemsets and releases, and how a reference (id or name) finds its row."""

# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

import re
from typing import TYPE_CHECKING, Any

from evaluator.errors import UsageError, by_place
from evaluator.registry import nearest_name

if TYPE_CHECKING:
    from sqlite_utils import Database

MAX_NAME_LENGTH = 60
_MAKING = {
    "seed": "seed add FILE",
    "sketch": "sketch SEED",
    "problemset": "draft SKETCH",
    "plan": "bootstrap plan NAME",
}
_ALLOWED = re.compile(r"[A-Za-z0-9_.-]+")


def check_name(name: str, *, kind: str) -> str:
    """Return `name` when a seed, sketch, problemset or release may be called so; it also names files.

    Raises:
        UsageError: If it is empty, too long, only digits, begins with a dot or a dash, or holds other characters.
    """
    where = f"{kind} name {name!r}"
    if not name:
        raise UsageError(f"the {kind} has no name", where=where, fix="give it a name such as 'trips-1'")
    if len(name) > MAX_NAME_LENGTH:
        raise UsageError(f"the name has {len(name)} characters", where=where, fix=f"use at most {MAX_NAME_LENGTH}")
    if name.isdigit():
        raise UsageError(
            "a name of digits only would be taken for an id", where=where, fix=f"add a letter, such as '{kind}-{name}'"
        )
    odd = sorted(set(_ALLOWED.sub("", name)))
    if odd or name[0] in ".-":
        what = f"the name holds {', '.join(map(repr, odd))}" if odd else f"the name begins with {name[0]!r}"
        raise UsageError(
            what, where=where, fix="use letters A-Z a-z, digits, '_', '-' and '.', a letter or digit first"
        )
    return name


def find_row(db: "Database", table: str, ref: str | int, *, kind: str) -> dict[str, Any]:
    """Return the row of `table` that has the id or the name `ref`.

    Raises:
        UsageError: If there is none; the fix names the nearest known name.
    """
    column, value = id_or_name(ref)
    rows = list(db.query(f"SELECT * FROM {table} WHERE {column} = ?", [value]))
    if rows:
        return dict(rows[0])
    text = str(ref).strip()[:MAX_NAME_LENGTH]
    if column == "id":
        what, where, name = f"no {kind} has the id {text}", f"{kind} {text}", ""
    else:
        what, where, name = f"no {kind} is called {text!r}", f"{kind} {text!r}", text
    raise by_place(UsageError(what, where=where, fix=_suggest(db, table, name, kind)))


def id_or_name(ref: str | int) -> tuple[str, str | int]:
    """Return the column that a reference means, `id` or `name`, and the value to look for there."""
    text = str(ref).strip()
    return ("id", _small(text)) if text.isascii() and text.isdigit() else ("name", text)


def refuse_taken(db: "Database", table: str, name: str, *, kind: str) -> None:
    """Refuse a name that is in use, whatever its upper and lower case: names become file names.

    Raises:
        UsageError: If a row of `table` has it.
    """
    rows = list(db.query(f"SELECT id, name FROM {table} WHERE name = ?", [name]))
    if rows:
        what = f"there is already a {kind} called {rows[0]['name']!r}"
        raise by_place(UsageError(what, where=f"{kind} {rows[0]['id']}", fix="choose another name"))


def _small(digits: str) -> int:
    return int(digits) if len(digits) <= 18 else -1  # SQLite's integers hold no more, so no id is longer


def _suggest(db: "Database", table: str, name: str, kind: str) -> str:
    newest = [row["name"] for row in db.query(f"SELECT name FROM {table} ORDER BY id DESC LIMIT 500")]
    near = nearest_name(name, newest) if name else None
    if near:
        return f"use {near!r}"
    more = f" or {len(newest) - 8} others" if len(newest) > 8 else ""
    if newest:
        return f"use one of {', '.join(newest[:8])}{more}"
    return f"there is none yet, make the first: benchwright {_MAKING.get(kind, kind)}"
