"""Pass rate over attempts and over tokens: how repairing and asking anew compare at an equal number of either."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from evaluator.experiments.counted_records import judged_to_the_end, told_number
from evaluator.experiments.planned_runs import PlannedBenchmark
from evaluator.records import Record
from evaluator.scoring import Verdict

MOST_POINTS: Final = 60
"""Of a curve over tokens; of more, so many are kept, evenly, the first and the last among them."""


class Point(NamedTuple):
    """One point of a curve."""

    at: float  # attempts, or tokens, that each problem may take at most (count)
    rate: float  # problems and epochs that are CORRECT by then, a fraction of all


@dataclass(frozen=True)
class Curve:
    """How the pass rate of a run of several attempts grows."""

    benchmark: str
    agent: str
    policy: str
    problems: int  # in all epochs (count)
    attempts: tuple[Point, ...]
    tokens: tuple[Point, ...]  # of prompts and answers; empty: of some attempt nobody told them

    @property
    def title(self) -> str:
        """What a legend calls it within its benchmark."""
        return f"{self.agent}, {self.policy}"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; rates are fractions."""
        place = {"benchmark": self.benchmark, "agent": self.agent, "policy": self.policy, "problems": self.problems}
        return {**place, "attempts": [list(each) for each in self.attempts], "tokens": [list(e) for e in self.tokens]}


def pass_rate_curves(planned: Iterable[PlannedBenchmark]) -> tuple[Curve, ...]:
    """Return the curves of all runs of several attempts that are at their end."""
    found = []
    for run in (run for each in planned for run in each.runs if run.config.max_attempts > 1):
        records = judged_to_the_end(run)
        if records is not None:
            chains = _chains(records)
            by_attempt = _over_attempts(chains, run.config.max_attempts)
            found.append(Curve(*run.titles, len(chains), by_attempt, _over_tokens(chains)))
    return tuple(found)


def by_benchmark(curves: Sequence[Curve]) -> Mapping[str, Sequence[Curve]]:
    """Return curves in groups: those of one benchmark stand in one figure."""
    groups: dict[str, list[Curve]] = defaultdict(list)
    for curve in curves:
        groups[curve.benchmark].append(curve)
    return groups


def _chains(records: Sequence[Record]) -> list[list[Record]]:
    """Return the attempts at each problem in each epoch, in order."""
    chains: dict[tuple[str, int, int], list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda each: each.attempt):
        chains[record.problemset, record.index, record.epoch].append(record)
    return list(chains.values())


def _over_attempts(chains: Sequence[Sequence[Record]], most: int) -> tuple[Point, ...]:
    """Return the rate if attempts had ended after the first, second, ... one: the last one until then counts."""
    counts = [sum(_is_solved(chain[min(k, len(chain)) - 1]) for chain in chains) for k in range(1, most + 1)]
    return tuple(Point(k, count / len(chains)) for k, count in enumerate(counts, 1))


def _over_tokens(chains: Sequence[Sequence[Record]]) -> tuple[Point, ...]:
    """Return the rate if each problem had so many tokens: of its attempts that these pay for the last one counts."""
    changes: dict[float, int] = defaultdict(int)
    for chain in chains:
        taken, was_solved = 0.0, False
        for record in chain:
            told = [told_number(record, name) for name in ("prompt_tokens", "completion_tokens")]
            if any(each is None for each in told):
                return ()
            taken += sum(each or 0.0 for each in told)
            changes[taken] += _is_solved(record) - was_solved
            was_solved = _is_solved(record)
    points, solved = [], 0
    for tokens in sorted(changes):
        solved += changes[tokens]
        points.append(Point(tokens, solved / len(chains)))
    return tuple(_thinned(points))


def _thinned(points: Sequence[Point]) -> Sequence[Point]:
    if len(points) <= MOST_POINTS:
        return points
    step = (len(points) - 1) / (MOST_POINTS - 1)
    return [points[round(number * step)] for number in range(MOST_POINTS)]


def _is_solved(record: Record) -> bool:
    return record.verdict == Verdict.CORRECT
