"""People and what each may do in a workspace that is signed in to."""

import json
from collections.abc import Collection
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from authoring.store.settings import get_setting
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

MAX_WAITING: Final = 200  # strangers who signed in are listed for a maintainer up to here
_SETTING: Final = "roles"
NAMES_SETTING: Final = "annotator_names"
"""The names that people pick from where nobody signs in."""


class Role(StrEnum):
    """What somebody may do; a maintainer may do everything."""

    ANNOTATOR = "annotator"  # own unsaved texts, revisions, comments
    REVIEWER = "reviewer"  # decisions on revisions, comments
    MAINTAINER = "maintainer"  # everything
    EVALUATOR = "evaluator"  # runs


def list_roles(ws: Workspace) -> dict[str, frozenset[Role]]:
    """Return the roles of everybody who was given some, or waits for some, by name."""
    with ws.read() as db:
        return _read(db)


def list_people(ws: Workspace, *, sign_in: bool | None = None, fallback: str = "") -> list[str]:
    """Return who is known in a workspace, each once: whom a comment can name, and work can be given to.

    Args:
        ws: The workspace.
        sign_in: Whether people sign in, and are known by their roles, or pick a name from a list; None: that is not
            known here, as at the command line, and both count.
        fallback: The one name to pick where the list is empty; empty: none.
    """
    picked: list[str] = []
    if not sign_in:
        stored = get_setting(ws, NAMES_SETTING)
        picked = [str(name) for name in stored] if isinstance(stored, list) else []
        picked = picked or [fallback] * bool(fallback)
    by_role = [] if sign_in is False else sorted(name for name, roles in list_roles(ws).items() if roles)
    return list(dict.fromkeys([*picked, *by_role]))


def roles_of(ws: Workspace, name: str) -> frozenset[Role]:
    """Return the roles of a person; none when nobody gave any."""
    return list_roles(ws).get(_key(name), frozenset())


def refuse_other_than_maintainers(ws: Workspace, name: str) -> None:
    """Refuse a person who is known by roles and is no maintainer.

    Who works at the command line, or where nobody signs in, is in no list, and has the files at hand anyway.

    Raises:
        UsageError: If so.
    """
    held = list_roles(ws).get(_key(name))
    if held is not None and Role.MAINTAINER not in held:
        told = ", ".join(sorted(held)) or "no role"
        fix = "ask a maintainer of this workspace to start it"
        raise UsageError(f"this needs the role {Role.MAINTAINER}; {name} has {told}", fix=fix)


def admit(ws: Workspace, name: str) -> frozenset[Role]:
    """Return the roles of a person who signed in; the first one of a workspace becomes its maintainer.

    Later ones who are not known wait in the list for a maintainer to give them roles.
    """
    with ws.write() as db:
        known, key = _read(db), _key(name)
        if key in known:
            return known[key]
        waiting = sum(not roles for roles in known.values())
        roles = frozenset({Role.MAINTAINER}) if not known else frozenset[Role]()
        if roles or waiting < MAX_WAITING:
            _write(db, {**known, key: roles})
        return roles


def give_roles(ws: Workspace, name: str, roles: Collection[str]) -> None:
    """Let a person have exactly these roles.

    Raises:
        UsageError: If there is no such role, or no name.
        ContentError: If nobody would be a maintainer any more.
    """
    unknown = sorted(set(roles) - set(Role))
    if unknown:
        raise UsageError(f"there is no role {unknown[0]!r}", fix=f"use some of {', '.join(Role)}")
    key = _key(name)
    if not key:
        raise UsageError("roles need a name", fix="name the person as they sign in, usually by e-mail address")
    with ws.write() as db:
        known = {**_read(db), key: frozenset(Role(role) for role in roles)}
        if not any(Role.MAINTAINER in held for held in known.values()):
            what = f"without {name!r} the workspace would have no maintainer"
            raise ContentError(what, fix="make somebody else a maintainer first")
        _write(db, known)


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()


def _read(db: "Database") -> dict[str, frozenset[Role]]:
    found = db.execute("SELECT value FROM setting WHERE key = ?", [_SETTING]).fetchone()
    stored = json.loads(found[0]) if found else {}
    return {name: frozenset(Role(role) for role in roles if role in set(Role)) for name, roles in stored.items()}


def _write(db: "Database", roles: dict[str, frozenset[Role]]) -> None:
    body = json.dumps({name: sorted(held) for name, held in roles.items()})
    db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", [_SETTING, body])
