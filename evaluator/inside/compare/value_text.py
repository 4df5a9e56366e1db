"""Short, harmless text about decoded values, for reasons and remedies that people read."""

import reprlib
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.codec.decode.decoded import DecodedRecord, Marker, Opaque

REASON_LENGTH: Final = 500  # characters of one reason

_REPR: Final = reprlib.Repr()
_REPR.maxlist = _REPR.maxtuple = _REPR.maxset = _REPR.maxfrozenset = _REPR.maxdict = 6
_REPR.maxstring = _REPR.maxother = 80
_REPR.maxlong = 60

_ITERATORS: Final = ("generator", "map", "zip", "filter", "enumerate", "reversed", "iterator", "itertools.")
_FUNCTIONS: Final = ("builtins.function", "builtins.method", "builtins.builtin_function_or_method")


def shown(text: str, *, limit: int = REASON_LENGTH) -> str:
    """Return `text` cut to `limit` characters, with every unprintable character but the line break escaped."""
    cut = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return "".join(
        c if c == "\n" or c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode("ascii")
        for c in cut
    )


def brief(value: Any) -> str:
    """Describe a decoded value in at most about a hundred characters."""
    if isinstance(value, pd.DataFrame):
        return f"DataFrame with {len(value)} rows and {value.shape[1]} columns"
    if isinstance(value, (pd.Series, pd.Index)):
        return f"{type(value).__name__} of {len(value)} {value.dtype} values"
    if isinstance(value, np.ndarray) and value.size > 6:
        return f"array of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, Opaque):
        return f"an object of type {shown(value.type_name, limit=80)}"
    if isinstance(value, Marker):
        return f"{value!r}"
    return shown(_safe_repr(value), limit=100)


def kind_name(value: Any) -> str:
    """Name the type of a decoded value."""
    return shown(value.type_name, limit=80) if isinstance(value, (Opaque, DecodedRecord)) else type(value).__name__


def listed(names: list[Any], *, most: int = 8) -> str:
    """Write labels as a short list."""
    tail = f", … ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(brief(name) for name in names[:most]) + tail


def _safe_repr(value: Any) -> str:
    try:
        return _REPR.repr(value)
    except (ValueError, TypeError, RecursionError, OverflowError):  # integers of many digits, broken elements
        return f"a value of type {type(value).__name__}"


def remedy(part: Marker | Opaque) -> str:
    """Return what an author can do about a value that equals nothing."""
    if isinstance(part, Marker):
        return "make the value smaller, or check a part of it"
    kind = part.type_name
    if kind in _FUNCTIONS:
        return "test the function with 'table_test'"
    if any(word in kind for word in _ITERATORS):
        return "return a list, or take items of it under 'probes': {take: VARIABLE, count: 5}"
    if kind.startswith(("sklearn.", "xgboost.", "lightgbm.")):
        return "score it with the validator 'model', or compare an expression under 'probes'"
    return "return plain values, arrays or tables, or compare an expression under 'probes', or set type_only"
