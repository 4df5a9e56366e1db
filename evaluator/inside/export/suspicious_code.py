"""What in a submission deserves a person's look. It never decides a verdict: honest code may do all of this.

The text speaks, and what the cell was found to have replaced. An audit hook would see more, but makes each `id()` cost
five times as much, and so every deep copy of a cell half as fast again.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

_CTYPES: Final = "ctypes"
_HEAP: Final = "gc.get_objects"
_FRAMES: Final = "sys._getframe"
_PROC: Final = "/proc"
_PATCHED: Final = {"numpy": "patched numpy", "pandas": "patched pandas"}
EXPORT_TAMPERED: Final = "export_tampered"
"""What reports cells was changed by the cell: `namespace_intact` answers no."""
FORBIDDEN_IN_REACH: Final = "forbidden value in reach"
"""Not of the submission, but of its problem: a forbidden variable's value is also held by something else."""
MARKS: Final = frozenset({_CTYPES, _HEAP, _FRAMES, _PROC, *_PATCHED.values(), EXPORT_TAMPERED, FORBIDDEN_IN_REACH})

_TEXTS: Final = (
    (_CTYPES, re.compile(r"\bctypes\b")),
    (_HEAP, re.compile(r"\bget_(?:objects|referrers|referents)\b")),
    (_FRAMES, re.compile(r"\b(?:_getframe|f_back|currentframe)\b")),
    (_PROC, re.compile(r"/proc\b")),
    (_PATCHED["numpy"], re.compile(r"^[^#\n=]*\b(?:np|numpy)(?:\.\w{1,40}){1,5} *=(?!=)", re.MULTILINE)),
    (
        _PATCHED["pandas"],
        re.compile(r"^[^#\n=]*\b(?:pd|pandas)(?!\.options\b)(?:\.\w{1,40}){1,5} *=(?!=)", re.MULTILINE),
    ),
)
_LONGEST: Final = 100_000  # characters looked at


def marks_in_source(source: str) -> frozenset[str]:
    """Return the marks that a submission's own text deserves, comments and strings included."""
    text = source[:_LONGEST]
    return frozenset(mark for mark, pattern in _TEXTS if pattern.search(text))


def marks_of_replaced(replaced: Iterable[tuple[Any, str, Any]]) -> frozenset[str]:
    """Return the marks for what a cell replaced, as `Originals.restore` lists it."""
    names = set()
    for holder, _, _ in replaced:
        module = holder.get("__name__") if isinstance(holder, dict) else holder.__module__
        names.add(str(module).partition(".")[0])
    return frozenset(mark for name, mark in _PATCHED.items() if name in names)
