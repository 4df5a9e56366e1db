"""Executed in a name space of its own beside reference code, in a throw-away copy of the session: notes what steps do.

The host never imports it; it reads the last line that `report` prints, and believes nothing in it. `session` are the
variables of the session.
"""

import contextlib
import json
from typing import Any

import numpy as np
import pandas as pd

session: dict[str, Any] = globals().get("session", {})
notes: dict[str, Any] = {"steps": [], "columns": {}, "result": None, "variables": {}}


def count(value: Any) -> int:
    """Return a number as a count."""
    return int(value) if np.isfinite(value) else 0


def missing_in(value: Any) -> int:
    """Return how many values are missing."""
    found = pd.isna(value)
    return count(np.asarray(found).sum())


def note(site: int, **facts: Any) -> None:
    """Keep what one step did."""
    if len(notes["steps"]) < 400:
        notes["steps"].append({"site": site, **facts})


def compared(site: int, value: Any, number: float, decimals: int) -> Any:
    """Note whether values equal the number they are compared with, and whether they are as coarse as it."""
    try:
        flat = pd.to_numeric(pd.Series(np.asarray(value).ravel())).dropna().astype(float)
        scaled = flat * 10**decimals
        coarse = bool((scaled == scaled.round()).all()) and not pd.api.types.is_bool_dtype(np.asarray(value))
        nearest = float(flat.iloc[int((flat - number).abs().to_numpy().argmin())]) if len(flat) else number
        note(site, values=len(flat), equal=count((flat == number).sum()), coarse=coarse, nearest=nearest)
    except Exception:  # noqa: BLE001, S110  # what cannot be looked at is not noted
        pass
    return value


def chosen(site: int, mask: Any) -> Any:
    """Note how many rows a mask keeps."""
    try:
        flat = np.asarray(mask).ravel()
        if flat.dtype == bool:
            note(site, rows=len(flat), kept=count(flat.sum()))
    except Exception:  # noqa: BLE001, S110
        pass
    return mask


def called(site: int, owner: Any, method: str, /, *args: Any, **options: Any) -> Any:
    """Call a method, and note what it took away or filled."""
    before = owner.copy() if options.get("inplace") and hasattr(owner, "copy") else owner
    left = getattr(owner, method)(*args, **options)
    try:
        after = owner if options.get("inplace") else left
        sizes = [int(np.prod(np.shape(each))) for each in (before, after)]
        note(site, before=sizes[0], after=sizes[1], missing=missing_in(before) - missing_in(after))
    except Exception:  # noqa: BLE001, S110
        pass
    return left


def columns(names: list[str], words: list[str]) -> None:
    """Note how many values are missing in the columns that the query names, of tables that the code reads."""
    for name in names:
        try:
            table = session.get(name)
            if isinstance(table, pd.DataFrame):
                for word in words:
                    if word in table.columns:
                        missing = missing_in(table[word])
                        notes["columns"][word] = max(notes["columns"].get(word, 0), missing)
            elif isinstance(table, pd.Series) and name in words:
                notes["columns"][name] = missing_in(table)
        except Exception:  # noqa: BLE001, S112
            continue


def values_in(value: Any) -> list[Any]:
    """Return the single values in a result, the first 200,000 at most."""
    if isinstance(value, pd.DataFrame):
        return [one for place in range(value.shape[1]) for one in value.iloc[:50_000, place].tolist()][:200_000]
    if isinstance(value, (pd.Series, pd.Index, np.ndarray)):
        return list(np.asarray(value).ravel()[:200_000].tolist())
    if isinstance(value, dict):
        return [one for part in value.values() for one in values_in(part)]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [one for part in value for one in values_in(part)]
    return [value]


def is_missing(value: Any) -> bool:
    """Return whether a single value is missing."""
    try:
        return value is None or bool(pd.isna(value))
    except Exception:  # noqa: BLE001
        return False


def facts(value: Any) -> dict[str, Any]:
    """Return what makes a value worth asking for, or not."""
    flat = values_in(value)
    known = [one for one in flat if not is_missing(one)]
    numbers = [abs(float(one)) for one in known[:5000] if isinstance(one, (int, float)) and not isinstance(one, bool)]
    single = not isinstance(value, (pd.DataFrame, pd.Series, pd.Index, np.ndarray, dict, list, tuple, set, frozenset))
    item = value.item() if isinstance(value, np.generic) else value
    plain = single and isinstance(item, (bool, int, float, str))
    return {
        "values": len(flat),
        "known": len(known),
        "distinct": len({repr(one) for one in known[:5000]}),
        "single": single,
        "kind": type(item).__name__ if plain else "",
        "text": str(item)[:200] if plain else "",
        "largest": max(numbers) if numbers and np.isfinite(max(numbers)) else None,
        "opaque": single and not plain and not is_missing(value),
    }


def result(value: Any) -> None:
    """Note the value of the last expression."""
    with contextlib.suppress(Exception):
        notes["result"] = facts(value)


def report(names: list[str]) -> None:
    """Print everything that was noted."""
    for name in names:
        try:
            if name in session:
                notes["variables"][name] = facts(session[name])
        except Exception:  # noqa: BLE001, S112
            continue
    print("\n" + json.dumps(notes))
