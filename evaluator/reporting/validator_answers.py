"""What each validator answered to a submission, out of the tree in its record."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

MAX_REASON_CHARS: Final = 20_000
_MAX_DEPTH: Final = 20
_MAX_CHILDREN: Final = 500


class ValidatorAnswer(NamedTuple):
    """One validator's answer. Hostile text: escape it."""

    name: str  # with "- " before it for each level below the first
    answer: str
    reason: str


def validator_answers(tree: Any) -> list[ValidatorAnswer]:
    """Return the answers of a record's `validation`, whatever stands in it; joints of the tree are left out."""
    return [
        ValidatorAnswer(
            "- " * max(0, depth - 1) + str(each.get("category", "")), str(each.get("correct", "")), _reason(each)
        )
        for depth, each in _walk(tree, 0)
        if not isinstance(each.get("reason"), list)
    ]


def _reason(finding: Mapping[str, Any]) -> str:
    reason = finding.get("reason")
    return "" if reason is None else str(reason)[:MAX_REASON_CHARS]


def _walk(tree: Any, depth: int) -> Iterable[tuple[int, dict[str, Any]]]:
    if not isinstance(tree, dict) or depth > _MAX_DEPTH:
        return
    yield depth, tree
    reason = tree.get("reason")
    for child in reason[:_MAX_CHILDREN] if isinstance(reason, list) else ():
        yield from _walk(child, depth + 1)
