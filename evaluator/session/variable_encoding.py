"""How an agent is shown variables: the names of encodings, and their numbers."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from evaluator.errors import UsageError
from evaluator.registry import nearest_name

BRIEF: Final = "brief"
"""One line for each variable, which comes with every executed cell."""


@dataclass(frozen=True)
class VariableEncoding:
    """A form, and how much of a value it shows."""

    name: str  # of the form: coml | lida | names | repr
    columns: int = 10  # of a table (count)
    width: int = 20  # of a column (characters)
    rows: int = 10  # of a table (count); of lida: sample values of a column
    items: int = 30  # of a list or a dict (count)
    has_quirks: bool = True  # of LIDA's published program

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)


ENCODINGS: Final[Mapping[str, VariableEncoding]] = MappingProxyType(
    {
        "coml": VariableEncoding("coml"),
        "coml-concise": VariableEncoding("coml", 2, 5, 2, 2),
        "coml-verbose": VariableEncoding("coml", 30, 25, 10, 30),
        "lida": VariableEncoding("lida"),
        "lida-sound": VariableEncoding("lida", has_quirks=False),
        "names": VariableEncoding("names"),
        "repr": VariableEncoding("repr"),
    }
)
_NUMBERS: Final = re.compile(r"([a-z-]+)\((\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3})\)")


def parse_encoding(text: str) -> VariableEncoding:
    """Return the encoding of a name, or `NAME(COLUMNS,WIDTH,ROWS,ITEMS)`.

    Raises:
        UsageError: If there is none of that name; the fix says the nearest.
    """
    if text in ENCODINGS:
        return ENCODINGS[text]
    sized = _NUMBERS.fullmatch(text.replace(" ", ""))
    if sized is not None and sized[1] in ENCODINGS:
        columns, width, rows, items = (max(1, int(number)) for number in sized.groups()[1:])
        return replace(ENCODINGS[sized[1]], columns=columns, width=width, rows=rows, items=items)
    near = nearest_name(text, [BRIEF, *ENCODINGS])
    fix = f"use {near!r}" if near else f"use one of {', '.join([BRIEF, *ENCODINGS])}"
    raise UsageError(f"no encoding of variables is called {text[:80]!r}", fix=fix)
