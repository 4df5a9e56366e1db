"""Executed in a module of its own inside a copy of a session: notes what a variable is, prints a page of it later.

The host never imports it; it reads the last line that `show` prints, and believes nothing in it. Values of types that
are not known here are named by their class and never asked for their text.
"""

import datetime
import decimal
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

MOST_ROWS = 50
MOST_COLUMNS = 30
CELL_CHARS = (120, 60, 30, 15)  # the first that lets a page fit into what a cell may print
NAME_CHARS = 60
PRINTED_CHARS = 900_000
MOST_NAMED = 20  # rows and columns that came or went
MOST_COMPARED = 5_000_000  # cells of a table
MOST_ITEMS = 40  # of a list in a cell
MOST_BITS = 14_000  # of an int: Python refuses to write one of more than 4300 digits

NUMBERS: tuple[type, ...] = (bool, int, float, complex, decimal.Decimal)
TIMES: tuple[type, ...] = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta, pd.Timestamp)
PLAIN: tuple[type, ...] = (*NUMBERS, *TIMES, str, bytes, type(None), pd.Timedelta, pd.Period, pd.Interval)
PLAIN += (type(pd.NaT), type(pd.NA))
INDEXES: tuple[type, ...] = (pd.Index, pd.RangeIndex, pd.DatetimeIndex, pd.TimedeltaIndex, pd.PeriodIndex)
INDEXES += (pd.CategoricalIndex, pd.IntervalIndex)

before: dict[str, Any] = {"table": None, "why": "it was not there before"}


class NoTableError(Exception):
    """A value has no rows to show."""


@dataclass
class PageDifference:
    """What a table was, laid over what it is."""

    rows: Any  # for each row the place that it had, -1: none
    columns: list[int]  # for each column the same
    by: str  # label or place: how rows were found again
    reordered: bool
    changed: Any  # bool array, a row and column for each of the table; None: it is too large


def is_one_of(value: Any, kinds: tuple[type, ...]) -> bool:
    """Return whether a value is of one of these very types; subclasses may have methods of their own."""
    return any(type(value) is kind for kind in kinds)


def is_plain(value: Any) -> bool:
    """Return whether a value may be compared and asked for its text."""
    return is_one_of(value, PLAIN) or (issubclass(type(value), np.generic) and type(value) is not np.void)


def text_of(value: Any, depth: int = 0) -> str:
    """Return a value as text; of a long list the first items."""
    if is_plain(value) and not (is_one_of(value, (int,)) and value.bit_length() > MOST_BITS):
        return repr(value) if depth and is_one_of(value, (str,)) else str(value)
    if is_one_of(value, (dict,)):
        pairs = list(value.items())[:MOST_ITEMS] if depth < 2 else []
        inner = ", ".join(f"{text_of(key, depth + 1)}: {text_of(item, depth + 1)}" for key, item in pairs)
        return "{" + inner + (", …" if len(value) > len(pairs) else "") + "}"
    if is_one_of(value, (list, tuple, set, frozenset)):
        items = list(value)[:MOST_ITEMS] if depth < 2 else []
        inner = ", ".join(text_of(item, depth + 1) for item in items) + (", …" if len(value) > len(items) else "")
        return f"[{inner}]" if is_one_of(value, (list,)) else f"({inner})"
    return f"<{type.__getattribute__(type(value), '__name__')}>"


def is_missing(value: Any) -> bool:
    """Return whether a plain value is missing."""
    return is_plain(value) and bool(pd.isna(value))


def table_of(value: Any) -> pd.DataFrame:
    """Return a value as a table of the same rows.

    Raises:
        NoTableError: If it has none; the message goes on after the name of the variable.
    """
    if is_one_of(value, (pd.DataFrame,)):
        return value
    if is_one_of(value, (pd.Series,)):
        return value.to_frame("value" if value.name is None else value.name)
    if is_one_of(value, INDEXES):
        return pd.DataFrame({"value": value})
    if is_one_of(value, (pd.MultiIndex,)):
        return value.to_frame(index=False, name=[str(place) for place in range(value.nlevels)])
    if is_one_of(value, (np.ndarray,)):
        return array_table(value)
    if is_one_of(value, (list, tuple)):
        return list_table(list(value))
    if is_one_of(value, (dict,)):
        return dict_table(value)
    name = type.__getattribute__(type(value), "__name__")
    raise NoTableError(f"is of type {name}; shown are DataFrame, Series, Index, ndarray, list, tuple and dict")


def array_table(array: Any) -> pd.DataFrame:
    """Return an array of one or two dimensions as a table."""
    if array.dtype.names and array.ndim == 1:
        return pd.DataFrame({name: array[name] for name in array.dtype.names})
    if array.dtype.names or array.ndim not in (1, 2):
        raise NoTableError(f"is an array of {array.ndim} dimensions; shown are those of one or two")
    return pd.DataFrame({"value": array}) if array.ndim == 1 else pd.DataFrame(array)


