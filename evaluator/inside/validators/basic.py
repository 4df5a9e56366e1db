"""The validators without children (dseal.md, section 3): each compares two outcomes and executes nothing."""

from collections.abc import Mapping
from typing import Any, Final

from evaluator.inside.codec.decode.decoded import ABSENT, NamespaceDiff
from evaluator.inside.compare.match_model import (
    Answer,
    AuthorFaultError,
    Cause,
    Rules,
    first_cause,
    presentation_cause,
)
from evaluator.inside.compare.value_text import brief, shown
from evaluator.inside.validators.crash import check_crash
from evaluator.inside.validators.interface import Case, Check, InsideFinding, ProbeCheck, refuse_options
from evaluator.inside.validators.model_scores import check_model
from evaluator.inside.validators.result import check_result
from evaluator.inside.validators.table_test import check_table
from evaluator.inside.validators.value_comparison import read_comparer


def check_stream(case: Case, raw_options: Mapping[str, Any]) -> InsideFinding:
    """Compare what was written to stdout and stderr, in order."""
    refuse_options("stream", raw_options)
    if not case.has_evidence:
        return InsideFinding("stream", Answer.NO, "the cell left no report")
    expected, found = ("".join(text for _, text in outcome.streams) for outcome in (case.reference, case.submission))
    if expected == found:
        return InsideFinding("stream", Answer.YES)
    return InsideFinding("stream", Answer.NO, f"expected the output {brief(expected)}, got {brief(found)}", Cause.VALUE)


def check_namespace(case: Case, raw_options: Mapping[str, Any]) -> InsideFinding:
    """Compare named variables after the cell; the worst answer counts."""
    children = tuple(_check_variable(case, str(name), raw) for name, raw in raw_options.items())
    if not children:
        raise AuthorFaultError("namespace_check names no variable", fix="name at least one variable under it")
    return InsideFinding("namespace_check", worst(children), children=children)


def _check_variable(case: Case, name: str, raw_options: object) -> InsideFinding:
    where = f"namespace_check.{name}"
    comparer = read_comparer(raw_options or None, rules=case.rules, where=where)
    expected = case.reference.variables.get(name, ABSENT)
    if expected is ABSENT:
        fix = "name a variable that the reference code makes"
        raise AuthorFaultError(f"the reference leaves no variable {name!r}", where=where, fix=fix)
    comparer.require_comparable(expected)

    def finding(answer: Answer, reason: str, cause: Cause | None = None, loose: Cause | None = None) -> InsideFinding:
        return InsideFinding("namespace_check", answer, reason, cause, loose, variable=name)

    found = case.submission.variables.get(name, ABSENT) if case.has_evidence else ABSENT
    if found is ABSENT:
        return finding(Answer.NO, f"there is no variable {name!r} after the cell")
    comparison = comparer.compare(expected, found)
    if comparison.answer is Answer.PARTIAL:
        cause = presentation_cause(comparison.causes)
        return finding(Answer.PARTIAL, f"{name}: {comparison.loosely}", cause)
    reason = f"{name}: {comparison.reason}" if comparison.reason else ""
    loose = first_cause(comparison.loose_causes or ())
    return finding(comparison.answer, reason, first_cause(comparison.causes), loose)


def worst(children: tuple[InsideFinding, ...]) -> Answer:
    """Return the worst answer of an `and`; yes when there are none."""
    return max((child.answer for child in children), key=list(Answer).index, default=Answer.YES)


def best(children: tuple[InsideFinding, ...]) -> Answer:
    """Return the best answer of an `or`; no when there are none."""
    return min((child.answer for child in children), key=list(Answer).index, default=Answer.NO)


_CHANGES: Final = ("addition", "update", "replacement", "deletion")
_MAX_SHOWN: Final = 20
_TREAT: Final = "treat_replacement_as_update"


