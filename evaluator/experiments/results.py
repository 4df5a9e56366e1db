"""What an experiment came to so far: how far each run is, and the one table of rates, tokens and published rows."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from statistics import NormalDist, fmean, variance
from typing import Any, Final

from evaluator.agents import is_recorded
from evaluator.errors import UsageError
from evaluator.experiments.planned_runs import PlannedBenchmark, PlannedRun
from evaluator.families.predicted_run import family_board
from evaluator.models import Spent
from evaluator.records import Record, last_records, read_records
from evaluator.registry import nearest_name
from evaluator.reporting.paired import CONFIDENCE, Interval, wilson_interval
from evaluator.reporting.spreadsheet import csv_text
from evaluator.reporting.text_tables import percent, text_table
from evaluator.running import RECORDS
from evaluator.scoring import PassRates, Verdict, last_attempts, pass_rates

PUBLISHED_FILE: Final = Path(__file__).with_name("published.yaml")


@dataclass(frozen=True)
class RunResult:
    """One run of an experiment as its folder tells it."""

    run: PlannedRun
    judged: int  # problems, in all epochs (count)
    not_judged: int
    rates: PassRates
    interval: Interval | None  # of the pass rate; None: nothing is judged
    tokens: tuple[float, float] | None  # of prompts and answers, a problem (mean); None: nobody told them
    cost: float | None  # of all problems; None: no price was known
    scores: Mapping[str, float | None] = field(default_factory=dict)  # of a family's metrics, fractions

    @property
    def state(self) -> str:
        """waiting, under way, not judged, or done."""
        if not self.judged + self.not_judged:
            return "waiting"
        if self.judged + self.not_judged < self.run.problems:
            return "under way"
        return "not judged" if self.not_judged else "done"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; rates are fractions, and null before all of the run is judged."""
        benchmark, agent, policy = self.run.titles
        rates = (self.rates if self.state == "done" else self.rates.withheld()).to_json()
        shown = self.state == "done" and self.interval is not None
        return {
            **{"benchmark": benchmark, "agent": agent, "policy": policy, "state": self.state},
            **{"problems": self.run.problems, "out": str(self.run.config.out)},
            **rates,
            "interval": list(self.interval) if shown and self.interval is not None else None,
            "tokens": None if self.tokens is None else {"prompt": self.tokens[0], "completion": self.tokens[1]},
            "cost": self.cost,
            "scores": dict(self.scores) if self.state == "done" else {},
        }


def run_results(planned: Iterable[PlannedBenchmark]) -> tuple[RunResult, ...]:
    """Read what each run's folder holds; a run without a folder is waiting.

    Raises:
        ContentError: If a line of its records is none.
    """
    return tuple(_result(run) for each in planned for run in each.runs)


def _result(run: PlannedRun) -> RunResult:
    path = run.config.out / RECORDS
    everything = list(last_records(read_records(path)).values()) if path.is_file() else []
    counted = list(last_attempts(everything))
    rates = pass_rates(counted)
    board = family_board(counted, {"mode": run.config.mode, "rules": run.config.rules or ""}) if counted else None
    scores = {} if board is None else {name: score["value"] for name, score in board.get("all", {}).items()}
    return RunResult(
        run,
        rates.judged,
        rates.not_judged,
        rates,
        rate_interval(counted),
        _tokens(everything),
        _cost(everything),
        scores,
    )


def rate_interval(records: Sequence[Record]) -> Interval | None:
    """Return where the pass rate lies with 95 % confidence: Wilson's interval, over epochs that of problems' means.

    Epochs of one problem are not independent, so of several the problems are what is sampled: the mean of their rates,
    and its standard error by the normal distribution.

    Args:
        records: One per problem and epoch: the attempt that counts.
    """
    solved: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for record in records:
        if record.verdict != Verdict.NOT_JUDGED:
            solved[record.problemset, record.index].append(record.verdict == Verdict.CORRECT)
    if all(len(each) == 1 for each in solved.values()):
        return wilson_interval(sum(each[0] for each in solved.values()), len(solved))
    means = [fmean(each) for each in solved.values()]
    if len(means) < 2:
        return None
    half = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * sqrt(variance(means) / len(means))
    return Interval(max(0.0, fmean(means) - half), min(1.0, fmean(means) + half))


def _tokens(records: Sequence[Record]) -> tuple[float, float] | None:
    """Return the mean tokens a problem, over all its attempts; problems of which nobody told any are no zeros."""
    told = [record for record in records if _number(record, "prompt_tokens") or _number(record, "completion_tokens")]
    problems = len({(record.problemset, record.index, record.epoch) for record in told})
    if not told:
        return None
    sums = [sum(_number(record, name) for record in told) for name in ("prompt_tokens", "completion_tokens")]
    return sums[0] / problems, sums[1] / problems


def _cost(records: Sequence[Record]) -> float | None:
    told = [_number(record, "cost") for record in records if "cost" in (record.agent_stats or {})]
    return sum(told) if told else None


def spent_before(planned: Iterable[PlannedBenchmark]) -> Spent:
    """Return what the records of earlier starts say that was taken of models; what agents merely report is not ours.

    What agents repeat that ask no model, from records or a cassette, was taken by somebody else.

    Raises:
        ContentError: If a line of a run's records is none.
    """
    tokens, cost = 0.0, 0.0
    for run in (run for each in planned for run in each.runs if not _repeats(run.config.agent)):
        path = run.config.out / RECORDS
        for record in last_records(read_records(path)).values() if path.is_file() else ():
            if (record.agent_stats or {}).get("usage_source") != "reported":
                tokens += _number(record, "prompt_tokens") + _number(record, "completion_tokens")
                cost += _number(record, "cost")
    return Spent(round(tokens), cost)


