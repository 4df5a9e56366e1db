"""JSON that a sandbox wrote, read so that it can be stored and shown."""

import json
import math
from typing import Any, Final

MAX_JSON_DEPTH: Final = 100
"""Levels of lists and objects: whoever reads the value later may call itself for each."""
_MAY_HOLD_SURROGATES = (b"\\u", b"\xed")


class NestedTooDeeplyError(ValueError):
    """JSON of more levels than `MAX_JSON_DEPTH`."""


def read_hostile_json(body: bytes) -> Any:
    """Return the value.

    Halves of surrogate pairs, which no file and no terminal takes, become question marks; NaN and infinities, which
    are no JSON, become None.

    Raises:
        NestedTooDeeplyError: If it is nested too deeply.
        ValueError: If it is no JSON.
    """
    try:
        value = _parsed(body)
    except RecursionError:
        raise NestedTooDeeplyError from None
    if _is_too_deep(value):
        raise NestedTooDeeplyError
    if not any(mark in body for mark in _MAY_HOLD_SURROGATES):
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _parsed(body: bytes) -> Any:
    return json.loads(body, parse_constant=_no_number, parse_float=_finite)


def _no_number(_: str) -> None:
    """Stand for NaN, Infinity and -Infinity."""


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_JSON_DEPTH + 1):
        level = [part for each in level if isinstance(each, dict | list) for part in _parts(each)]
        if not level:
            return False
    return True


def _parts(value: dict[str, Any] | list[Any]) -> Any:
    return value.values() if isinstance(value, dict) else value
