"""What the runs of an experiment were made with, so that its table can be read without the folders of the runs."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from evaluator.experiments.planned_runs import PlannedRun
from evaluator.running import RECORDS

PLACES: Final = {
    "benchmark": "benchmark_name",
    "version": "benchmark_version",
    "rules": "rules",
    "scoring_version": "scoring_version",
    "epochs": "epochs",
    "rng_seed": "rng_seed",
    "judge": "judge",
    "agent": "agent_name",
    "agent_version": "agent_version",
    "agent_process": "agent_process",
    "environment": "environment",
    "sandbox": "sandbox",
}
"""What is told of a run's manifest -> what tables call it."""
_LEGEND: Final = (
    "n: problems, in all epochs; correct: percent of them; w/o intact: where changes of the user's variables are "
    "forgiven; w/o PE: where errors of presentation are, the right value in another form"
)
_TOKENS_LEGEND: Final = "; tokens: of prompts + answers, the mean of a problem with all its attempts"
_SHARED: Final = ("rules", "scoring_version", "epochs", "rng_seed", "judge", "environment", "sandbox")


def legend_of(headers: Sequence[str]) -> str:
    """Return what the columns of the table mean, of those that are there."""
    return _LEGEND + (_TOKENS_LEGEND if "tokens" in headers else "")


def provenance(run: PlannedRun) -> dict[str, Any] | None:
    """Return what a run was made with, plain JSON; None: it has not begun, or its folder holds another run."""
    if run.found is None or run.other:
        return None
    return {name: getattr(run.found, place) for place, name in PLACES.items()}


def last_judged(runs: Iterable[PlannedRun]) -> str | None:
    """Return when records of some runs were last written, in ISO 8601 (UTC, seconds); None: there are none."""
    times = []
    for run in runs:
        if provenance(run) is not None:
            try:
                times.append((run.config.out / RECORDS).stat().st_mtime)
            except OSError:
                continue  # it began, and nothing is judged yet
    return datetime.fromtimestamp(max(times), UTC).isoformat(timespec="seconds") if times else None


def facts_told(runs: Sequence[PlannedRun]) -> str:
    """Return in one line what runs share, or in what they differ: versions, rules, environment, and when they ran."""
    told = [each for run in runs if (each := provenance(run)) is not None]
    benchmarks = dict.fromkeys(f"{each['benchmark_name']} {each['benchmark_version']}" for each in told)
    facts = [f"benchmark {', '.join(benchmarks)}"] if told else []
    for name in _SHARED:
        values = [value for value in dict.fromkeys(str(each[name]) for each in told) if value]
        if values:
            facts.append(f"{name.replace('rng_seed', 'seed').replace('_', ' ')} {' and '.join(values)}")
    judged = last_judged(runs)
    return "; ".join([*facts, *([f"last judged {judged}"] if judged else [])])


AGENT_HEADERS: Final = ("agent", "ran as", "version", "in a process")


def agent_rows(runs: Sequence[PlannedRun]) -> list[list[str]]:
    """Return a row of texts for each agent, below `AGENT_HEADERS`: its full name, with model and options."""
    rows = []
    for run in runs:
        told = provenance(run)
        names = ("agent_name", "agent_version", "agent_process")
        rows.append([run.agent.title, *("-" if told is None else str(told[name]) or "-" for name in names)])
    found = [list(row) for row in dict.fromkeys(map(tuple, rows))]
    begun = {row[0] for row in found if row[1] != "-"}
    return [row for row in found if row[1] != "-" or row[0] not in begun]
