"""Judging one submission: from two decoded outcomes and a tree of validators to a tree of findings."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.inside.compare.match_model import AuthorFaultError, Rules
from evaluator.inside.validators.basic import CHECKS, PROBE_CHECKS, best, worst
from evaluator.inside.validators.graded import PASS_AT, check_graded
from evaluator.inside.validators.interface import Case, Grade, InsideFinding
from evaluator.inside.validators.own import check_own


def judge(
    reference: DecodedOutcome,
    submission: DecodedOutcome,
    validators: Mapping[str, Any],
    *,
    rules: str = "sound",
    protected: frozenset[str] | None = None,
    grades: tuple[Grade, ...] = (),
    is_recorded: bool = False,
) -> dict[str, Any]:
    """Compare a submission with the reference.

    Args:
        reference: What the reference code left behind.
        submission: What the submission left behind; hostile, but data.
        validators: The tree as `{"name", "options", "children"}`, canonical names, templates merged; a benchmark's own
            validators have their `code`, too.
        rules: "sound" or "published".
        protected: The names that the submission's author did not make; None for all that its code found.
        grades: One per graded validator, in the order of the tree.
        is_recorded: Whether they come of stored outputs instead of what the reference showed.

    Returns:
        The findings tree, one node per validator: `validator`, `answer` (yes, partial, no), `cause` and `loose_cause`
        (or None), `reason`, `variable` (or None), `children`, `score` (or None). Where the problem itself is wrong,
        instead `{"author_error": {"what", "where", "fix"}}`.
    """
    try:
        if reference.ending not in ("ok", "error"):
            fix = "make the reference run within the problem's limits"
            raise AuthorFaultError(f"the reference ended as {reference.ending!r}", where="reference code", fix=fix)
        case = Case(reference, submission, _read_rules(rules), protected, grades, is_recorded)
        return _find(case, validators, _Numbers(itertools.count(), itertools.count())).to_json()
    except AuthorFaultError as fault:
        return {"author_error": fault.to_json()}


def _read_rules(rules: str) -> Rules:
    try:
        return Rules(rules)
    except ValueError as error:
        raise AuthorFaultError(f"there is no rule set {rules!r}", fix="use sound or published") from error


class _Numbers(NamedTuple):
    """How many validators before read a probe, and how many are graded."""

    probes: Iterator[int]
    grades: Iterator[int]


def _find(case: Case, spec: Mapping[str, Any], numbers: _Numbers) -> InsideFinding:
    """Answer for a validator and all below it."""
    name = str(spec.get("name"))
    children = spec.get("children") or ()
    if name in ("and", "or"):
        findings = tuple(_find(case, child, numbers) for child in children)
        return InsideFinding(name, worst(findings) if name == "and" else best(findings), children=findings)
    if spec.get("code"):
        return check_own(case, spec)
    if name in PROBE_CHECKS:
        return PROBE_CHECKS[name](case, spec.get("options") or {}, next(numbers.probes))
    if name in PASS_AT:
        return check_graded(name, case, spec.get("options") or {}, next(numbers.grades))
    if name not in CHECKS:
        raise AuthorFaultError(f"there is no validator {name!r}", where="validator", fix="remove it")
    return CHECKS[name](case, spec.get("options") or {})
