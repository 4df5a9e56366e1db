"""Two runs compared problem by problem: counts, paired statistics, rates by problemset."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple

from evaluator.reporting.finished_run import FinishedRun
from evaluator.reporting.paired import PairedCounts, RateDifference, mcnemar_exact, paired_difference
from evaluator.reporting.text_tables import percent, text_table
from evaluator.running.attempt_facts import AttemptFacts, problem_of_attempt
from evaluator.scoring import last_attempts

MUST_AGREE: Final = ("scoring_version", "rules")
"""Facts of a run without which its verdicts and those of another cannot be compared."""
MAX_CHANGED: Final = 20
"""Changed problems that a terminal shows."""
TOLD: Final = ("benchmark", "version", "environment", "engine", "policies", "max_attempts", "sandbox")
"""Facts that people want to know when they differ."""


class ComparedProblem(NamedTuple):
    """One problem in one epoch as two runs were judged on it."""

    problemset: str
    problem: int  # its number, from 1
    epoch: int
    first: str  # verdict of the first run
    second: str


@dataclass(frozen=True)
class PairedResult:
    """What two runs amount to on the problems of one problemset, or of all."""

    counts: PairedCounts
    withheld: str = ""  # why there are no rates; empty when there are

    @property
    def rates(self) -> tuple[float, float] | None:
        """The share that each run solved; None when withheld or without problems."""
        return None if self.withheld else self.counts.rates

    @property
    def difference(self) -> RateDifference | None:
        """The second rate minus the first; None when withheld or without problems."""
        return None if self.withheld else paired_difference(self.counts)

    @property
    def p_value(self) -> float | None:
        """McNemar's exact probability; None when withheld or without problems."""
        told = self.counts.total and not self.withheld
        return mcnemar_exact(self.counts.only_first, self.counts.only_second) if told else None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        rates = self.rates
        return {
            **self.counts.to_json(),
            "first_rate": rates[0] if rates else None,
            "second_rate": rates[1] if rates else None,
            "difference": self.difference._asdict() if self.difference else None,
            "p_value": self.p_value,
        }


@dataclass(frozen=True)
class RunComparison:
    """Two runs beside each other."""

    names: tuple[str, str]
    total: PairedResult
    by_set: Mapping[str, PairedResult]  # in order of name
    problems: tuple[ComparedProblem, ...]  # that both came to, with the same query
    alone: tuple[int, int]  # problems that only one of them came to (counts)
    other_query: int  # problems whose query differs between the runs: left out (count)
    not_judged: int  # problems that at least one of them could not be judged on: left out (count)
    differing: Mapping[str, tuple[str, str]]  # facts in which the runs differ

    @property
    def withheld(self) -> str:
        """Why no rates and statistics are shown; empty when they are."""
        return self.total.withheld

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "first": self.names[0],
            "second": self.names[1],
            "withheld": self.withheld or None,
            "total": self.total.to_json(),
            "by_set": {name: result.to_json() for name, result in self.by_set.items()},
            "only_in": list(self.alone),
            "other_query": self.other_query,
            "not_judged": self.not_judged,
            "differing": {name: list(values) for name, values in self.differing.items()},
            "problems": [each._asdict() for each in self.problems],
        }

    def to_text(self, *, csv: str = "--csv FILE") -> str:
        """Return what a terminal shows.

        Args:
            csv: What has the changed problems that are not shown: a file, or how to get one.
        """
        told = [f"{name.replace('_', ' ')} differs: {a}, {b}" for name, (a, b) in self.differing.items()]
        told += [text for text in self.left_out() if text]
        lines = [f"first: {self.names[0]}", f"second: {self.names[1]}", *(["", *told] if told else [])]
        headers = ["problemset", "both", "only first", "only second", "neither", "first", "second", "difference"]
        groups = [*self.by_set.items()] if len(self.by_set) > 1 else []
        rows = [_row(name, result) for name, result in [*groups, ("all", self.total)]]
        lines += ["", text_table(headers, rows), "", statistics_words(self.total)]
        changed = [each for each in self.problems if each.first != each.second]
        if changed:
            shown = changed[:MAX_CHANGED]
            table = [[each.problemset, f"{each.problem}", f"{each.epoch}", each.first, each.second] for each in shown]
            lines += ["", text_table(["changed", "problem", "epoch", "first", "second"], table)]
        if len(changed) > MAX_CHANGED:
            lines.append(f"… {len(changed) - MAX_CHANGED:,} more: {csv} has all")
        return "\n".join(lines)

    def left_out(self) -> tuple[str, str, str]:
        """Return in words what the counts leave out; empty texts for nothing."""
        return (
            "problems judged in one run only, left out: {:,} of the first, {:,} of the second".format(*self.alone)
            if any(self.alone)
            else "",
            f"with another query in the second run: {self.other_query:,}" if self.other_query else "",
            f"not judged in one of them: {self.not_judged:,}" if self.not_judged else "",
        )