def list_table(items: list[Any], labels: Any = None) -> pd.DataFrame:
    """Return a list of dicts, of lists or of anything else as a table."""
    if items and all(is_one_of(item, (dict,)) for item in items):
        keys = list(dict.fromkeys(key for item in items for key in item if is_plain(key)))
        return pd.DataFrame({key: held([item.get(key) for item in items]) for key in keys}, index=labels)
    if items and all(is_one_of(item, (list, tuple)) for item in items):
        width = max(len(item) for item in items)
        padded = [[*item, *[None] * (width - len(item))] for item in items]
        return pd.DataFrame({place: held([item[place] for item in padded]) for place in range(width)}, index=labels)
    return pd.DataFrame({"value": held(items)}, index=labels)


def dict_table(value: dict[Any, Any]) -> pd.DataFrame:
    """Return a dict of equally long lists as columns, any other as a row for each key."""
    items = list(value.values())
    if items and all(is_one_of(item, (list,)) for item in items) and len({len(item) for item in items}) == 1:
        return pd.DataFrame({text_of(key): held(item) for key, item in value.items()})
    return list_table(items, pd.Index(held([text_of(key) for key in value]), dtype=object))


def held(items: list[Any]) -> Any:
    """Return values as an array of objects, each as it is."""
    array = np.empty(len(items), dtype=object)
    for place, item in enumerate(items):
        array[place] = item
    return array


def settled(table: pd.DataFrame) -> pd.DataFrame:
    """Return a copy that later code cannot change; what is not plain in it becomes text."""
    done = table.copy()
    for place, dtype in enumerate(table.dtypes):
        if isinstance(dtype, np.dtype) and dtype.kind == "O":
            cells = table.iloc[:, place].tolist()
            done.isetitem(place, held([cell if is_plain(cell) else text_of(cell) for cell in cells]))
    return done


def names_of(labels: Any) -> list[str]:
    """Return labels as text; those of several levels joined."""
    return [
        " / ".join(map(text_of, label)) if is_one_of(label, (tuple,)) else text_of(label) for label in labels.tolist()
    ]


def rows_found_again(old: Any, new: Any) -> tuple[Any, str]:
    """Return for each row the place that it had: by its label, or by its place where labels do not tell."""
    if old.is_unique and new.is_unique:
        try:
            places = np.asarray(old.get_indexer(new))
        except (TypeError, ValueError):
            places = np.full(len(new), -1)
        if (places >= 0).any() or not len(old) or not len(new):
            return places, "label"
    places = np.arange(len(new))
    return np.where(places < len(old), places, -1), "place"


def columns_found_again(old: Any, new: Any) -> list[int]:
    """Return for each column the place that it had, by its name and which of those that share it."""
    places: dict[tuple[str, int], int] = {key: place for place, key in enumerate(numbered(names_of(old)))}
    return [places.get(key, -1) for key in numbered(names_of(new))]


