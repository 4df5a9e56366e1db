"""What agents lose between policies: to wrong code of their own in the history, and to a state of their own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluator.experiments.counted_records import judged_to_the_end
from evaluator.experiments.planned_runs import PlannedBenchmark, PlannedRun
from evaluator.records import Record
from evaluator.reporting.paired import PairedCounts, RateDifference, paired_difference
from evaluator.reporting.text_tables import text_table
from evaluator.running import HistoryPolicy, StatePolicy
from evaluator.scoring import Verdict, last_attempts

_Setting = tuple[StatePolicy, HistoryPolicy]
_SHOWN: Final = (StatePolicy.REFERENCE, HistoryPolicy.REFERENCE)
_OWN_HISTORY: Final = (StatePolicy.REFERENCE, HistoryPolicy.OWN)
_OWN_STATE: Final = (StatePolicy.OWN, HistoryPolicy.OWN)
LOSSES: Final[dict[str, tuple[_Setting, _Setting]]] = {
    "history": (_SHOWN, _OWN_HISTORY),
    "state": (_OWN_HISTORY, _OWN_STATE),
}
"""What is lost -> state and history with, and without it; DSEval calls the first error propagation."""


@dataclass(frozen=True)
class Loss:
    """One agent's loss on one benchmark, over the same problems and epochs under two policies."""

    benchmark: str
    agent: str
    what: str  # of `LOSSES`
    with_it: str  # what tables call the policies
    without: str
    counts: PairedCounts  # first: with it, second: without
    epochs: int

    @property
    def difference(self) -> RateDifference | None:
        """The first rate minus the second one, with Newcombe's interval for paired rates; None without problems."""
        found = paired_difference(self.counts)
        return None if found is None else RateDifference(0.0 - found.value, 0.0 - found.high, 0.0 - found.low)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; the interval is null over several epochs, which are not independent."""
        found = self.difference
        told = {"benchmark": self.benchmark, "agent": self.agent, "what": self.what}
        return {
            **told,
            "with": self.with_it,
            "without": self.without,
            "problems": self.counts.to_json(),
            "loss": None if found is None else found.value,
            "interval": None if found is None or self.epochs > 1 else [found.low, found.high],
        }


def policy_losses(planned: Iterable[PlannedBenchmark]) -> tuple[Loss, ...]:
    """Return the losses of every agent whose runs are at their end; none where no two policies tell one.

    Compared are policies that differ in nothing else: attempts, feedback, and how they stop.
    """
    found = []
    for benchmark in planned:
        for what, (first, second) in LOSSES.items():
            for one, other in _pairs(benchmark.runs, first, second):
                counts = _paired(one, other)
                if counts is not None:
                    name, agent, policy = one.titles
                    found.append(Loss(name, agent, what, policy, other.titles[2], counts, one.config.epochs))
    return tuple(found)


def losses_text(losses: Sequence[Loss]) -> str:
    """Return losses as a table for a terminal, in percent."""
    return text_table(LOSS_HEADERS, loss_rows(losses), numbers_from=5)


LOSS_HEADERS: Final = ("benchmark", "agent", "loss to", "with", "without", "n", "loss", "95% interval")


def loss_rows(losses: Sequence[Loss]) -> list[list[str]]:
    """Return a row of texts for each loss, below `LOSS_HEADERS`."""
    rows = []
    for loss in losses:
        told = loss.to_json()
        low_high = told["interval"]
        interval = "-" if low_high is None else " to ".join(f"{100 * each:.1f}" for each in low_high)
        shown = "-" if told["loss"] is None else f"{100 * told['loss']:.1f}"
        place = [loss.benchmark, loss.agent, loss.what, loss.with_it, loss.without]
        rows.append([*place, str(loss.counts.total), shown, interval])
    return rows


def _pairs(runs: Sequence[PlannedRun], first: _Setting, second: _Setting) -> Iterable[tuple[PlannedRun, PlannedRun]]:
    others: dict[tuple[object, ...], list[PlannedRun]] = {}
    for run in runs:
        if _setting(run) == second:
            others.setdefault(_rest(run), []).append(run)
    for run in runs:
        if _setting(run) == first:
            yield from ((run, other) for other in others.get(_rest(run), ()))


def _setting(run: PlannedRun) -> _Setting:
    return run.config.policies.state, run.config.policies.history


def _rest(run: PlannedRun) -> tuple[object, ...]:
    policies = run.config.policies
    told = (policies.feedback, policies.between_attempts, policies.stop)
    return (run.agent.title, *told, run.config.max_attempts, run.config.mode)


def _paired(one: PlannedRun, other: PlannedRun) -> PairedCounts | None:
    found = [judged_to_the_end(run) for run in (one, other)]
    if found[0] is None or found[1] is None:
        return None
    first, second = _verdicts(found[0]), _verdicts(found[1])
    return PairedCounts.of((first[key], second[key], 1) for key in first.keys() & second.keys())


def _verdicts(records: Sequence[Record]) -> dict[tuple[str, int, int], str]:
    return {
        (record.problemset, record.index, record.epoch): Verdict(record.verdict).value
        for record in last_attempts(records)
    }
