"""JSON that a sandbox wrote, read so that its texts can be stored and shown."""

import json
from typing import Any

_MAY_HOLD_SURROGATES = (b"\\u", b"\xed")


def read_hostile_json(body: bytes) -> Any:
    """Return the value; halves of surrogate pairs, which no file and no terminal takes, become question marks.

    Raises:
        ValueError: If it is no JSON.
        RecursionError: If it is nested too deeply.
    """
    value = json.loads(body)
    if not any(mark in body for mark in _MAY_HOLD_SURROGATES):
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
