"""The comparator's findings tree as the host believes it: parsed against the validators that were asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from evaluator.errors import ToolkitError
from evaluator.language import ValidatorSpec, is_graded

MAX_REASON: Final = 10_000  # characters; the comparator writes at most a tenth of it


class Answer(StrEnum):
    """What a validator says, best first."""

    YES = "yes"
    PARTIAL = "partial"
    NO = "no"


class Cause(StrEnum):
    """Why a validator did not answer yes."""

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


class BadFindingsError(ToolkitError):
    """A findings tree that does not fit the validators that were asked: nothing in it counts."""


@dataclass(frozen=True)
class AuthorFault:
    """Why a problem cannot be judged, whatever the submission."""

    what: str
    where: str = ""
    fix: str = ""


@dataclass(frozen=True)
class Finding:
    """One validator's answer. `reason` is for people and may hold hostile text; code reads `answer` and `cause`."""

    validator: str  # canonical name
    answer: Answer
    reason: str = ""
    cause: Cause | None = None
    loose_cause: Cause | None = None  # of the loose comparison, where that failed too (published rules)
    variable: str | None = None  # of a part of namespace_check
    children: tuple["Finding", ...] = ()
    score: float | None = None  # of a graded validator; None: it gives none

    def to_json(self) -> dict[str, Any]:
        """Return the form that records carry as `validation`: the published fields, and ours where they say more."""
        reason: Any = [child.to_json() for child in self.children] if self.children else self.reason
        shown: dict[str, Any] = {"correct": self.answer.value, "category": self.validator, "reason": reason}
        if self.variable is not None:
            shown["variable"] = self.variable
        if self.score is not None:
            shown["score"] = self.score
        for name, cause in (("cause", self.cause), ("loose_cause", self.loose_cause)):
            if cause is not None:
                shown[name] = cause.value
        return shown

    def walk(self) -> Iterator["Finding"]:
        """Yield this finding and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


_KEYS: Final = frozenset({"validator", "answer", "cause", "loose_cause", "reason", "variable", "children", "score"})


def parse_findings(raw: object, validators: ValidatorSpec) -> Finding | AuthorFault:
    """Read what the comparator answered.

    Args:
        raw: Decoded JSON.
        validators: The tree that was asked; there must be exactly one finding for each of its nodes.

    Raises:
        BadFindingsError: If a key, an answer, a cause, a name or a count is not as asked.
    """
    if isinstance(raw, Mapping) and raw.keys() == {"author_error"}:
        return _parse_fault(raw["author_error"])
    return _parse(raw, validators)


def _parse_fault(raw: object) -> AuthorFault:
    if not isinstance(raw, Mapping) or raw.keys() != {"what", "where", "fix"}:
        raise BadFindingsError("the comparator reported a malformed author's error")
    return AuthorFault(*(_text(raw[key]) for key in ("what", "where", "fix")))


def _parse(raw: object, asked: ValidatorSpec) -> Finding:
    finding, children = _parse_node(raw)
    if finding.validator != asked.name or finding.variable is not None:
        raise BadFindingsError(f"the comparator answered {finding.validator!r} where {asked.name!r} was asked")
    if asked.name == "namespace_check":
        below = tuple(_parse_variable(*pair) for pair in _paired(children, tuple(map(str, asked.options)), asked.name))
    else:
        below = tuple(_parse(*pair) for pair in _paired(children, asked.children, asked.name))
    has_score = is_graded(asked.name) and not asked.code
    if (finding.score is None) is has_score and asked.name != "judge":  # which may not have looked at it yet
        raise BadFindingsError(f"the comparator gives {asked.name!r} a score that it does not have, or none")
    whole = replace(finding, children=below)
    _require_combined(whole)
    return whole


def _parse_variable(raw: object, name: str) -> Finding:
    finding, children = _parse_node(raw)
    if finding.validator != "namespace_check" or finding.variable != name or children or finding.score is not None:
        raise BadFindingsError(f"the comparator did not answer for the variable {name!r}")
    return finding


def _paired(children: list[object], asked: tuple[Any, ...], name: str) -> list[tuple[object, Any]]:
    if len(children) != len(asked):
        raise BadFindingsError(f"{name!r} got {len(children)} findings instead of {len(asked)}")
    return list(zip(children, asked, strict=True))


def _parse_node(raw: object) -> tuple[Finding, list[object]]:
    if not isinstance(raw, Mapping) or raw.keys() != _KEYS or not isinstance(raw["children"], list):
        raise BadFindingsError("the comparator's finding does not have the agreed keys")
    try:
        answer = Answer(raw["answer"])
        causes = [None if raw[key] is None else Cause(raw[key]) for key in ("cause", "loose_cause")]
    except ValueError as error:
        raise BadFindingsError(f"the comparator's finding holds an unknown word: {error}") from error
    if answer is Answer.YES and any(causes):
        raise BadFindingsError("the comparator names a cause beside a yes")
    variable = None if raw["variable"] is None else _text(raw["variable"])
    score = _score(raw["score"])
    finding = Finding(
        _text(raw["validator"]), answer, _text(raw["reason"]), causes[0], causes[1], variable, score=score
    )
    return finding, raw["children"]


def _score(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        raise BadFindingsError("the comparator's finding holds a score that is none")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_REASON:
        raise BadFindingsError("the comparator's finding holds something else than a short text")
    return value


def _require_combined(finding: Finding) -> None:
    order = list(Answer)
    answers = [child.answer for child in finding.children]
    expected: Answer | None = None
    if finding.validator in ("and", "namespace_check"):
        expected = max(answers, key=order.index, default=Answer.YES)
    elif finding.validator == "or":
        expected = min(answers, key=order.index, default=Answer.NO)
    if expected is not None and finding.answer is not expected:
        raise BadFindingsError(f"{finding.validator!r} answers {finding.answer.value!r} against its parts")
