"""What happened within a run: subverdicts, attempts, verdict transitions, epochs, answers of validators."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from evaluator.reporting.summary import RunReport, summarise_run
from evaluator.running import Record
from evaluator.scoring import PassRates, pass_rates

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


@dataclass(frozen=True)
class Transition:
    """How a problem's verdict changed from one attempt to the next."""

    attempt: int  # the earlier one, counts from 1
    before: str
    after: str
    problems: int  # count, epochs counted apart

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"attempt": self.attempt, "from": self.before, "to": self.after, "problems": self.problems}


@dataclass(frozen=True)
class RunDetails:
    """A run looked at closely. Rates count the last attempt at each problem unless they say otherwise."""

    report: RunReport
    subverdicts: Mapping[tuple[str, str], int]  # (verdict, subverdict) -> problems, most frequent first
    by_attempt: Mapping[int, PassRates]  # after so many attempts: the last one up to it counts
    by_epoch: Mapping[int, PassRates]
    transitions: tuple[Transition, ...]

    @property
    def board(self) -> PassRates | None:
        """The rates to publish; None while anything is NOT_JUDGED, since rates over a part would flatter."""
        rates = self.report.total.rates
        return None if rates.not_judged or not rates.judged else rates

    def shown(self, rates: PassRates) -> PassRates:
        """Return rates as they may be shown: none while they are withheld."""
        return rates.withheld() if self.report.withheld else rates

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        board = self.board
        return {
            "board": None if board is None else board.to_json(),
            **self.report.to_json(),
            "subverdicts": [
                {"verdict": verdict, "subverdict": sub, "problems": number}
                for (verdict, sub), number in self.subverdicts.items()
            ],
            "by_attempt": {str(number): self.shown(rates).to_json() for number, rates in self.by_attempt.items()},
            "by_epoch": {str(number): self.shown(rates).to_json() for number, rates in self.by_epoch.items()},
            "transitions": [each.to_json() for each in self.transitions],
        }


def run_details(records: Sequence[Record]) -> RunDetails:
    """Look at the records of one run, one record per attempt."""
    chains: dict[tuple[str, int, int], list[Record]] = defaultdict(list)
    for record in records:
        chains[record.problemset, record.index, record.epoch].append(record)
    for chain in chains.values():
        chain.sort(key=lambda record: record.attempt)
    last = [chain[-1] for chain in chains.values()]
    subverdicts = Counter((record.verdict, record.subverdict) for record in last)
    most = max((record.attempt for record in records), default=0)
    epochs = sorted({record.epoch for record in last})
    return RunDetails(
        summarise_run(records),
        dict(sorted(subverdicts.items(), key=lambda entry: (-entry[1], entry[0]))),
        {number: pass_rates(_up_to(chain, number) for chain in chains.values()) for number in range(1, most + 1)},
        {epoch: pass_rates(record for record in last if record.epoch == epoch) for epoch in epochs},
        _transitions(list(chains.values())),
    )


def _up_to(chain: Sequence[Record], number: int) -> Record:
    return [record for record in chain if record.attempt <= number or record is chain[0]][-1]


def _transitions(chains: Sequence[Sequence[Record]]) -> tuple[Transition, ...]:
    counts = Counter((one.attempt, one.verdict, other.verdict) for chain in chains for one, other in pairwise(chain))
    return tuple(Transition(*key, number) for key, number in sorted(counts.items()))
