"""Lists, tuples, dicts and sets (dseal.md, section 4, rule 8)."""

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from evaluator.inside.decoded import Record
from evaluator.inside.encode_records import VIEWS
from evaluator.inside.matchers_arrays import Element
from evaluator.inside.matchers_identity import canonical
from evaluator.inside.matchers_model import MATCHED, Cause, Match, MatchOptions, mismatch
from evaluator.inside.matchers_order import in_order
from evaluator.inside.matchers_scalars import unlike_kinds, unlike_values
from evaluator.inside.matchers_text import brief

_SOUND_ONLY: Final = (frozenset, Record, *VIEWS["keys"], *VIEWS["values"], *VIEWS["items"])
_LONG: Final = 1_000  # elements from which lists of plain values are compared as arrays


def is_container(value: Any, options: MatchOptions) -> bool:
    """Tell whether rule 8 applies; the published rules know neither frozensets nor views and records: `==` decides."""
    return isinstance(value, (list, tuple, dict, set)) or (options.sound and isinstance(value, _SOUND_ONLY))


def match_containers(expected: Any, found: Any, options: MatchOptions, element: Element) -> Match:
    """Compare where either side is a list, tuple, dict or set."""
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        return _match_sequences(expected, found, options, element)
    if isinstance(expected, dict) and isinstance(found, dict):
        return _match_mappings(expected, found, options, element)
    sets = (set, frozenset) if options.sound else (set,)
    if isinstance(expected, sets) and isinstance(found, sets):
        return _match_sets(expected, found, options)
    for name, kinds in VIEWS.items():
        if isinstance(expected, kinds) and isinstance(found, kinds):
            pair: list[list[Any]] = [list(expected), list(found)]
            if name != "values":  # which are in order, keys and items are sets
                pair = [in_order(items, options) for items in pair]
            return _match_sequences(pair[0], pair[1], options, element)
    if isinstance(expected, Record) and isinstance(found, Record) and expected.type_name == found.type_name:
        return _match_mappings(dict(expected.fields), dict(found.fields), options, element)
    return unlike_kinds(expected, found)


def _match_sequences(expected: Sequence[Any], found: Sequence[Any], options: MatchOptions, element: Element) -> Match:
    if len(expected) != len(found):
        return mismatch(f"expected {len(expected)} elements, got {len(found)}", Cause.VALUE)
    if options.ignore_order:
        expected, found = in_order(expected, options), in_order(found, options)
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
            want, got = np.array(expected), np.array(found)
            unlike = ~np.isclose(got, want, rtol=options.rtol, atol=options.atol, equal_nan=options.sound)
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
        theirs = {canonical(key): value for key, value in found.items()} if options.sound else found
        ours = {canonical(key): key for key in expected} if options.sound else {key: key for key in expected}
        if not _same_keys(ours, theirs, options):
            return mismatch(f"expected the keys {brief(list(expected))}, got {brief(list(found))}", Cause.VALUE)
        pairs = [(key, expected[key], theirs[kept]) for kept, key in ours.items()]
    for key, want, got in pairs:
        match = element(want, got)
        if not match.matched:
            return _inside(f"entry {brief(key)}", match)
    return MATCHED


def _same_keys(ours: dict[Any, Any], theirs: dict[Any, Any], options: MatchOptions) -> bool:
    if options.sound:
        return ours.keys() == theirs.keys()
    return sorted(ours) == sorted(theirs)  # keys without an order are an exception, hence no match


def _match_sets(expected: Any, found: Any, options: MatchOptions) -> Match:
    if options.sound:
        equal = {canonical(item) for item in expected} == {canonical(item) for item in found}
        return MATCHED if equal else unlike_values(expected, found, Cause.VALUE)
    return MATCHED if expected == found else unlike_values(expected, found)