def numbered(names: list[str]) -> list[tuple[str, int]]:
    """Return each name with how often it came before."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, -1) + 1
        found.append((name, seen[name]))
    return found


def laid_over(old: pd.DataFrame, new: pd.DataFrame) -> PageDifference:
    """Return what changed from one settled table to another."""
    rows, by = rows_found_again(old.index, new.index)
    columns = columns_found_again(old.columns, new.columns)
    stayed = rows[rows >= 0]
    reordered = bool((np.diff(stayed) < 0).any())
    if new.shape[0] * new.shape[1] > MOST_COMPARED:
        return PageDifference(rows, columns, by, reordered, None)
    changed = np.zeros(new.shape, dtype=bool)
    for place, was in enumerate(columns):
        if was >= 0:
            there = rows >= 0
            changed[there, place] = differ(old.iloc[stayed, was], new.iloc[np.flatnonzero(there), place])
    return PageDifference(rows, columns, by, reordered, changed)


def differ(old: pd.Series, new: pd.Series) -> Any:
    """Return which of the values of two equally long columns differ; two missing ones do not."""
    kinds = [each.dtype.kind if isinstance(each.dtype, np.dtype) else "" for each in (old, new)]
    if kinds[0] and (set(kinds) <= set("biuf") or (kinds[0] == kinds[1] and kinds[0] in "mM")):
        first, second = old.to_numpy(), new.to_numpy()
        return (first != second) & ~(pd.isna(first) & pd.isna(second))
    pairs = zip(old.tolist(), new.tolist(), strict=True)
    return np.fromiter((not same(*pair) for pair in pairs), dtype=bool, count=len(new))


def same(old: Any, new: Any) -> bool:
    """Return whether two plain values are equal."""
    if is_missing(old) or is_missing(new):
        return is_missing(old) and is_missing(new)
    try:
        return bool(old == new)
    except Exception:  # noqa: BLE001  # times with and without a zone
        return False


def cell_of(value: Any, size: int) -> str | None:
    """Return a cell as text, a long one cut so that it can be told; None where nothing is."""
    return None if is_missing(value) else short(text_of(value), size)


def short(text: str, size: int = NAME_CHARS) -> str:
    """Return at most so many characters of a text, and one more that tells that it was longer."""
    return text[: size + 1].encode("utf-8", "replace").decode("utf-8")


def page_of(new: pd.DataFrame, old: pd.DataFrame | None, asked: dict[str, Any], size: int) -> dict[str, Any]:
    """Return one page of a settled table with what changed on it, cells of at most so many characters."""
    found = None if old is None else laid_over(old, new)
    chosen = np.arange(len(new))
    if asked["changed_only"] and found is not None:
        if found.changed is None:
            raise NoTableError(f"has more than {MOST_COMPARED:,} cells, so changed rows were not looked for")
        chosen = np.flatnonzero(found.changed.any(axis=1) | (found.rows < 0))
    rows = chosen[asked["offset"] : asked["offset"] + MOST_ROWS]
    columns = list(range(new.shape[1]))[asked["columns_from"] : asked["columns_from"] + MOST_COLUMNS]
    cells = {place: new.iloc[rows, place].tolist() for place in columns}
    names, dtypes = names_of(new.columns), [short(str(dtype)) for dtype in new.dtypes]
    page: dict[str, Any] = {
        "rows": len(new),
        "columns": new.shape[1],
        "total": len(chosen),
        "cell_chars": size,
        "labels": [short(name) for name in names_of(new.index[rows])],
        "shown": [{"name": short(names[place]), "dtype": dtypes[place], "was": None} for place in columns],
        "cells": [[cell_of(cells[place][at], size) for place in columns] for at in range(len(rows))],
        "marked": [],
        "before": None,
    }
    if found is None or old is None:
        return page
    for column, place in zip(page["shown"], columns, strict=True):
        was = found.columns[place]
        column["was"] = short(str(old.dtypes.iloc[was])) if was >= 0 else None
    marks = changes_on(found, old, new, rows, columns)
    page["marked"] = [{"row": row, "column": column, "was": cell_of(was, size)} for row, column, was in marks]
    return {**page, "before": in_short(found, old, new)}


def changes_on(
    found: PageDifference, old: pd.DataFrame, new: pd.DataFrame, rows: Any, columns: list[int]
) -> list[tuple[int, int, Any]]:
    """Return place and former value of the cells of a page that changed."""
    kept = []
    for x, place in enumerate(columns):
        was = found.columns[place]
        for at, row in enumerate(rows.tolist()):
            origin = int(found.rows[row])
            if was < 0 or origin < 0:
                continue
            value = old.iloc[origin, was]
            is_changed = not same(value, new.iloc[row, place]) if found.changed is None else found.changed[row, place]
            if is_changed:
                kept.append((at, x, value))
    return kept


def in_short(found: PageDifference, old: pd.DataFrame, new: pd.DataFrame) -> dict[str, Any]:
    """Return what changed in the whole table: counts, and the first names."""
    came = np.flatnonzero(found.rows < 0)
    gone = np.setdiff1d(np.arange(len(old)), found.rows[found.rows >= 0])
    new_columns = [name for name, was in zip(names_of(new.columns), found.columns, strict=True) if was < 0]
    left = set(found.columns)
    old_columns = [name for place, name in enumerate(names_of(old.columns)) if place not in left]
    return {
        "rows": len(old),
        "columns": old.shape[1],
        "by": found.by,
        "reordered": found.reordered,
        "changed": None if found.changed is None else int(found.changed.sum()),
        "rows_added": named(len(came), names_of(new.index[came[:MOST_NAMED]])),
        "rows_removed": named(len(gone), names_of(old.index[gone[:MOST_NAMED]])),
        "columns_added": named(len(new_columns), new_columns),
        "columns_removed": named(len(old_columns), old_columns),
    }


def named(count: int, names: list[str]) -> dict[str, Any]:
    """Return how many there are, and the first of them by name."""
    return {"count": count, "names": [short(name) for name in names[:MOST_NAMED]]}


def keep(session: dict[str, Any], name: str) -> None:
    """Note what a variable is before a cell runs."""
    if name not in session:
        return
    try:
        before["table"] = settled(table_of(session[name]))
    except NoTableError as error:
        before["why"] = f"before, it {error}"
    except Exception as error:  # noqa: BLE001  # the page is worth showing without it
        before["why"] = f"what it was before cannot be read ({type(error).__name__})"


def show(session: dict[str, Any], asked: dict[str, Any]) -> None:
    """Print the page as one line of ASCII JSON, or why there is none."""
    name, old = asked["name"], before["table"]
    try:
        if name not in session:
            raise NoTableError("is not there after the cell")
        new = settled(table_of(session[name]))
        kind = short(type.__getattribute__(type(session[name]), "__name__"))
        why = "" if old is not None else short(before["why"], 400)
        for size in CELL_CHARS:
            text = json.dumps({**page_of(new, old, asked, size), "kind": kind, "why": why}, ensure_ascii=True)
            if len(text) <= PRINTED_CHARS:
                break
    except NoTableError as error:
        text = json.dumps({"refused": short(str(error), 400)}, ensure_ascii=True)
    print("\n" + text)  # pyrefly: ignore[unbound-name]  # there are sizes
