"""Settings of a workspace: a name and a plain JSON value. Never a key or a password."""

import json
from typing import Any

from authoring.store.workspace import Workspace
from evaluator.language import OwnValidators, load_own_validators


def get_setting(ws: Workspace, key: str, default: Any = None) -> Any:
    """Return the value of a setting, or `default` when it was never set."""
    with ws.read() as db:
        found = db.execute("SELECT value FROM setting WHERE key = ?", [key]).fetchone()
    return default if found is None else json.loads(found[0])


def set_setting(ws: Workspace, key: str, value: Any) -> None:
    """Set a setting to a plain JSON value; None forgets it."""
    body = json.dumps(value)
    with ws.write() as db:
        if value is None:
            db.execute("DELETE FROM setting WHERE key = ?", [key])
        else:
            db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", [key, body])


def set_setting_entry(ws: Workspace, key: str, entry: str, value: Any) -> None:
    """Set one entry of a setting that is an object, such as a person's own; other entries stay, whoever writes them."""
    with ws.write() as db:
        found = db.execute("SELECT value FROM setting WHERE key = ?", [key]).fetchone()
        there = json.loads(found[0]) if found is not None else {}
        kept = {**(there if isinstance(there, dict) else {}), entry: value}
        db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", [key, json.dumps(kept)])


def workspace_validators(ws: Workspace) -> OwnValidators | None:
    """Read the file, without running it; None if there is none."""
    return load_own_validators(ws.root)