def _repeats(agent: str) -> bool:
    return agent.startswith("replay:") or is_recorded(agent)


def _number(record: Record, name: str) -> float:
    value = (record.agent_stats or {}).get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


@dataclass(frozen=True)
class PublishedRow:
    """A rate that somebody published; data, not measured here."""

    agent: str  # as an experiment's label names it
    benchmark: str
    policy: str  # empty: any
    correct: float  # fraction
    source: str


def published_rows(name: str) -> tuple[PublishedRow, ...]:
    """Return the published rows that an experiment names.

    Raises:
        UsageError: If there are none of that name.
    """
    import yaml

    blocks = yaml.safe_load(PUBLISHED_FILE.read_text(encoding="utf-8"))
    if name not in blocks:
        near = nearest_name(name, list(blocks))
        fix = f"use {near!r}" if near else f"use one of {', '.join(blocks)}"
        raise UsageError(f"there are no published rows called {name!r}", where="published", fix=fix)
    block = blocks[name]
    return tuple(
        PublishedRow(
            str(row["agent"]),
            str(row["benchmark"]),
            str(row.get("policy", "")),
            float(row["correct"]) / 100,
            str(block["source"]),
        )
        for row in block["rows"]
    )


@dataclass(frozen=True)
class ExperimentReport:
    """The table of an experiment."""

    name: str
    results: tuple[RunResult, ...]
    published: tuple[PublishedRow, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether all runs are judged to their end."""
        return all(result.state == "done" for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; rates are fractions."""
        return {
            "name": self.name,
            "done": self.is_done,
            "runs": [{**each.to_json(), "published": self._published(each)} for each in self.results],
            "published_alone": [
                {"agent": row.agent, "benchmark": row.benchmark, "policy": row.policy, "correct": row.correct}
                for row in self.published
                if not any(_is_about(row, each) for each in self.results)
            ],
            "published_source": self.published[0].source if self.published else None,
        }

    def to_text(self) -> str:
        """Return the table that a terminal shows, in percent."""
        headers = ["benchmark", "agent", "policy", "n", "correct", "95 % interval", "w/o intact", "w/o PE", "w/o both"]
        metrics = list(dict.fromkeys(name for each in self.results for name in each.scores))
        has_tokens = any(each.tokens for each in self.results)
        headers += [*metrics, *(["tokens"] if has_tokens else []), *(["published"] if self.published else [])]
        rows = [self._row(each, metrics, has_tokens=has_tokens) for each in self.results]
        parts = [text_table(headers, rows, numbers_from=3)]
        waiting = [each for each in self.results if each.state != "done"]
        if waiting:
            parts.append(f"{len(waiting)} of {len(self.results)} runs are not at their end; they show no rates")
        if self.published:
            parts.append(f"published: {self.published[0].source}; data, not measured here")
        return "\n\n".join(parts)

    def to_spreadsheet(self) -> str:
        """Return the table for a spreadsheet; rates are fractions."""
        metrics = list(dict.fromkeys(name for each in self.results for name in each.scores))
        headers = ["benchmark", "agent", "policy", "state", "problems", "judged", "not_judged", "pass_rate"]
        headers += ["interval_low", "interval_high", "without_intact", "without_presentation", "without_both"]
        headers += ["prompt_tokens", "completion_tokens", "cost", *metrics, "published"]
        rows = []
        for result in self.results:
            told = result.to_json()
            low, high = told["interval"] or (None, None)
            tokens = told["tokens"] or {"prompt": None, "completion": None}
            cells = [*(told[name] for name in headers[:8]), low, high, *(told[name] for name in headers[10:13])]
            cells += [tokens["prompt"], tokens["completion"], told["cost"]]
            cells += [told["scores"].get(name) for name in metrics]
            rows.append(["" if cell is None else cell for cell in (*cells, self._published(result))])
        return csv_text(headers, rows)

    def _published(self, result: RunResult) -> float | None:
        return next((row.correct for row in self.published if _is_about(row, result)), None)

    def _row(self, result: RunResult, metrics: Sequence[str], *, has_tokens: bool) -> list[str]:
        benchmark, agent, policy = result.run.titles
        is_done = result.state == "done"
        rates = result.rates if is_done else result.rates.withheld()
        count = str(result.run.problems) if is_done else f"{result.judged}/{result.run.problems}"
        shown = result.interval if is_done else None
        cells = [benchmark, agent, policy, count, percent(rates.pass_rate)]
        cells.append(f"{100 * shown.low:.1f}-{100 * shown.high:.1f}" if shown is not None else "-")
        cells += map(percent, (rates.without_intact, rates.without_presentation, rates.without_both))
        cells += [percent(result.scores.get(name) if is_done else None) for name in metrics]
        if has_tokens:
            cells.append("-" if result.tokens is None else f"{result.tokens[0]:,.0f}+{result.tokens[1]:,.0f}")
        if self.published:
            cells.append(percent(self._published(result)))
        return cells


def _is_about(row: PublishedRow, result: RunResult) -> bool:
    benchmark, agent, policy = result.run.titles
    return (row.benchmark, row.agent) == (benchmark, agent) and row.policy in ("", policy)
