"""Comparing two values as an author wrote it: by matcher options, or by code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.inside.compare.identity import find_marker
from evaluator.inside.compare.match_model import (
    Answer,
    AuthorFaultError,
    Cause,
    Comparison,
    MatchOptions,
    Rules,
    read_match_options,
)
from evaluator.inside.compare.matchers import compare
from evaluator.inside.compare.published_tables import equals_itself
from evaluator.inside.compare.value_text import brief
from evaluator.inside.validators.author_code import CheckerResult, matched_ahead, run_checker
from evaluator.inside.validators.interface import require_comparable

FUNCTION = "compare_fn"


@dataclass(frozen=True)
class Comparer:
    """One comparison; for code there is no loose form."""

    where: str
    options: MatchOptions
    code: str | None = None

    def accepts_same(self, value: Any) -> bool:
        """Return whether a value that can be compared matches another one of the same bytes, so that none need look.

        By the sound rules each does, unless code decides. By the published ones NaN, for instance, is another one than
        itself, and what their options do to a value may fail.
        """
        if self.code is not None or self.options.equality:
            return False
        return self.options.sound or (self.options == MatchOptions(rules=self.options.rules) and equals_itself(value))

    def require_comparable(self, expected: Any) -> None:
        """Refuse a reference value that nothing could match.

        Raises:
            AuthorFaultError: If there is one.
        """
        if self.code is None:
            require_comparable(expected, self.options, where=self.where)
        elif (part := find_marker(expected)) is not None:
            fix = "make the value smaller, or check a part of it"
            raise AuthorFaultError(f"the reference's value is {brief(part)}", where=self.where, fix=fix)

    def compare(self, expected: Any, found: Any) -> Comparison:
        """Compare two values strictly and, by options, loosely."""
        if self.code is None:
            return compare(expected, found, self.options)
        if (part := find_marker(found)) is not None:
            return Comparison(Answer.NO, f"the found value is {brief(part)}", frozenset())
        said = run_checker(self.code, FUNCTION, (expected, found))
        return said_to_comparison(said)

    def matched_ahead(self, pairs: Sequence[tuple[Any, Any]]) -> frozenset[int]:
        """Return the places of pairs of which it is known, before they are compared, that an author's code says yes."""
        if self.code is None or any(find_marker(found) is not None for _, found in pairs):
            return frozenset()
        return matched_ahead(self.code, FUNCTION, pairs)


def said_to_comparison(said: CheckerResult) -> Comparison:
    """Return what an author's code said, as a comparison."""
    if said.failed:
        return Comparison(Answer.NO, said.reason, frozenset({Cause.CHECKER_FAILED}))
    causes = frozenset({Cause(said.cause)}) if said.cause is not None else frozenset[Cause]()
    if said.is_partial:
        return Comparison(Answer.PARTIAL, said.reason, causes)
    return Comparison(Answer.YES if said.matched else Answer.NO, said.reason, causes)


def read_comparer(raw: object, *, rules: Rules, where: str) -> Comparer:
    """Turn what stands in a problem file into a comparison.

    Args:
        raw: None, matcher options, code, or a mapping with the single key `compare_fn` around either.
        rules: The rule set that decides.
        where: Where the comparison stands below `validator`, such as "namespace_check.df".

    Raises:
        AuthorFaultError: If an option is unknown or has the wrong type.
    """
    if isinstance(raw, dict) and isinstance(raw.get(FUNCTION), str) and len(raw) == 1:
        raw = raw[FUNCTION]
    if isinstance(raw, str):
        return Comparer(where, MatchOptions(rules=rules), raw)
    return Comparer(where, read_match_options(raw, rules=rules, where=where))
