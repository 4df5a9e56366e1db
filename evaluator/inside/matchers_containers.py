"""Lists, tuples, dicts and sets (published rules; dseal.md, section 4, rule 8)."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from evaluator.inside.matchers_model import MATCHED, Cause, Match, MatchOptions, mismatch
from evaluator.inside.matchers_order import in_order
from evaluator.inside.matchers_scalars import unlike_kinds, unlike_values
from evaluator.inside.matchers_text import brief

Element = Callable[[Any, Any], Match]  # compares two parts under the same options
_LONG: Final = 1_000  # elements from which lists of plain values are compared as arrays


def is_container(value: Any) -> bool:
    """Tell whether rule 8 applies; of frozensets, views and records `==` decides."""
    return isinstance(value, (list, tuple, dict, set))


def match_containers(expected: Any, found: Any, options: MatchOptions, element: Element) -> Match:
    """Compare where either side is a list, tuple, dict or set."""
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        return _match_sequences(expected, found, options, element)
    if isinstance(expected, dict) and isinstance(found, dict):
        return _match_mappings(expected, found, options, element)
    if isinstance(expected, set) and isinstance(found, set):
        return MATCHED if expected == found else unlike_values(expected, found)
    return unlike_kinds(expected, found)


def _match_sequences(expected: Sequence[Any], found: Sequence[Any], options: MatchOptions, element: Element) -> Match:
    if len(expected) != len(found):
        return mismatch(f"expected {len(expected)} elements, got {len(found)}", Cause.VALUE)
    if options.ignore_order:
        expected, found = in_order(expected), in_order(found)
    first = _first_unlike(expected, found, options) if len(expected) >= _LONG else 0
    for i in range(first, len(expected)):
        match = element(expected[i], found[i])
        if not match.matched:
            return _inside(f"element {i}", match)
    return MATCHED


def _first_unlike(expected: Sequence[Any], found: Sequence[Any], options: MatchOptions) -> int:
    """Return the first place where two long lists of plain numbers or texts may differ, or their length."""
    kinds = {*map(type, expected), *map(type, found)}
    if kinds <= {str, bool} and len(kinds) == 1:
        unlike = np.fromiter(map(operator.ne, expected, found), dtype=bool, count=len(expected))
    elif kinds <= {int, float} and options.metrictol is None:
        try:
            unlike = ~np.isclose(np.array(found), np.array(expected), rtol=options.rtol, atol=options.atol)
        except (TypeError, OverflowError):  # integers beyond 64 bits
            return 0
    else:
        return 0
    return int(unlike.argmax()) if unlike.any() else len(expected)


def _inside(place: str, match: Match) -> Match:
    return replace(match, reason=f"{place}: {match.reason}", causes=match.causes | {Cause.VALUE})


def _match_mappings(expected: dict[Any, Any], found: dict[Any, Any], options: MatchOptions, element: Element) -> Match:
    if options.ignore_index:
        if len(expected) != len(found):
            return mismatch(f"expected {len(expected)} entries, got {len(found)}", Cause.VALUE)
        pairs = [(key, want, got) for (key, want), got in zip(expected.items(), found.values(), strict=True)]
    else:
        if sorted(expected) != sorted(found):  # keys without an order are an exception, hence no match
            return mismatch(f"expected the keys {brief(list(expected))}, got {brief(list(found))}", Cause.VALUE)
        pairs = [(key, want, found[key]) for key, want in expected.items()]
    for key, want, got in pairs:
        match = element(want, got)
        if not match.matched:
            return _inside(f"entry {brief(key)}", match)
    return MATCHED
