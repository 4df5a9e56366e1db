"""What happened within a run: subverdicts, attempts, verdict transitions, epochs, answers of validators."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any, Final, NamedTuple

from evaluator.language.validators.schemas import VALIDATOR_SCHEMAS
from evaluator.reporting.agent_faults import AgentFaults, ToldAttempt, agent_faults
from evaluator.reporting.text_tables import percent, text_table
from evaluator.running.attempt_facts import order_of_attempt, problem_of_attempt
from evaluator.scoring import (
    AttemptRecord,
    PassRates,
    count_verdicts,
    last_attempts,
    pass_rates,
    rates_of_counts,
    why_withheld,
)


@dataclass(frozen=True)
class GroupSummary:
    """The records of one problemset, or of all."""

    name: str
    rates: PassRates
    verdicts: Mapping[str, int]  # verdict -> records (count), in catalogue order, no zeros

    @property
    def records(self) -> int:
        """All records of the group (count), NOT_JUDGED among them."""
        return self.rates.judged + self.rates.not_judged

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"name": self.name, **self.rates.to_json(), "verdicts": dict(self.verdicts)}


LEGEND: Final = (
    "w/o intact: changes of the user's variables are forgiven; w/o PE: errors of presentation are, the right value in "
    "another form"
)


@dataclass(frozen=True)
class RunReport:
    """A run at a glance."""

    total: GroupSummary
    by_set: tuple[GroupSummary, ...]  # in order of first appearance
    epochs: int = 1  # in which its problems were asked (count)

    @property
    def withheld(self) -> str:
        """Why no rate is shown; empty when they are."""
        return why_withheld(self.total.rates.not_judged)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; while anything is NOT_JUDGED every rate is null."""
        total, *groups = map(self.shown, [self.total, *self.by_set])
        return {
            "rates_withheld": self.withheld or None,
            "total": total.to_json(),
            "by_set": [group.to_json() for group in groups],
        }

    def shown(self, group: GroupSummary) -> GroupSummary:
        """Return a group as it may be shown: without rates while they are withheld."""
        return replace(group, rates=group.rates.withheld()) if self.withheld else group

    def to_text(self) -> str:
        """Return the two tables that a terminal shows: rates by problemset, then the verdicts of all."""
        if not self.total.records:
            return "no records"
        headers = ["problemset", "judged", "not judged", "pass rate", "w/o intact", "w/o PE", "w/o both"]
        groups = [*self.by_set, self.total] if len(self.by_set) > 1 else list(self.by_set)
        rates = text_table(headers, [_rates_row(self.shown(group)) for group in groups])
        counts = sorted(self.total.verdicts.items(), key=lambda entry: (-entry[1], entry[0]))
        verdicts = text_table(
            ["verdict", self.counted, "share"], [[name, str(n), self._share(n)] for name, n in counts]
        )
        return "\n\n".join(part for part in (self.withheld, rates, LEGEND, verdicts) if part)

    @property
    def counted(self) -> str:
        """What is counted: the last attempts at problems, in each epoch anew."""
        return "problems" if self.epochs == 1 else "problems, all epochs"

    def _share(self, records: int) -> str:
        return percent(None if self.withheld else records / self.total.records)


def _rates_row(group: GroupSummary) -> list[str]:
    rates = group.rates
    shares = (rates.pass_rate, rates.without_intact, rates.without_presentation, rates.without_both)
    return [group.name, str(rates.judged), str(rates.not_judged), *map(percent, shares)]


def summarise_run(records: Iterable[AttemptRecord]) -> RunReport:
    """Summarise the records of one run; of several attempts at a problem the last one counts."""
    counted = last_attempts(records)
    by_set: dict[str, list[AttemptRecord]] = defaultdict(list)
    for record in counted:
        by_set[record.problemset].append(record)
    groups = tuple(_summarise(name, group) for name, group in by_set.items())
    return RunReport(_summarise("all", counted), groups, epochs=len({record.epoch for record in counted}) or 1)


def _summarise(name: str, records: list[AttemptRecord]) -> GroupSummary:
    return GroupSummary(name, pass_rates(records), count_verdicts(records))


