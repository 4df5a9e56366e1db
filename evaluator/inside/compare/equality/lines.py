"""The table of differences (`lines.json`): what each is judged as, and how options change that (`effects.json`)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluator.inside.compare.match_model import Cause, MatchOptions
from evaluator.inside.text_enum import TextEnum


class Judgement(TextEnum):
    """What a difference makes of an answer that is right otherwise, mildest first."""

    CORRECT = "correct"
    PRESENTATION = "presentation"
    WRONG = "wrong"


class Line(TextEnum):
    """One line of the table: a difference between two values that can be told apart from all others."""

    NUMBER_WIDTH = "number-width"
    INTEGER_FOR_FLOAT = "integer-for-float"
    TEXT_KIND = "text-kind"
    TRUTH_KIND = "truth-kind"
    TIME_UNIT = "time-unit"
    OBJECT_KIND = "object-kind"
    SCALAR_KIND = "scalar-kind"
    ARRAY_KIND = "array-kind"
    UTC_NAME = "utc-name"
    MISSING_KIND = "missing-kind"
    NAMES = "names"
    CONTAINER = "container"
    COLUMN_NAMES = "column-names"
    ORDER = "order"
    COLUMN_ORDER = "column-order"
    EXTRA = "extra"
    INDEX = "index"
    ZONE = "zone"
    DATE = "date"
    TRUTH_FOR_NUMBER = "truth-for-number"
    TEXT_FOR_NUMBER = "text-for-number"
    DURATION_FOR_NUMBER = "duration-for-number"
    TIME_WITHOUT_ZONE = "time-without-zone"


TABLE: Final[tuple[Mapping[str, Any], ...]] = tuple(
    json.loads(Path(__file__).with_name("lines.json").read_text(encoding="utf-8"))
)
"""The rows as they stand in the file; the last one, other values, is no line: nothing makes them right."""
_DEFAULTS: Final = {Line(row["id"]): Judgement(row["judged"]) for row in TABLE if not row.get("fixed")}
_CAUSES: Final = {Line(row["id"]): Cause(row.get("cause", "DTYPE")) for row in TABLE if not row.get("fixed")}
_PLACES: Final = {line: place for place, line in enumerate(Line)}
_EFFECTS: Final[tuple[Mapping[str, Any], ...]] = tuple(
    json.loads(Path(__file__).with_name("effects.json").read_text(encoding="utf-8"))
)
_SEVERITY: Final = {judgement: severity for severity, judgement in enumerate(Judgement)}


@dataclass(frozen=True)
class Ruling:
    """What every line is judged as in one comparison."""

    judged: Mapping[Line, Judgement]

    def severity(self, lines: Iterable[Line]) -> int:
        """Return 0 where the lines leave an answer correct, 1 for a presentation error, 2 where it is wrong."""
        return max((_SEVERITY[self.judged[line]] for line in lines), default=0)

    def worst(self, lines: Iterable[Line]) -> tuple[Line, ...]:
        """Return the lines that decide, in the order of the table."""
        lines = sorted(lines, key=_PLACES.__getitem__)
        severity = self.severity(lines)
        return tuple(line for line in lines if _SEVERITY[self.judged[line]] == severity)


def ruling_of(options: MatchOptions) -> Ruling:
    """Return how a problem's options judge each line; of several that change it, the last in the file decides."""
    judged = dict(_DEFAULTS)
    for effect in _EFFECTS:
        if getattr(options, effect["option"]) is effect["value"]:
            judged.update(dict.fromkeys(map(Line, effect["lines"]), Judgement(effect["judged"])))
    judged.update({Line(line): Judgement(judgement) for line, judgement in options.equality.items()})
    return Ruling(judged)


def cause_of(line: Line) -> Cause:
    """Return the cause that a line gives a finding."""
    return _CAUSES[line]
