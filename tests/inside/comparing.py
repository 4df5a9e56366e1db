"""Comparisons under either rule set, for tests of the matchers."""

from typing import Any

from evaluator.inside.compare.match_model import Comparison, MatchOptions, Rules, first_cause, presentation_cause
from evaluator.inside.compare.matchers import compare


def sound(expected: Any, found: Any, **options: Any) -> Comparison:
    return compare(expected, found, MatchOptions(**options))


def published(expected: Any, found: Any, **options: Any) -> Comparison:
    return compare(expected, found, MatchOptions(rules=Rules.PUBLISHED, **options))


def says(comparison: Comparison) -> tuple[str, str | None]:
    """Return the answer, and the cause that counts."""
    is_partial = comparison.answer == "partial"
    cause = (presentation_cause if is_partial else first_cause)(comparison.causes)
    return comparison.answer.value, cause.value if cause else None
