"""Text that a person typed into a form and did not send: kept per person and field until it is sent or given up."""

import json
from typing import Any, Final

from authoring.store.clock import timestamp
from authoring.store.workspace import Workspace

_PREFIX: Final = "unsent:"  # of keys in the table of settings, followed by the person as JSON, and the field
KEPT_DAYS: Final = 30


def keep_unsent(ws: Workspace, person: str, field: str, value: Any) -> None:
    """Keep what stands in a field, plain JSON; None forgets it."""
    body = json.dumps({"value": value, "at": timestamp()})
    with ws.write() as db:
        if value is None:
            db.execute("DELETE FROM setting WHERE key = ?", [_key(person, field)])
            return
        db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", [_key(person, field), body])
        db.execute(
            "DELETE FROM setting WHERE key >= ? AND key < ? AND json_extract(value, '$.at') < ?",
            [*_all_keys(), timestamp(shift_s=-KEPT_DAYS * 24 * 3600)],
        )


def list_unsent(ws: Workspace, person: str) -> dict[str, Any]:
    """Return what a person typed and did not send, by field."""
    start = _key(person, "")
    with ws.read() as db:
        rows = db.execute("SELECT key, value FROM setting WHERE key >= ? AND key < ?", [start, f"{start}\U0010ffff"])
        return {key[len(start) :]: json.loads(value)["value"] for key, value in rows.fetchall()}


def drop_unsent(ws: Workspace, person: str, *fields: str) -> None:
    """Forget what was typed into these fields: it was sent, or given up."""
    with ws.write() as db:
        for field in fields:
            db.execute("DELETE FROM setting WHERE key = ?", [_key(person, field)])


def _key(person: str, field: str) -> str:
    return f"{_PREFIX}{json.dumps(person)}:{field}"


def _all_keys() -> tuple[str, str]:
    return _PREFIX, f"{_PREFIX}\U0010ffff"