def check_intact(case: Case, raw_options: Mapping[str, Any]) -> InsideFinding:
    """Refuse changes of the namespace that the reference did not make either (dseal.md, section 3.2)."""
    allowed, merged = _read_allowed_changes(raw_options)
    ours, theirs = (_changes(outcome.diff, merged, case.rules) for outcome in (case.reference, case.submission))
    if not case.has_evidence:
        return InsideFinding("namespace_intact", Answer.NO, "the cell left no report")
    if case.submission.diff.tampered:  # whatever the rules: it is no answer, and no published record is one
        changed = shown(", ".join(case.submission.diff.tampered), limit=200)
        return InsideFinding("namespace_intact", Answer.NO, f"the cell changed what reports it: {changed}")
    for change, names in theirs.items():
        allowance = allowed[change]
        granted = ours[change] if allowance is None else allowance
        for name in names:
            if _is_own(case, change, name):
                continue
            if granted is not True and (granted is False or name not in granted):
                reason = f"{change} of the variable {shown(repr(name), limit=80)} is not allowed"
                return InsideFinding("namespace_intact", Answer.NO, reason)
    return InsideFinding("namespace_intact", Answer.YES, _not_checked(case))


def _not_checked(case: Case) -> str:
    """Return what to say of variables of which not everything was looked at; the published rules look at less."""
    names = case.submission.diff.not_checked
    if case.rules is not Rules.SOUND or not names:
        return ""
    more = f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
    return f"not checked: {', '.join(shown(name, limit=80) for name in names[:_MAX_SHOWN])}{more}"


def _is_own(case: Case, change: str, name: str) -> bool:
    """Return whether a changed name was made by the submission's own author; the published rules know no such names."""
    if case.protected is None or case.rules is not Rules.SOUND or change == "addition":
        return False
    return name not in case.protected


def _changes(diff: NamespaceDiff, merged: bool, rules: Rules) -> dict[str, tuple[str, ...]]:
    replaced = (*diff.replaced, *diff.rebound_equal)
    # To the published rules an object that `==` says nothing about is updated by every cell: that cancels out.
    updated = (*diff.updated, *diff.touched) if rules is Rules.SOUND else _updated_as_published(diff)
    return {
        "addition": diff.added,
        "update": (*updated, *replaced) if merged else updated,
        "replacement": () if merged else replaced,
        "deletion": diff.deleted,
    }


def _updated_as_published(diff: NamespaceDiff) -> tuple[str, ...]:
    also = (name for name in diff.otherwise if name not in diff.updated)
    return (*(name for name in diff.updated if name not in diff.otherwise), *also)


def _read_allowed_changes(raw: Mapping[str, Any]) -> tuple[dict[str, bool | tuple[str, ...] | None], bool]:
    where = "namespace_intact"
    allowed: dict[str, bool | tuple[str, ...] | None] = dict.fromkeys(_CHANGES)
    allowed["addition"] = True
    for key, value in raw.items():
        if key not in (*_CHANGES, _TREAT):
            fix = f"use one of {', '.join((*_CHANGES, _TREAT))}"
            raise AuthorFaultError(f"there is no option {key!r}", where=where, fix=fix)
        if key != _TREAT and value is not None:
            allowed[key] = _read_allowance(key, value, where)
    merged = raw.get(_TREAT)
    if merged is None:
        return allowed, allowed["replacement"] is None
    if not isinstance(merged, bool) or (merged and allowed["replacement"] is not None):
        raise AuthorFaultError(f"{_TREAT} cannot stand beside replacement", where=where, fix="remove one of the two")
    return allowed, merged


def _read_allowance(key: str, value: object, where: str) -> bool | tuple[str, ...]:
    if isinstance(value, bool):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise AuthorFaultError(f"option {key!r} must be true, false or a list of names", where=where)


CHECKS: Final[Mapping[str, Check]] = {
    "crash": check_crash,
    "result": check_result,
    "namespace_check": check_namespace,
    "namespace_intact": check_intact,
    "stream": check_stream,
}
PROBE_CHECKS: Final[Mapping[str, ProbeCheck]] = {"table_test": check_table, "model": check_model}
