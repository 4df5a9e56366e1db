"""Reads what a job was ordered with; a field that is missing or of another type is told by name."""

from collections.abc import Mapping
from typing import Any, TypeVar

from evaluator.errors import UsageError

T = TypeVar("T")


def required(payload: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """Return the field `name`.

    Raises:
        UsageError: If it is missing or not a `kind`.
    """
    value = payload.get(name)
    if isinstance(value, kind):
        return value
    raise UsageError(f"the job has no {name!r} of type {kind.__name__}", where="payload", fix="order the job again")


def optional(payload: Mapping[str, Any], name: str, kind: type[T], default: T) -> T:
    """Return the field `name`, or `default` when it is missing or null.

    Raises:
        UsageError: If it is there and not a `kind`.
    """
    return default if payload.get(name) is None else required(payload, name, kind)
