"""Values of the data in code: which rule finds such a value in other data, and what it finds there."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from authoring.generalising.template import ColumnPlace, ValuePlace
from authoring.seeds.profile import ColumnProfile, ColumnRole
from authoring.seeds.semantics import Meaning

_ORDERED: Final = frozenset({Meaning.TIME, Meaning.ORDINAL})
_QUANTITIES: Final = frozenset({Meaning.MEASURE, Meaning.RATE, Meaning.COUNT, Meaning.MONEY, Meaning.WEIGHT})
_FORMS: Final = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y-%m", "%Y/%m/%d", "%Y")
SIGNIFICANT: Final = 2  # digits of a value that stands at a quantile


@dataclass(frozen=True)
class RuleMaker:
    """Finds the rule of a value of one seed."""

    columns: Mapping[str, ColumnPlace]
    profiles: Mapping[str, ColumnProfile]  # by the same keys

    def find(self, value: str | float, key: str) -> ValuePlace | None:
        """Return the rule of a value of the column `key`; without one it must be a text that some column holds."""
        if not key:
            keys = [each for each in self.columns if isinstance(value, str) and len(value) > 1]
            key = next((each for each in keys if value in frequent_values(self.profiles[each])), "")
            return None if not key else self._frequent(value, key)
        profile, meaning = self.profiles[key], self.columns[key].meaning
        if value == 0 and profile.role is ColumnRole.NUMBER:  # a sign, not a value of the data
            return None
        if profile.role is ColumnRole.DATE:
            return self._moment(value, key)
        if meaning in _ORDERED and value in profile.levels:
            return self._level(value, key)
        if meaning in _QUANTITIES and isinstance(value, int | float):
            return self._quantile(value, key)
        if value in frequent_values(profile):
            return self._frequent(value, key)
        return self._quantile(value, key) if isinstance(value, int | float) else None

    def _quantile(self, value: float, key: str) -> ValuePlace | None:
        share = share_below(self.profiles[key], float(value))
        return None if share is None else ValuePlace(column=key, rule="quantile", at=round(share, 3), was=value)

    def _level(self, value: str | float, key: str) -> ValuePlace:
        levels = self.profiles[key].levels
        share = levels.index(value) / max(1, len(levels) - 1)
        return ValuePlace(column=key, rule="level", at=round(share, 3), was=value)

    def _frequent(self, value: str | float, key: str) -> ValuePlace:
        place = frequent_values(self.profiles[key]).index(value) + 1
        return ValuePlace(column=key, rule="frequent", at=place, was=value)

    def _moment(self, value: str | float, key: str) -> ValuePlace | None:
        bounds, at = _bounds(self.profiles[key]), _moment_of(str(value))
        if bounds is None or at is None:
            return None
        share = (at - bounds[0]) / (bounds[1] - bounds[0])
        return ValuePlace(column=key, rule="moment", at=round(min(max(share, 0.0), 1.0), 3), was=value)


def frequent_values(profile: ColumnProfile) -> list[object]:
    """Return the values of a column of few values, the most frequent first."""
    if profile.top:
        known = [value for value, _ in profile.top]
        return [*known, *(level for level in profile.levels if level not in known)]
    return list(profile.levels)


def found_value(place: ValuePlace, profile: ColumnProfile) -> str | int | float | None:
    """Return what the rule finds in another column; None when it finds nothing."""
    if place.rule == "frequent":
        values = frequent_values(profile)
        chosen = values[int(place.at) - 1] if 1 <= int(place.at) <= len(values) else None
        return chosen if isinstance(chosen, str | int | float) and not isinstance(chosen, bool) else None
    if place.rule == "moment":
        return _at_moment(place, profile)
    if place.rule == "level":
        return _at_level(place, profile)
    points = _points(profile)
    if not points:
        return None
    value = _interpolated(points, place.at)
    return _rounded(value, whole=profile.integer)


def _at_level(place: ValuePlace, profile: ColumnProfile) -> str | int | float | None:
    """Return the value at that share of a column's values in their order; of many values, that share of the range."""
    levels = [level for level in profile.levels if isinstance(level, str | int | float) and not isinstance(level, bool)]
    if levels:
        return levels[round(place.at * (len(levels) - 1))]
    points = _points(profile)
    value = _interpolated(points, place.at) if points else None
    return round(value) if value is not None and profile.integer else value


def share_below(profile: ColumnProfile, value: float) -> float | None:
    """Return the share of a column's values that lie below one, from its quantiles; None when they are not known."""
    points = _points(profile)
    if not points:
        return None
    return _interpolated([(level, share) for share, level in points], value)


def _points(profile: ColumnProfile) -> list[tuple[float, float]]:
    """Return (share, value) from least to greatest."""
    if profile.role is not ColumnRole.NUMBER or not isinstance(profile.min, int | float) or not profile.quantiles:
        return []
    ends = ((0.0, float(profile.min)), (1.0, float(profile.max or 0.0)))
    return sorted([*ends, *((float(share), float(value)) for share, value in profile.quantiles.items())])


def _interpolated(points: list[tuple[float, float]], at: float) -> float:
    if at <= points[0][0]:
        return points[0][1]
    for (low, first), (high, second) in pairwise(points):
        if at <= high:
            return first if high == low else first + (second - first) * (at - low) / (high - low)
    return points[-1][1]


def _rounded(value: float, *, whole: bool) -> int | float:
    """Return a value of few digits, as people write bounds."""
    if value == 0 or not math.isfinite(value):
        return 0
    digits = SIGNIFICANT - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, digits)
    return int(rounded) if whole or float(rounded).is_integer() else rounded


def _moment_of(text: str) -> datetime | None:
    for form in _FORMS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None


def _bounds(profile: ColumnProfile) -> tuple[datetime, datetime] | None:
    try:
        first, last = (datetime.fromisoformat(str(end)).replace(tzinfo=None) for end in (profile.min, profile.max))
    except ValueError:
        return None
    return (first, last) if last > first else None


def _at_moment(place: ValuePlace, profile: ColumnProfile) -> str | int | None:
    """Return the moment at that share of the range, written as the old one was."""
    bounds = _bounds(profile)
    form = next((each for each in _FORMS if _reads(str(place.was), each)), None)
    if bounds is None or form is None:
        return None
    seconds = (bounds[1] - bounds[0]).total_seconds() * place.at
    text = (bounds[0] + timedelta(seconds=seconds)).strftime(form)
    return int(text) if isinstance(place.was, int) else text


def _reads(text: str, form: str) -> bool:
    try:
        datetime.strptime(text, form)
    except ValueError:
        return False
    return True
