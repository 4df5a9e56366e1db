"""What all score boards are made of: a value with its denominator, and means over scored problems."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

K = TypeVar("K")
T = TypeVar("T")


@dataclass(frozen=True)
class Score:
    """A mean: `value` is a fraction, or None where nothing was counted or something of it could not be graded."""

    value: float | None
    n: float  # the denominator: problems, or a sum of weights
    not_graded: int = 0  # problems among them that could not be graded, by no fault of the agent (count)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        n = int(self.n) if self.n == int(self.n) else self.n
        return {"value": self.value, "n": n, **({"not_graded": self.not_graded} if self.not_graded else {})}


def mean(scores: Iterable[float | None]) -> Score:
    """Return the mean of the scores of problems; None among them makes it None, and never a smaller denominator."""
    every = list(scores)
    graded = [score for score in every if score is not None]
    if not every or len(graded) < len(every):
        return Score(None, len(every), len(every) - len(graded))
    return Score(sum(graded) / len(graded), len(every))


def weighted(parts: Iterable[tuple[Score, float]]) -> Score:
    """Return the mean of means by their weights; a part of weight 0 is skipped, one without a value makes it None."""
    counted = [(score, weight) for score, weight in parts if weight]
    total = sum(weight for _, weight in counted)
    values = [(score.value, weight) for score, weight in counted if score.value is not None]
    if not counted or len(values) < len(counted):
        return Score(None, total, sum(score.not_graded for score, _ in counted))
    return Score(sum(value * weight for value, weight in values) / total, total)


def grouped(items: Iterable[T], key: Callable[[T], K]) -> Mapping[K, Sequence[T]]:
    """Return items by their key, keys in the order of their first appearance."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
