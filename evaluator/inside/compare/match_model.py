"""What a comparison is asked and what it answers: options, causes, matches (dseal.md, section 4)."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
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
    CONTAINER = "CONTAINER"
    NAME = "NAME"
    ORDER = "ORDER"
    EXTRA = "EXTRA"
    INDEX = "INDEX"
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


PRESENTATION_ORDER: Final = (  # of causes of a partial answer (sound rules): the first that applies
    Cause.CONTAINER,
    Cause.NAME,
    Cause.ORDER,
    Cause.EXTRA,
    Cause.INDEX,
    Cause.DTYPE,
    Cause.PARTIAL_MATCH,
)


def presentation_cause(causes: Iterable[Cause]) -> Cause | None:
    """Return the cause that names in which other form the right values came; None: the published rules have no name."""
    present = frozenset(causes)
    return next((cause for cause in PRESENTATION_ORDER if cause in present), None)


class Answer(TextEnum):
    """What a validator says, best first."""

    YES = "yes"
    PARTIAL = "partial"
    NO = "no"


@dataclass(frozen=True)
class Comparison:
    """What comparing two values said; under the published rules strictly and, where that failed, loosely."""

    answer: Answer  # yes: equal; partial: the right values in another form
    reason: str
    causes: frozenset[Cause]  # of a partial answer: in which form; of a no: by the rule set, the last or the only one's
    loose_causes: frozenset[Cause] | None = None  # None: no loose comparison was made

    @property
    def loosely(self) -> str:
        """The reason of a partial answer, for people."""
        is_named = bool(self.causes) and Cause.PARTIAL_MATCH not in self.causes
        return self.reason if is_named else f"matches only loosely: {self.reason}"


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
    ignore_names: bool | None = None  # take over the expected names; None: by the rules, false: all names count
    ignore_dtypes: bool | None = None  # cast the found table to the expected dtypes; None and false as above
    match_partial: bool = False  # the expected value may be part of the found one
    type_only: bool = False  # nothing but the exact type is compared
    value_only: bool = False  # containers become nested lists, single elements are unwrapped
    strict_type: bool = False  # arrays must have the same dtype; under the sound rules all types count
    deep: bool = False  # with ignore_order: parts of parts, too, may stand in any order (sound rules)
    atol: float = 1e-8
    rtol: float = 1e-5
    metrictol: float | None = None  # a number must be at least the expected one times this
    equality: Mapping[str, str] = field(default_factory=dict)  # line of the table -> judgement (sound rules)
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
_SOUND_ONLY: Final = ("deep", "equality")
_FLAGS: Final = tuple(
    one.name for one in fields(MatchOptions) if one.name not in (*_NUMBERS, "equality", "tolerances_set", "rules")
)
_JUDGEMENTS: Final = ("correct", "presentation", "wrong")


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
    known_names = [name for name in (*_FLAGS, *_NUMBERS, "equality") if rules is Rules.SOUND or name not in _SOUND_ONLY]
    unknown = [str(key) for key in raw if key not in known_names]
    if unknown:
        fix = f"use one of {', '.join(known_names)}"
        if unknown[0] in _SOUND_ONLY:
            fix = "remove it, or judge by the sound rules"
        raise AuthorFaultError(f"there is no matcher option {unknown[0]!r} here", where=where, fix=fix)
    flags = {name: _read_flag(name, raw[name], where) for name in _FLAGS if raw.get(name) is not None}
    numbers = {name: _read_tolerance(name, raw[name], where) for name in _NUMBERS if raw.get(name) is not None}
    known: dict[str, Any] = {**flags, **numbers, "equality": _read_equality(raw.get("equality"), where)}
    return MatchOptions(**known, tolerances_set=frozenset(numbers) - {"metrictol"}, rules=rules)


def _read_equality(raw: object, where: str) -> dict[str, str]:
    """Return judgements by line; whether there are such lines is for `equality.lines` to say."""
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        raise AuthorFaultError("option 'equality' must be a mapping from lines to judgements", where=where)
    for line, judgement in raw.items():
        if judgement not in _JUDGEMENTS:
            fix = f"use one of {', '.join(_JUDGEMENTS)}"
            raise AuthorFaultError(f"equality: {line!s} cannot be judged as {judgement!r}", where=where, fix=fix)
    return {str(line): str(judgement) for line, judgement in raw.items()}


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
