"""Short safe descriptions of variables: no method of a type that is not ours to know is called."""

import datetime
import decimal
import types
import zoneinfo
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.codec.decode.decoded import NamespaceDiff

MAX_VIEWS: Final = 200
_MAX_TEXT: Final = 160
_SCALARS: Final = (bool, int, float, complex, str, bytes, type(None), decimal.Decimal)
_TIMES: Final = (datetime.date, datetime.datetime, datetime.timedelta, datetime.time, pd.Timestamp, pd.Timedelta)
_ZONES: Final = (datetime.timezone, zoneinfo.ZoneInfo)
_CONTAINERS: Final = (list, tuple, dict, set, frozenset)


def describe_variables(values: Mapping[str, Any], diff: NamespaceDiff) -> list[dict[str, str]]:
    """Return name, type, text and change of each variable, changed ones first."""
    changes = dict.fromkeys(diff.added, "added")
    changes.update(dict.fromkeys((*diff.updated, *diff.touched), "updated"))
    changes.update(dict.fromkeys(diff.replaced, "replaced"))
    changes.update(dict.fromkeys(diff.rebound_equal, "replaced"))
    ordered = sorted(values, key=lambda name: name not in changes)
    views = [
        {
            "name": name[:_MAX_TEXT],
            "type": type_name(values[name]),
            "text": describe(values[name]),
            "change": changes.get(name, "unchanged"),
        }
        for name in ordered[:MAX_VIEWS]
    ]
    deleted = [{"name": name, "type": "", "text": "", "change": "deleted"} for name in diff.deleted]
    return views + deleted[: MAX_VIEWS - len(views)]


def type_name(value: Any) -> str:
    """Return the class name of a value."""
    name = type.__getattribute__(type(value), "__name__")
    return name[:_MAX_TEXT] if type(name) is str else "?"


def describe(value: Any) -> str:
    """Return one line about a value; empty when its type is not known."""
    try:
        return _shorten(_describe(value, depth=0))
    except Exception:  # noqa: BLE001  # a value that cannot be described is shown without text
        return ""


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 3] + "..."


def _describe(value: Any, *, depth: int) -> str:
    kind = type(value)
    if kind is str:
        return repr(value[:_MAX_TEXT])
    if kind is int:
        return repr(value) if value.bit_length() < 1000 else f"{value.bit_length()} bits"
    if kind is bytes:
        return repr(value[:_MAX_TEXT])
    if kind in _SCALARS:
        return repr(value)
    if kind in _TIMES:
        return str(_without_foreign_zone(value))
    if kind.__module__ == "numpy" and issubclass(kind, np.generic):
        return str(value)
    if kind in _CONTAINERS:
        return _describe_container(value, depth=depth)
    if kind is pd.DataFrame:
        columns = ", ".join(str(column)[:60] for column in list(value.columns[:12]))
        return f"{value.shape[0]} x {value.shape[1]}: {columns}"
    if kind is pd.Series:
        return f"{len(value)} values, {value.dtype}, name {str(value.name)[:60]}"
    if isinstance(value, pd.Index) and kind.__module__.startswith("pandas."):
        return f"{len(value)} values, {value.dtype}"
    if kind is np.ndarray:
        return f"shape {value.shape}, {value.dtype}"
    return _describe_named(value)


def _without_foreign_zone(value: Any) -> Any:
    """Return a time whose zone can be asked for its offset: one of a class that a cell may have written is left out."""
    zone = getattr(value, "tzinfo", None)
    return value if zone is None or type(zone) in _ZONES else value.replace(tzinfo=None)


def _describe_container(value: Any, *, depth: int) -> str:
    count = f"{len(value)} item{'' if len(value) == 1 else 's'}"
    if depth > 1:
        return count
    shown = []
    for item in list(value.items() if type(value) is dict else value)[:8]:
        if type(value) is dict:
            shown.append(f"{_inner(item[0], depth)}: {_inner(item[1], depth)}")
        else:
            shown.append(_inner(item, depth))
    return f"{count}: {', '.join(shown)}{', ...' if len(value) > len(shown) else ''}"


def _inner(value: Any, depth: int) -> str:
    if type(value) in _SCALARS or type(value) in _TIMES or isinstance(value, np.generic):
        return _describe(value, depth=depth + 1)[:40]
    return type_name(value)


def _describe_named(value: Any) -> str:
    if isinstance(value, types.FunctionType):
        code = value.__code__
        return f"{value.__name__}({', '.join(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])})"
    if isinstance(value, types.ModuleType | type):
        return str(value.__name__)
    return ""
