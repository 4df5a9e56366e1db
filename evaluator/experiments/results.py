"""What an experiment came to so far: how far each run is, and the one table of rates, tokens and published rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from evaluator.agents import is_recorded
from evaluator.errors import ToolkitError
from evaluator.experiments.counted_records import all_attempts, counted_attempts, told_number
from evaluator.experiments.curves import Curve, pass_rate_curves
from evaluator.experiments.family_rows import experiment_board, family_scores
from evaluator.experiments.intervals import rate_interval
from evaluator.experiments.ledger import LEDGER, spent_by_ledger
from evaluator.experiments.losses import Loss, losses_text, policy_losses
from evaluator.experiments.output_folders import compared_with_folders
from evaluator.experiments.planned_runs import PlannedBenchmark, PlannedRun, experiment_folder
from evaluator.experiments.provenance import (
    AGENT_HEADERS,
    PLACES,
    agent_rows,
    facts_told,
    last_judged,
    legend_of,
    provenance,
)
from evaluator.experiments.published_rows import PublishedRow, published_rows
from evaluator.families.cibench.board import column_of
from evaluator.families.leaderboard import Leaderboard
from evaluator.models import Spent
from evaluator.records import Record
from evaluator.reporting.family_tables import leaderboard_text
from evaluator.reporting.paired import Interval
from evaluator.reporting.spreadsheet import csv_text
from evaluator.reporting.text_tables import percent, text_table
from evaluator.running import Policies
from evaluator.scoring import PassRates, last_attempts, pass_rates

__all__ = [
    "ExperimentReport",
    "PublishedRow",
    "RunResult",
    "experiment_report",
    "published_rows",
    "rate_interval",
    "run_results",
    "spent_before",
    "spent_so_far",
]


@dataclass(frozen=True)
class RunResult:
    """One run of an experiment as its folder tells it."""

    run: PlannedRun
    judged: int  # problems, in all epochs (count)
    not_judged: int
    rates: PassRates
    interval: Interval | None  # of the pass rate; None: nothing is judged
    tokens: tuple[float, float] | None  # of prompts and answers, a problem (mean); None: nobody told them
    attempt_tokens: tuple[float, float] | None  # the same, an attempt that took any (mean); None: none did
    cost: float | None  # of all problems; None: no price was known
    scores: Mapping[str, float | None] = field(default_factory=dict)  # of a family's metrics, fractions
    fault: ToolkitError | None = None  # why its records cannot be read; then it has no counts

    @property
    def state(self) -> str:
        """broken, another run, waiting, under way, not judged, or done."""
        if self.fault is not None:
            return "broken"
        if self.run.other:
            return "another run"
        if not self.judged + self.not_judged:
            return "waiting"
        if self.judged + self.not_judged < self.run.problems:
            return "under way"
        return "not judged" if self.not_judged else "done"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; rates are fractions, and null before all of the run is judged.

        Of a broken run the counts are null, and `fault` says what, where and fix. Where the folder holds another run,
        `difference` says in what.
        """
        benchmark, agent, policy = self.run.titles
        rates = (self.rates if self.state == "done" else self.rates.withheld()).to_json()
        shown = self.state == "done" and self.interval is not None
        if self.fault is not None:
            told = {"what": self.fault.what, "where": self.fault.where, "fix": self.fault.fix}
            rates |= {"judged": None, "not_judged": None, "fault": told}
        return {
            **{"benchmark": benchmark, "agent": agent, "policy": policy, "state": self.state},
            **{"problems": self.run.problems, "out": str(self.run.config.out), "difference": self.run.other or None},
            **rates,
            "interval": list(self.interval) if shown and self.interval is not None else None,
            "tokens": None if self.tokens is None else {"prompt": self.tokens[0], "completion": self.tokens[1]},
            "cost": self.cost,
            "scores": dict(self.scores) if self.state == "done" else {},
            "made_with": provenance(self.run),
        }


