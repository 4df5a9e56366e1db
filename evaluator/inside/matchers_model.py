"""What a comparison is asked and what it answers: options, causes, matches (dseal.md, section 4)."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from evaluator.inside.text_enum import TextEnum


class Rules(TextEnum):
    """Which rule set decides: `PUBLISHED` repeats the published implementation, `SOUND` repairs it."""

    SOUND = "sound"
    PUBLISHED = "published"


class Cause(TextEnum):
    """Why a validator did not answer yes; carried as data, never read out of a reason."""

    SHAPE = "SHAPE"
    DTYPE = "DTYPE"
    COLUMNS = "COLUMNS"
    VALUE = "VALUE"
    TYPE = "TYPE"
    PARTIAL_MATCH = "PARTIAL_MATCH"
    MISSING_RETURN = "MISSING_RETURN"
    NON_CODE = "NON_CODE"
    SYNTAX = "SYNTAX"
    MODULE_NOT_FOUND = "MODULE_NOT_FOUND"
    KEY_ERROR = "KEY_ERROR"
    TYPE_ERROR = "TYPE_ERROR"
    VALUE_ERROR = "VALUE_ERROR"
    NAME_ERROR = "NAME_ERROR"
    ATTRIBUTE_ERROR = "ATTRIBUTE_ERROR"
    OTHER_ERROR = "OTHER_ERROR"  # a function under test raised something else
    TIMEOUT = "TIMEOUT"  # a table of cases, or a model's `predict`, ran out of its time
    CHECKER_FAILED = "CHECKER_FAILED"  # an author's own code raised, hung, died or answered nonsense


MISMATCH_ORDER: Final = (  # the first that applies
    Cause.SHAPE,
    Cause.DTYPE,
    Cause.COLUMNS,
    Cause.VALUE,
    Cause.TYPE,
    Cause.CHECKER_FAILED,
)


def first_cause(causes: Iterable[Cause]) -> Cause | None:
    """Return the mismatch cause that stands for all of `causes`, or None when there is none."""
    present = frozenset(causes)
    return next((cause for cause in MISMATCH_ORDER if cause in present), None)


class AuthorFaultError(Exception):
    """The problem itself cannot be judged: its validators or its reference are wrong."""

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.fix = fix

    def to_json(self) -> dict[str, str]:
        """Return the three parts as they travel to the host."""
        return {"what": self.what, "where": self.where, "fix": self.fix}


@dataclass(frozen=True)
class Match:
    """The answer of one comparison."""

    matched: bool
    reason: str = ""
    causes: frozenset[Cause] = frozenset()
    partial: bool = False  # the expected value was found inside a larger one


def mismatch(reason: str, *causes: Cause) -> Match:
    """Return a failed match."""
    return Match(False, reason, frozenset(causes))


MATCHED: Final = Match(True)


@dataclass(frozen=True, kw_only=True)
class MatchOptions:
    """How two values are compared; the names are those of problem files."""

    ignore_order: bool = False  # of elements, and of rows (then the index is dropped too)
    ignore_index: bool = False  # drop the index of tables; compare the values of dicts in order
    ignore_names: bool = False  # take over the expected names of axes, columns and Series
    ignore_dtypes: bool = False  # cast the found table to the expected dtypes
    match_partial: bool = False  # the expected value may be part of the found one
    type_only: bool = False  # nothing but the exact type is compared
    value_only: bool = False  # containers become nested lists, single elements are unwrapped
    strict_type: bool = False  # arrays must have the same dtype
    atol: float = 1e-8
    rtol: float = 1e-5
    metrictol: float | None = None  # a number must be at least the expected one times this
    tolerances_set: frozenset[str] = frozenset()  # which of atol and rtol the author wrote
    rules: Rules = Rules.SOUND

    @property
    def sound(self) -> bool:
        """Whether the repaired rule set decides."""
        return self.rules is Rules.SOUND

    def loosened(self) -> "MatchOptions":
        """Return the options of the loose comparison."""
        return replace(self, ignore_order=True, ignore_names=True, ignore_dtypes=True, match_partial=True)


_NUMBERS: Final = ("atol", "rtol", "metrictol")
_FLAGS: Final = tuple(
    field.name for field in fields(MatchOptions) if field.name not in (*_NUMBERS, "tolerances_set", "rules")
)


def read_match_options(raw: object, *, rules: Rules, where: str) -> MatchOptions:
    """Turn an author's matcher options into `MatchOptions`.

    Args:
        raw: None, a mapping of options, or a mapping with the single key `compare_fn` around one.
        rules: The rule set that decides.
        where: What the options belong to, for the message.

    Raises:
        AuthorFaultError: If an option is unknown or has the wrong type.
    """
    if isinstance(raw, Mapping) and "compare_fn" in raw:
        if len(raw) > 1:
            raise AuthorFaultError("compare_fn stands beside other options", where=where, fix="write them inside it")
        raw = raw["compare_fn"]
    if raw is None:
        return MatchOptions(rules=rules)
    if not isinstance(raw, Mapping):
        raise AuthorFaultError(f"matcher options must be a mapping, got {type(raw).__name__}", where=where)
    unknown = [str(key) for key in raw if key not in (*_FLAGS, *_NUMBERS)]
    if unknown:
        fix = f"use one of {', '.join((*_FLAGS, *_NUMBERS))}"
        raise AuthorFaultError(f"there is no matcher option {unknown[0]!r}", where=where, fix=fix)
    flags = {name: _read_flag(name, raw[name], where) for name in _FLAGS if name in raw}
    numbers = {name: _read_tolerance(name, raw[name], where) for name in _NUMBERS if raw.get(name) is not None}
    known: dict[str, Any] = {**flags, **numbers}
    return MatchOptions(**known, tolerances_set=frozenset(numbers) - {"metrictol"}, rules=rules)


def _read_flag(name: str, value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    raise AuthorFaultError(f"option {name!r} must be true or false, got {value!r}", where=where)


def _read_tolerance(name: str, value: object, where: str) -> float:
    try:  # YAML reads 1e-6 as text
        number = math.nan if isinstance(value, bool) else float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or (number < 0 and name != "metrictol"):
        raise AuthorFaultError(f"option {name!r} must be a finite number, got {value!r}", where=where)
    return number
