"""What makes two problems the same to a reader: within one set, and between several sets of one seed."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from authoring.store.drafting.sketches import SketchItem
from authoring.templates.board import Slots
from authoring.templates.family import WORDING

LOAD: Final = "load_table"
REPAIRS: Final = ("drop_duplicates", "strip_spaces", "lower_case", "to_number", "parse_dates")  # in this order
MAY_REPEAT: Final = frozenset({LOAD, *REPAIRS})  # each set of a seed must begin with these
ALIKE: Final = {  # families whose questions are nearly the same: what they are called together, what they are about
    "group_deviation": ("deviation", ("group", "number")),
    "back_to_rows": ("deviation", ("group", "number")),
    "group_aggregate": ("by group", ("group", "number")),
    "group_summary": ("by group", ("group", "number")),
    "group_shares": ("frequencies", ("group",)),
    "frequent_values": ("frequencies", ("text",)),
}
_READ: Final = (
    "frame",
    "other",
    "other2",
    "summary",
    "function",
)  # slots that name a variable which an earlier problem stores
_STORED: Final = ("var", "train", "test", "deed")  # slots that name a variable which the problem itself may store
_SAME_ROWS: Final = frozenset({"join_tables"})  # a question about what they store is one about what they read
_NOT_IDENTITY: Final = frozenset(
    {
        *(WORDING, "value", "values", "levels", "how", "method", "show", "new", "var", "ddof"),
        *("count", "size", "state", "step", "start", "lag", "least", "category", "year", "share"),
        *("train", "test", "low", "high", "variable", "edges", "labels", "hows", "label"),
    }
)

Meanings = Mapping[str, Any]  # variable -> what it holds, whatever it is called


def identity(family: str, slots: Slots, meanings: Meanings | None = None) -> str:
    """Return what makes two problems the same to a reader: the columns and tables, not thresholds or names.

    Args:
        family: Name of the task family.
        slots: Of the problem.
        meanings: Of the variables it reads; those left out stand for themselves.
    """
    return json.dumps(_content(family, slots, meanings or {}), sort_keys=True, ensure_ascii=False)


def meanings_after(family: str, slots: Slots, meanings: Meanings) -> dict[str, Any]:
    """Return the meanings with those of the variables that a problem stores."""
    if family == LOAD:
        stored: Any = f"table {slots.get('table')}"
    elif family in _SAME_ROWS:
        stored = _meaning(slots.get("frame"), meanings)
    else:
        stored = _content(family, slots, meanings)
    made = {str(slots[key]): stored for key in _STORED if isinstance(slots.get(key), str)}
    return {**meanings, **{name: [stored, name] if name == slots.get("test") else stored for name in made}}


def item_identities(items: Iterable[SketchItem]) -> tuple[str, ...]:
    """Return the identity of each item of a sketch, an empty text for one without a family."""
    meanings: dict[str, Any] = {}
    found = []
    for item in items:
        found.append(identity(item.family, item.slots, meanings) if item.family else "")
        meanings = meanings_after(item.family, item.slots, meanings)
    return tuple(found)


def sketch_identities(items: Iterable[SketchItem]) -> tuple[str, ...]:
    """Return what other sketches of the same seed must avoid if they are to repeat none of these problems.

    Loading the data and repairing its faults are left out: every set has to begin with them.
    """
    items = tuple(items)
    pairs = zip(items, item_identities(items), strict=True)
    return tuple(key for item, key in pairs if key and item.family not in MAY_REPEAT)


def _content(family: str, slots: Slots, meanings: Meanings) -> list[Any]:
    read = {key: _meaning(slots[key], meanings) for key in _READ if key in slots}
    if family in ALIKE:
        name, keys = ALIKE[family]
        return [name, read.get("frame"), [slots.get(key) for key in keys]]
    kept = {key: _unordered(value) for key, value in slots.items() if key not in _NOT_IDENTITY and key not in _READ}
    return [family, read, kept]


def _meaning(variable: Any, meanings: Meanings) -> Any:
    return meanings.get(variable, variable) if isinstance(variable, str) else variable


def _unordered(value: Any) -> Any:
    """Return a list of columns in one order: the correlation of two is that of the two the other way round."""
    return sorted(map(str, value)) if isinstance(value, list | tuple) else value