def run_results(
    planned: Iterable[PlannedBenchmark], *, with_broken: bool = False, with_files: bool = True
) -> tuple[RunResult, ...]:
    """Read what each run's folder holds; a run without a folder is waiting; another run is told.

    Args:
        planned: The runs.
        with_files: As `compared_with_folders` takes it.
        with_broken: Whether a run whose records cannot be read is a result that says so; else that is an error.

    Raises:
        ContentError: If a line of a run's records is none.
        ToolkitError: If they cannot be read.
    """
    return _results(compared_with_folders(planned, with_files=with_files), with_broken=with_broken)


def _results(compared: Iterable[PlannedBenchmark], *, with_broken: bool) -> tuple[RunResult, ...]:
    return tuple(_result(run, with_broken=with_broken) for each in compared for run in each.runs)


def _result(run: PlannedRun, *, with_broken: bool) -> RunResult:
    try:
        everything = counted_attempts(run)
    except ToolkitError as error:
        if not with_broken:
            raise
        return RunResult(run, 0, 0, pass_rates([]), None, tokens=None, attempt_tokens=None, cost=None, fault=error)
    counted = list(last_attempts(everything))
    rates = pass_rates(counted)
    return RunResult(
        run,
        rates.judged,
        rates.not_judged,
        rates,
        rate_interval(counted),
        mean_tokens(everything),
        mean_attempt_tokens(everything),
        whole_cost(everything),
        family_scores(run, counted),
    )


_TOKENS: Final = ("prompt_tokens", "completion_tokens")


def mean_tokens(records: Sequence[Record]) -> tuple[float, float] | None:
    """Return the mean tokens a problem, over all its attempts; where an attempt tells none, its problem is left out."""
    told = _told(records)
    return _tokens(told, among=len(set(map(_problem, told))))


def mean_attempt_tokens(records: Sequence[Record]) -> tuple[float, float] | None:
    """Return the mean tokens an attempt that took any, of the problems that `mean_tokens` counts.

    A program that failed before it asked its model tells nothing of what the next attempt takes.
    """
    asked = [record for record in _told(records) if any(_number(record, name) for name in _TOKENS)]
    return _tokens(asked, among=len(asked))


def _told(records: Sequence[Record]) -> list[Record]:
    """Return the attempts at problems all of whose attempts tell their tokens."""
    untold = {_problem(record) for record in records if not _tells(record, *_TOKENS)}
    return [record for record in records if _problem(record) not in untold]


def _tokens(told: Sequence[Record], *, among: int) -> tuple[float, float] | None:
    if not told:
        return None
    prompt, completion = (sum(_number(record, name) for record in told) / among for name in _TOKENS)
    return prompt, completion


def whole_cost(records: Sequence[Record]) -> float | None:
    """Return what all took (USD); None: nothing is known, or of some attempts that asked a model nothing."""
    told = [_number(record, "cost") for record in records if _tells(record, "cost")]
    asked = [record for record in records if any(_number(record, name) for name in ("calls", *_TOKENS))]
    return sum(told) if told and all(_tells(record, "cost") for record in asked) else None


def _tells(record: Record, *names: str) -> bool:
    return any(name in (record.agent_stats or {}) for name in names)


def _problem(record: Record) -> tuple[str, int, int]:
    return record.problemset, record.index, record.epoch


def spent_before(planned: Iterable[PlannedBenchmark]) -> Spent:
    """Return what the records of starts that kept no ledger say that models took.

    What agents merely report is not ours, and what agents repeat that ask no model was taken by somebody else.

    Raises:
        ContentError: If a line of a run's records is none.
    """
    tokens, cost = 0.0, 0.0
    for run in (run for each in planned for run in each.runs if not _repeats(run.config.agent)):
        for record in all_attempts(run):
            if (record.agent_stats or {}).get("usage_source") != "reported":
                tokens += _number(record, "prompt_tokens") + _number(record, "completion_tokens")
                cost += _number(record, "cost")
    return Spent(round(tokens), cost)


