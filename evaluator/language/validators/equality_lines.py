"""The table of equality (docs/dseal.md, "When two values are equal"): its lines and the options that change them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

# The same files for both sides: the comparator reads them in its sandbox, where nothing of this package is.
_FOLDER: Final = Path(__file__).parents[2] / "inside" / "compare" / "equality"
JUDGEMENTS: Final = ("correct", "presentation", "wrong")


@dataclass(frozen=True)
class EqualityLine:
    """One difference between two values, and what the sound rules judge it as."""

    name: str  # under which `equality` changes it
    judged: str  # one of JUDGEMENTS, unless an option says otherwise
    what: str  # for people
    subverdict: str  # of the presentation error that it is, or becomes where it is tightened; "" where it never is one
    expected: str  # an example, as Python expressions
    found: str
    loosen: str = ""  # the option that makes it correct, as YAML
    tighten: str = ""  # the option that makes it a presentation error
    is_fixed: bool = False  # other values: no option makes them right
    is_one_way: bool = False  # judged so only where the found value holds more


_SUBVERDICTS: Final = {
    "CONTAINER": "CONTAINER_MISMATCH",
    "NAME": "NAME_MISMATCH",
    "ORDER": "ORDER_MISMATCH",
    "EXTRA": "EXTRA_VALUES",
    "INDEX": "INDEX_MISMATCH",
    "DTYPE": "DTYPE_MISMATCH",
}


@cache
def _rows(name: str) -> tuple[Mapping[str, Any], ...]:
    return tuple(json.loads((_FOLDER / name).read_text(encoding="utf-8")))


def _read(row: Mapping[str, Any]) -> EqualityLine:
    return EqualityLine(
        name=row["id"],
        judged=row["judged"],
        what=row["what"],
        subverdict=_SUBVERDICTS.get(row.get("cause", "DTYPE"), ""),
        expected=row["expected"],
        found=row["found"],
        loosen=row.get("loosen", ""),
        tighten=row.get("tighten", ""),
        is_fixed=row.get("fixed", False),
        is_one_way=row.get("one_way", False),
    )


EQUALITY_LINES: Final[Mapping[str, EqualityLine]] = MappingProxyType(
    {row["id"]: _read(row) for row in _rows("lines.json")}
)
"""Every line by its name, in the order in which lines name a verdict."""


@dataclass(frozen=True)
class LineInForce:
    """What a line is judged as in one comparison."""

    line: EqualityLine
    judged: str  # one of JUDGEMENTS
    option: str = ""  # that decides it, as YAML; "" where the table does

    @property
    def is_changed(self) -> bool:
        """Whether it is judged otherwise than the table says."""
        return self.judged != self.line.judged


def lines_in_force(options: Mapping[str, Any]) -> tuple[LineInForce, ...]:
    """Return every line of the table as the matcher options of one comparison judge it (sound rules).

    Args:
        options: As an author wrote them; what is no option, or no judgement of a line, changes nothing.
    """
    decided: dict[str, tuple[str, str]] = {}
    for effect in _rows("effects.json"):
        if options.get(effect["option"]) is effect["value"]:
            option = f"{effect['option']}: {str(effect['value']).lower()}"
            decided.update(dict.fromkeys(effect["lines"], (effect["judged"], option)))
    written = options.get("equality")
    for name, judged in written.items() if isinstance(written, Mapping) else ():
        if judged in JUDGEMENTS:
            decided[name] = (judged, f"equality: {{{name}: {judged}}}")
    return tuple(
        LineInForce(line, line.judged) if line.is_fixed or name not in decided else LineInForce(line, *decided[name])
        for name, line in EQUALITY_LINES.items()
    )
