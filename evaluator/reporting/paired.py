"""Two agents on the same problems, and all agents in order: how many each solved, and how sure the difference is."""

from collections.abc import Iterable, Mapping
from math import exp, fsum, lgamma, log, sqrt
from statistics import NormalDist
from typing import Any, Final, NamedTuple, Self


class MovedRank(NamedTuple):
    """One agent's place before and after; None: it has no rate there."""

    agent: str
    rate_before: float | None
    rank_before: int | None
    rate_after: float | None
    rank_after: int | None

    @property
    def moved(self) -> int | None:
        """How many places it rose (above 0) or fell among the agents that have both rates."""
        return None if self.rank_before is None or self.rank_after is None else self.rank_before - self.rank_after

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**self._asdict(), "moved": self.moved}


def ranks(rates: Mapping[str, float]) -> dict[str, int]:
    """Return agent -> place, from 1; agents with equal rates share the better place."""
    return {agent: 1 + sum(other > rate for other in rates.values()) for agent, rate in rates.items()}


def moved_ranks(before: Mapping[str, float], after: Mapping[str, float]) -> list[MovedRank]:
    """Return the agents by their later place, those without one last.

    Places are counted among the agents that have both rates, so that an agent that ran on one of them moves nobody.
    """
    both = before.keys() & after.keys()
    one = ranks({agent: before[agent] for agent in both})
    other = ranks({agent: after[agent] for agent in both})
    found = [
        MovedRank(agent, before.get(agent), one.get(agent), after.get(agent), other.get(agent))
        for agent in sorted({*before, *after})
    ]
    return sorted(found, key=lambda each: (each.rank_after is None, each.rank_after or 0, each.agent))


CONFIDENCE: Final = 0.95


class Interval(NamedTuple):
    """Two fractions in 0..1 between which the true rate lies with the stated confidence."""

    low: float
    high: float


def wilson_interval(successes: int, trials: int, *, confidence: float = CONFIDENCE) -> Interval | None:
    """Return Wilson's score interval of a rate; None without trials.

    It takes trials for independent. Problems of one problemset share data and state, so the truth is somewhat wider.

    Args:
        successes: Trials that succeeded (count, 0..trials).
        trials: All of them (count).
        confidence: A fraction in 0..1.

    Raises:
        ValueError: If a number is out of the bounds above.

    Source: Wilson 1927, Journal of the American Statistical Association 22, 209-212.
    """
    if not 0 <= successes <= trials or not 0 < confidence < 1:
        raise ValueError(f"need 0 <= successes <= trials and 0 < confidence < 1, got {successes=} {trials=}")
    if not trials:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, spread = successes / trials, z * z / trials
    middle = (rate + spread / 2) / (1 + spread)
    half = z * (rate * (1 - rate) / trials + spread / (4 * trials)) ** 0.5 / (1 + spread)
    # where all fail or succeed an end is 0 or 1 exactly, which rounding misses by 1e-17
    low = max(0.0, middle - half) if successes else 0.0
    high = min(1.0, middle + half) if successes < trials else 1.0
    return Interval(low, high)


class PairedCounts(NamedTuple):
    """Problems that two runs were judged on, by who solved them (counts)."""

    both: int = 0
    only_first: int = 0
    only_second: int = 0
    neither: int = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str, int]]) -> Self:
        """Return the counts of (first verdict, second verdict, problems); what is NOT_JUDGED in either is left out."""
        counts = [0, 0, 0, 0]
        for first, second, number in pairs:
            if "NOT_JUDGED" not in (first, second):
                counts[2 * (first != "CORRECT") + (second != "CORRECT")] += number
        return cls(*counts)

    @property
    def total(self) -> int:
        """All of them (count)."""
        return sum(self)

    @property
    def rates(self) -> tuple[float, float] | None:
        """The share that each run solved, in 0..1; None without problems."""
        total = self.total
        return ((self.both + self.only_first) / total, (self.both + self.only_second) / total) if total else None

    def to_json(self) -> dict[str, int]:
        """Return plain JSON values."""
        return {**self._asdict(), "total": self.total}


class RateDifference(NamedTuple):
    """The second run's rate minus the first one's, in -1..1, and where the true difference lies."""

    value: float
    low: float
    high: float


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Return how often a difference at least as large comes about by chance alone: McNemar's exact test, two-sided.

    Of the problems that exactly one run solved, each would be the first one's with probability one half. It takes
    problems for independent; those of one problemset share data and state, so the truth is somewhat larger.

    Args:
        only_first: Problems that only the first run solved (count).
        only_second: Problems that only the second run solved (count).

    Returns:
        A probability in 0..1; 1.0 when no problem tells them apart.

    Source: McNemar 1947, Psychometrika 12, 153-157; exact by the binomial distribution.
    """
    trials = only_first + only_second
    all_ways = trials * log(2)
    fewer = range(min(only_first, only_second) + 1)
    tail = fsum(exp(lgamma(trials + 1) - lgamma(n + 1) - lgamma(trials - n + 1) - all_ways) for n in fewer)
    return min(1.0, 2 * tail)


def paired_difference(counts: PairedCounts, *, confidence: float = CONFIDENCE) -> RateDifference | None:
    """Return the difference of two paired rates with Newcombe's interval; None without problems.

    Args:
        counts: Of the problems that both were judged on.
        confidence: A fraction in 0..1.

    Source: Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 10 (Wilson's intervals, corrected correlation).
    """
    total = counts.total
    if not total:
        return None
    second, first = counts.both + counts.only_second, counts.both + counts.only_first
    one, other = (
        wilson_interval(second, total, confidence=confidence),
        wilson_interval(first, total, confidence=confidence),
    )
    assert one is not None
    assert other is not None
    rate, base, phi = second / total, first / total, _correlation(counts)
    below = _spread(rate - one.low, other.high - base, phi)
    above = _spread(one.high - rate, base - other.low, phi)
    return RateDifference(rate - base, rate - base - below, rate - base + above)


def _spread(one: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def _correlation(counts: PairedCounts) -> float:
    both, only_first, only_second, neither = counts
    margins = (both + only_first) * (only_second + neither) * (both + only_second) * (only_first + neither)
    if not margins:
        return 0.0
    excess = float(both * neither - only_first * only_second)
    if excess > 0:
        excess = max(0.0, excess - counts.total / 2)  # a continuity correction
    return excess / sqrt(margins)