def spent_so_far(planned: Sequence[PlannedBenchmark]) -> Spent:
    """Return what models took in all starts of an experiment, by its ledger; without one by its records.

    Raises:
        ContentError: If a line of the ledger, or of a run's records, is none.
    """
    found = spent_by_ledger(experiment_folder(planned) / LEDGER)
    return spent_before(planned) if found is None else found


def _repeats(agent: str) -> bool:
    return agent.startswith("replay:") or is_recorded(agent)


def _number(record: Record, name: str) -> float:
    return told_number(record, name) or 0.0


@dataclass(frozen=True)
class ExperimentReport:
    """The table of an experiment, and what else is read out of its runs."""

    name: str
    results: tuple[RunResult, ...]
    published: tuple[PublishedRow, ...] = ()
    losses: tuple[Loss, ...] = ()
    curves: tuple[Curve, ...] = ()
    board: Leaderboard | None = None  # of CIBench or the Qwen benchmark, with the published rows where they are asked
    about: str = ""  # what it compares, in one line

    @property
    def runs(self) -> tuple[PlannedRun, ...]:
        """Its runs, as their folders were found."""
        return tuple(each.run for each in self.results)

    @property
    def is_done(self) -> bool:
        """Whether all runs are judged to their end."""
        return all(result.state == "done" for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; rates are fractions."""
        runs = []
        for each in self.results:
            row = self.published_row(each)
            told = {"published": None if row is None else row.correct}
            runs.append({**each.to_json(), **told, "published_row": None if row is None else row.to_json()})
        return {
            "name": self.name,
            "about": self.about,
            "done": self.is_done,
            "last_judged": last_judged(self.runs),
            "runs": runs,
            "published_alone": [
                row.to_json() for row in self.published if not any(_is_about(row, each) for each in self.results)
            ],
            "published_source": self.published[0].source if self.published else None,
            "losses": [each.to_json() for each in self.losses],
            "curves": [each.to_json() for each in self.curves],
            "board": None if self.board is None else self.board.to_json(),
        }

    def to_text(self) -> str:
        """Return the tables that a terminal shows, in percent."""
        headers, rows = self.table()
        parts = [text_table(headers, rows, numbers_from=3), *self.remarks()]
        if self.losses:
            parts.append(losses_text(self.losses))
        if self.curves:
            parts.append(text_table(*self.attempts_table(), numbers_from=3))
        if self.board is not None:
            parts.append(leaderboard_text(self.board.to_json()))
        agents = text_table(AGENT_HEADERS, agent_rows(self.runs), numbers_from=len(AGENT_HEADERS))
        return "\n\n".join(filter(None, (*parts, agents, facts_told(self.runs), legend_of(headers))))

    def remarks(self) -> list[str]:
        """Return what has to be known to read the table."""
        found = []
        broken = [each for each in self.results if each.fault is not None]
        if broken:
            found.append(f"the records of {len(broken)} of {len(self.results)} runs cannot be read; they show no rates")
        found += other_runs_told(self.results)
        waiting = [each for each in self.results if each.state not in ("done", "broken", "another run")]
        if waiting:
            found.append(f"{len(waiting)} of {len(self.results)} runs are not at their end; they show no rates")
        if self.published:
            found.append(f"published: {self.published[0].source}; data, not measured here")
        beside = [(row, each.run) for each in self.results if (row := self.published_row(each)) is not None]
        return [*found, *dict.fromkeys(told for row, run in beside if (told := _other_problems(row, run)))]

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return the headers and rows of the table as texts, in percent; a published row stands below ours."""
        headers = ["benchmark", "agent", "policy", "n", "correct", "95% interval", "w/o intact", "w/o PE", "w/o both"]
        metrics = list(dict.fromkeys(name for each in self.results for name in each.scores))
        has_tokens = any(each.tokens for each in self.results)
        headers += [*metrics, *(["tokens"] if has_tokens else [])]
        rows = []
        for each in self.results:
            rows.append(self._row(each, metrics, has_tokens=has_tokens))
            published = self.published_row(each)
            if published is not None:
                rows.append(_published_cells(published, each, metrics, has_tokens=has_tokens))
        return headers, rows

    def attempts_table(self) -> tuple[list[str], list[list[str]]]:
        """Return headers and rows of the pass rate after each attempt, in percent."""
        most = max((len(curve.attempts) for curve in self.curves), default=0)
        rows = []
        for curve in self.curves:
            rates = [percent(point.rate) for point in curve.attempts]
            rows.append([curve.benchmark, curve.agent, curve.policy, *rates, *["-"] * (most - len(rates))])
        return ["benchmark", "agent", "policy", *(f"after {k}" for k in range(1, most + 1))], rows

    def to_spreadsheet(self) -> str:
        """Return the table for a spreadsheet; rates are fractions."""
        metrics = list(dict.fromkeys(name for each in self.results for name in each.scores))
        headers = ["benchmark", "agent", "policy", "state", "problems", "judged", "not_judged", "pass_rate"]
        headers += ["interval_low", "interval_high", "without_intact", "without_presentation", "without_both"]
        headers += ["prompt_tokens", "completion_tokens", "cost", *metrics, "published"]
        has_rates = any(row.rates for row in self.published)
        beside = ["without_intact", "without_presentation", "without_both"] if has_rates else []
        of_board = metrics if any(row.scores for row in self.published) else []
        source = ["benchmark", "agent"] if self.published else []
        made_with = [*PLACES.values(), "last_judged", "out"]
        rows = []
        for result in self.results:
            told = result.to_json()
            low, high = told["interval"] or (None, None)
            tokens = told["tokens"] or {"prompt": None, "completion": None}
            cells = [*(told[name] for name in headers[:8]), low, high, *(told[name] for name in headers[10:13])]
            cells += [tokens["prompt"], tokens["completion"], told["cost"]]
            cells += [told["scores"].get(name) for name in metrics]
            row = self.published_row(result)
            cells.append(None if row is None else row.correct)
            cells += [None if row is None else getattr(row, name) for name in source]
            cells += [None if row is None else row.rates.get(name) for name in beside]
            cells += [None if row is None else _published_score(row, result, name) for name in of_board]
            told |= {**(told["made_with"] or {}), "last_judged": last_judged([result.run])}
            cells += [told.get(name) for name in made_with]
            rows.append(["" if cell is None else cell for cell in cells])
        return csv_text([*headers, *(f"published_{name}" for name in (*source, *beside, *of_board)), *made_with], rows)

    def published_row(self, result: RunResult) -> PublishedRow | None:
        """Return the published row that a run repeats; None: there is none."""
        return next((row for row in self.published if _is_about(row, result)), None)

    def _row(self, result: RunResult, metrics: Sequence[str], *, has_tokens: bool) -> list[str]:
        benchmark, agent, policy = result.run.titles
        is_done = result.state == "done"
        rates = result.rates if is_done else result.rates.withheld()
        count = str(result.run.problems) if is_done else f"{result.judged}/{result.run.problems}"
        count = result.state if result.state in ("broken", "another run") else count
        shown = result.interval if is_done else None
        cells = [benchmark, agent, policy, count, percent(rates.pass_rate)]
        cells.append(f"{100 * shown.low:.1f}-{100 * shown.high:.1f}" if shown is not None else "-")
        cells += map(percent, (rates.without_intact, rates.without_presentation, rates.without_both))
        cells += [percent(result.scores.get(name) if is_done else None) for name in metrics]
        if has_tokens:
            cells.append(_shown_tokens(result.tokens))
        return cells


def experiment_report(
    name: str,
    planned: Sequence[PlannedBenchmark],
    published: tuple[PublishedRow, ...] = (),
    *,
    about: str = "",
    with_broken: bool = False,
    with_files: bool = True,
) -> ExperimentReport:
    """Read all that the runs of an experiment tell.

    Args:
        name: The experiment's.
        planned: Its runs.
        published: Rows that stand beside ours.
        about: What it compares, in one line.
        with_broken: As `run_results` takes it.
        with_files: As `run_results` takes it.

    Raises:
        ToolkitError: As `run_results`.
    """
    compared = compared_with_folders(planned, with_files=with_files)
    results = _results(compared, with_broken=with_broken)
    with_published = any(row.scores for row in published)
    is_of_family = any(each.scores for each in results)  # else no run is read again for a board that there is not
    return ExperimentReport(
        name,
        results,
        published,
        policy_losses(compared),
        pass_rate_curves(compared),
        experiment_board(compared, with_published=with_published) if is_of_family else None,
        about,
    )


MOST_OTHERS: Final = 5
"""Runs of others that are told one by one."""


def other_runs_told(results: Sequence[RunResult]) -> list[str]:
    """Return which folders hold another run than what is asked for, and in what it differs, a remark each."""
    others = [each.run for each in results if each.run.other]
    if not others:
        return []
    told = [f"{', '.join(run.titles)}: another run lies in {run.config.out}: {run.other}" for run in others]
    more = [f"and {len(others) - MOST_OTHERS} more"] if len(others) > MOST_OTHERS else []
    head = f"{len(others)} of {len(results)} folders hold another run than what is asked for, which shows no rates here"
    return [f"{head}; 'benchwright report FOLDER' shows it", *told[:MOST_OTHERS], *more]


def _other_problems(row: PublishedRow, run: PlannedRun) -> str:
    """Return of which problems a published row is, where they are not ours, or may not be; empty: they are ours."""
    asked = run.problems // run.config.epochs
    ours = f"{run.titles[0]} here has {asked} {'problem' if asked == 1 else 'problems'}"
    if row.problems is None:  # of a board, which does not tell how many they are
        return f"published rows are of the whole {row.benchmark}; {ours}: compare them only where these are the same"
    is_part = run.config.limit is not None or run.config.sets or asked != row.problems
    return f"published rates are of all {row.problems} problems of {row.benchmark}; {ours}" if is_part else ""


def _published_cells(row: PublishedRow, result: RunResult, metrics: Sequence[str], *, has_tokens: bool) -> list[str]:
    """Return a published row below ours; what it does not tell is a dash."""
    count = "-" if row.problems is None else str(row.problems)
    rates = [row.rates.get(name) for name in ("without_intact", "without_presentation", "without_both")]
    cells = [row.benchmark, row.agent, "published", count, percent(row.correct), "-", *map(percent, rates)]
    cells += [percent(_published_score(row, result, name)) for name in metrics]
    return [*cells, _shown_tokens(row.tokens)] if has_tokens else cells


def _shown_tokens(tokens: tuple[float, float] | None) -> str:
    return "-" if tokens is None else f"{tokens[0]:,.0f}+{tokens[1]:,.0f}"


def _published_score(row: PublishedRow, result: RunResult, metric: str) -> float | None:
    """Return what a row of a board says of a metric in the mode of a run; None: it has no such column."""
    return row.scores.get(column_of(metric, result.run.config.mode))


def _is_about(row: PublishedRow, result: RunResult) -> bool:
    """Return whether a run repeats a row: of DSEval those are of one attempt in the context of the reference."""
    benchmark, agent, policy = result.run.titles
    if row.agent not in (agent, result.run.agent.published):
        return False
    if row.scores:
        return bool(result.scores)
    config = result.run.config
    is_usual = config.policies == Policies() and config.max_attempts == 1 and not config.mode
    return row.benchmark == benchmark and (row.policy == policy if row.policy else is_usual)