MAX_REASON_CHARS: Final = 20_000
_MAX_DEPTH: Final = 20
_MAX_CHILDREN: Final = 500


_CRASH: Final = "crash"
_RESULTS: Final = {"yes": "passed", "partial": "partly passed", "no": "failed"}


class ValidatorAnswer(NamedTuple):
    """One validator's answer. Hostile text: escape it."""

    name: str
    answer: str
    reason: str
    score: float | None = None  # of a graded validator, as the record holds it
    variable: str = ""  # that a part of `namespace_check` is about
    depth: int = 0  # levels below the first

    @property
    def title(self) -> str:
        """What was checked, so that `passed` and `failed` can stand beside it, with "- " before it for each level."""
        if self.variable:
            return "- " * (self.depth - 1) + f"{self.name} of {self.variable}"  # not as a part of the row above
        return "- " * self.depth + ("no crash" if self.name == _CRASH else self.name)  # `crash` looks for none

    @property
    def about(self) -> str:
        """What the validator looks at, in a few words; empty for one that is not ours."""
        if self.variable:
            return "what that variable holds after the cell"
        schema = VALIDATOR_SCHEMAS.get(self.name)
        return schema.summary if schema is not None else ""

    @property
    def result(self) -> str:
        """The answer in the words of tests: passed, partly passed, failed; any other as it is."""
        return _RESULTS.get(self.answer, self.answer)


def validator_answers(tree: Any) -> list[ValidatorAnswer]:
    """Return the answers of a record's `validation`, whatever stands in it; joints of the tree are left out."""
    return [
        ValidatorAnswer(
            str(each.get("category", "")),
            str(each.get("correct", "")),
            _reason(each),
            _score(each.get("score")),
            str(each.get("variable") or ""),
            max(0, depth - 1),
        )
        for depth, each in _walk(tree, 0)
        if not isinstance(each.get("reason"), list)
    ]


def _reason(finding: Mapping[str, Any]) -> str:
    reason = finding.get("reason")
    return "" if reason is None else str(reason)[:MAX_REASON_CHARS]


def _score(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number else None


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
    faults: AgentFaults = field(default_factory=AgentFaults)  # of the agent itself, at all attempts

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
            **self.faults.to_json(),
        }


def run_details(records: Sequence[ToldAttempt]) -> RunDetails:
    """Look at the attempts of one run, one record per attempt; records will do, or what counts of them."""
    sums = _Sums()
    for _, chain in groupby(sorted(records, key=order_of_attempt), key=problem_of_attempt):
        sums.add(list(chain))
    return RunDetails(
        summarise_run(records),
        dict(sorted(sums.subverdicts.items(), key=lambda entry: (-entry[1], entry[0]))),
        sums.by_attempt(),
        {epoch: rates_of_counts(sums.by_epoch[epoch]) for epoch in sorted(sums.by_epoch)},
        tuple(Transition(*key, number) for key, number in sorted(sums.transitions.items())),
        agent_faults(records),
    )


@dataclass(frozen=True)
class _Sums:
    """Counts over problems and epochs, each of them one chain of attempts."""

    subverdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_epoch: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    transitions: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    changes: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Attempt -> verdict -> problems more (or less) that have it as their last one up to that attempt."""

    def add(self, chain: Sequence[ToldAttempt]) -> None:
        """Count a chain, by attempt."""
        last = chain[-1]
        self.subverdicts[last.verdict, last.subverdict] += 1
        self.by_epoch[last.epoch][last.verdict] += 1
        self.changes[1][chain[0].verdict] += 1  # the first one counts from the beginning, whatever its number
        self.changes[last.attempt].update()
        for one, other in pairwise(chain):
            self.transitions[one.attempt, one.verdict, other.verdict] += 1
            self.changes[other.attempt][other.verdict] += 1
            self.changes[other.attempt][one.verdict] -= 1

    def by_attempt(self) -> dict[int, PassRates]:
        """Return the rates after so many attempts."""
        counts, found = Counter[str](), dict[int, PassRates]()
        for number in range(1, max(self.changes, default=0) + 1):
            counts.update(self.changes.get(number, {}))
            found[number] = rates_of_counts(counts)
        return found
