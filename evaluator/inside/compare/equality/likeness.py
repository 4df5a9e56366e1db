"""How alike two values are: the differences found between them, or that they differ in a value."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from evaluator.inside.compare.equality.lines import Line, Ruling
from evaluator.inside.compare.match_model import Cause, MatchOptions
from evaluator.inside.compare.value_text import brief, kind_name


@dataclass(frozen=True)
class Likeness:
    """What lies between two values."""

    lines: frozenset[Line] | None = frozenset()  # every difference of the table; None: they differ in a value
    reason: str = ""
    causes: frozenset[Cause] = frozenset()  # of a wrong answer, where the lines do not say it

    def __and__(self, other: "Likeness") -> "Likeness":
        """Return the likeness of a whole of two parts."""
        if self.lines is None:
            return self
        if other.lines is None:
            return other
        return Likeness(self.lines | other.lines, self.reason or other.reason, self.causes | other.causes)

    def plus(self, *lines: Line) -> "Likeness":
        """Return this with more differences."""
        return self if self.lines is None else Likeness(self.lines | {*lines}, self.reason, self.causes)

    def inside(self, place: str) -> "Likeness":
        """Return this as the likeness of a part: any other value inside a container is another value of it."""
        if self.lines is None:
            return different(f"{place}: {self.reason}", *self.causes, Cause.VALUE)
        if not self.causes:
            return self
        return Likeness(self.lines, f"{place}: {self.reason}" if self.reason else "", self.causes | {Cause.VALUE})


SAME: Final = Likeness()


def same(*lines: Line) -> Likeness:
    """Return the likeness of two values with the same content."""
    return Likeness(frozenset(lines))


def different(reason: str, *causes: Cause) -> Likeness:
    """Return the likeness of two values that differ in a value."""
    return Likeness(None, reason, frozenset(causes))


def unlike_values(expected: Any, found: Any) -> Likeness:
    """Return that two values of one kind differ."""
    return different(f"expected {brief(expected)}, got {brief(found)}", Cause.VALUE)


def unlike_kinds(expected: Any, found: Any) -> Likeness:
    """Return that two values are of different kinds."""
    return different(f"expected a value of type {kind_name(expected)}, got {kind_name(found)}", Cause.TYPE)


@dataclass(frozen=True)
class Context:
    """What a comparison goes by, and where in the two values it is."""

    options: MatchOptions
    ruling: Ruling
    is_outermost: bool = True  # inside other values, another order or surplus parts are other values

    def within(self) -> "Context":
        """Return the context of a part."""
        if not self.is_outermost or self.options.deep:
            return self
        return Context(self.options, self.ruling, is_outermost=False)

    def cost(self, likeness: Likeness) -> int:
        """Return how far from correct a likeness is: 0 correct, 1 presentation, 2 wrong, 3 other values."""
        return 3 if likeness.lines is None else self.ruling.severity(likeness.lines)

    def best(self, candidates: Iterable[Likeness]) -> Likeness | None:
        """Return the first correct one of several readings, else the mildest with the fewest differences."""
        chosen: Likeness | None = None
        for candidate in candidates:
            if chosen is None or self._key(candidate) < self._key(chosen):
                chosen = candidate
            if self.cost(chosen) == 0:
                break
        return chosen

    def _key(self, likeness: Likeness) -> tuple[int, int]:
        lines = likeness.lines or ()
        return self.cost(likeness), len(self.ruling.worst(lines))
