"""What makes two problems the same to a reader: within one set, and between several sets of one seed."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from authoring.store.drafting.sketches import SketchItem
from authoring.templates.board import Slots
from authoring.templates.families import FAMILIES
from authoring.templates.family import WORDING

OPENING: Final = "opening"
SAME_IN_EVERY_SET: Final = frozenset(
    {OPENING, "soundness", "joining"}
)  # themes with which each set of a seed must begin
_SAME_ROWS: Final = frozenset(
    {"complete_rows", "drop_repeats"}
)  # a question about what they store is one about what they read
_STORED: Final = "var"  # slot that names the variable which a problem stores

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
    """Return the meanings with that of the variable that a problem stores."""
    variable = slots.get(_STORED)
    if not isinstance(variable, str):
        return dict(meanings)
    if family in _SAME_ROWS:
        return {**meanings, variable: _meaning(slots.get("frame"), meanings)}
    return {**meanings, variable: _content(family, slots, meanings)}


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
    return tuple(key for item, key in pairs if key and not repeats_freely(item.family))


def repeats_freely(family: str) -> bool:
    """Return whether every set of a seed may hold a problem of the family."""
    return family in FAMILIES and FAMILIES[family].theme in SAME_IN_EVERY_SET


def _content(family: str, slots: Slots, meanings: Meanings) -> list[Any]:
    about = FAMILIES[family].about if family in FAMILIES else None
    keys = sorted(slots) if about is None else about
    return [
        family,
        {key: _told(slots[key], meanings) for key in keys if key in slots and key not in (WORDING, _STORED)},
    ]


def _told(value: Any, meanings: Meanings) -> Any:
    """Return a slot's value: of a variable what it holds, of several columns a list in one order."""
    return sorted(map(str, value)) if isinstance(value, (list, tuple)) else _meaning(value, meanings)


def _meaning(variable: Any, meanings: Meanings) -> Any:
    return meanings.get(variable, variable) if isinstance(variable, str) else variable