def statistics_words(result: PairedResult, *, difference_of: str = "second minus first") -> str:
    """Return difference, interval and test in one sentence that begins with `difference_of`, or why there are none."""
    difference = result.difference
    if difference is None:
        return f"no rates: {result.withheld or 'the runs have no problem in common'}"
    told_apart = result.counts.only_first + result.counts.only_second
    return (
        f"{difference_of}: {100 * difference.value:+.1f} percentage points, 95% interval"
        f" {100 * difference.low:+.1f} to {100 * difference.high:+.1f} (Newcombe); McNemar's exact test on the"
        f" {told_apart:,} problems that only one solved: p = {result.p_value:.3g}"
    )


def _row(name: str, result: PairedResult) -> list[str]:
    rates = result.rates or (None, None)
    difference = result.difference
    shown = "-" if difference is None else f"{100 * difference.value:+.1f}"
    return [name, *map(str, result.counts), *map(percent, rates), shown]


def compare_runs(first: FinishedRun, second: FinishedRun) -> RunComparison:
    """Compare what counts of two runs: the last attempt at each problem in each epoch.

    Problems are the same when problemset, number, epoch and query are. Rates are withheld while any of them is
    NOT_JUDGED in either run, and when the runs were judged under different rules or scoring versions.
    """
    one, other = _last(first.attempts), _last(second.attempts)
    common = [key for key in one if key in other]
    same = [key for key in common if one[key].asked == other[key].asked]
    problems = tuple(sorted(ComparedProblem(*key, one[key].verdict, other[key].verdict) for key in same))
    differing = _differing(first, second)
    not_judged = sum("NOT_JUDGED" in (each.first, each.second) for each in problems)
    withheld = why_no_statistics(not_judged, differing)
    return RunComparison(
        names=(name_of(first), name_of(second)),
        total=PairedResult(_counts(problems), withheld),
        by_set={
            name: PairedResult(_counts(group), withheld)
            for name, group in groupby(problems, key=lambda each: each.problemset)  # they are in order
        },
        problems=problems,
        alone=(len(one) - len(common), len(other) - len(common)),
        other_query=len(common) - len(same),
        not_judged=not_judged,
        differing=differing,
    )


def why_no_statistics(not_judged: int, differing: Mapping[str, tuple[str, str]]) -> str:
    """Return why no rates of two runs may be compared; empty when they may."""
    for name in MUST_AGREE:
        if name in differing:
            return f"the runs were judged under another {name.replace('_', ' ')}: {' and '.join(differing[name])}"
    return f"{not_judged:,} problems are not judged in one of the runs: run it again first" if not_judged else ""


def name_of(run: FinishedRun) -> str:
    """Return what a run is called: agent and benchmark."""
    records = run.records[0] if run.records else None
    benchmark = run.manifest.get("benchmark") or (records.benchmark if records else "no records")
    version = run.manifest.get("version") or (records.version if records else "")
    return f"{run.manifest.get('agent', 'recorded results')} on {benchmark} {version}".strip()


def _counts(problems: Iterable[ComparedProblem]) -> PairedCounts:
    return PairedCounts.of((each.first, each.second, 1) for each in problems)


def _last(attempts: Iterable[AttemptFacts]) -> dict[tuple[str, int, int], AttemptFacts]:
    return {problem_of_attempt(each): each for each in last_attempts(attempts)}


def _differing(first: FinishedRun, second: FinishedRun) -> dict[str, tuple[str, str]]:
    facts = [facts_of(run) for run in (first, second)]
    return differing_facts(*facts)


def differing_facts(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the facts that both runs tell, and tell differently."""
    names = [name for name in (*MUST_AGREE, *TOLD) if first.get(name) and second.get(name)]
    return {name: (_said(first[name]), _said(second[name])) for name in names if first[name] != second[name]}


def facts_of(run: FinishedRun) -> dict[str, Any]:
    """Return what a run tells of itself: its manifest, and where that is silent its records."""
    record = run.records[0] if run.records else None
    told = {} if record is None else {name: getattr(record, name, None) for name in (*MUST_AGREE, *TOLD)}
    return {**told, **run.manifest} | {"scoring_version": _versions(run)}


def _versions(run: FinishedRun) -> str:
    return ", ".join(sorted({each.scoring_version for each in run.attempts} - {""}))


def _said(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {each}" for name, each in value.items() if each)
    return str(value)
