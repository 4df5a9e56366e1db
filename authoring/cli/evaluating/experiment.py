"""`benchwright experiment`: agents x benchmarks x policies from one file, forecast, run, resumed, in one table."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.cluster_options import (
    executor_option,
    refuse_no_cluster,
    refuse_odd_cluster,
    scheduler_option,
)
from authoring.cli.new_files import write_new
from authoring.cli.one_machine import refuse_one_machine_options
from authoring.cli.options import JsonOption
from authoring.cli.output import emit, note, print_diagnostics
from evaluator.errors import UsageError
from evaluator.experiments.adaptation import Changes
from evaluator.reporting.progress_bar import drawn_progress
from evaluator.running import Executor
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from evaluator.experiments.experiment_file import Experiment
    from evaluator.experiments.forecast import Forecast
    from evaluator.experiments.planned_runs import PlannedBenchmark
    from evaluator.experiments.results import ExperimentReport, RunResult

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="The experiment's YAML file, or the name of a shipped one.")
]
OutOption = Annotated[Path | None, typer.Option(help="Folder for the runs, instead of the file's `out`.")]
SmallOption = Annotated[bool, typer.Option("--small", help="Run on the benchmarks that the file names for a trial.")]
BenchmarkOption = Annotated[
    list[Path] | None,
    typer.Option("--benchmark", metavar="PATH", help="Run on this, instead of the file's; may be repeated."),
]
LimitOption = Annotated[int | None, typer.Option(help="Only the first N problems of each benchmark.")]
ModelOption = Annotated[str, typer.Option("--model", help="The model that all agents ask, instead of the file's.")]
JudgeOption = Annotated[str, typer.Option("--judge", help="A vision model for figures, instead of the file's.")]
LOG_EVERY_S = 30.0


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="Agents x benchmarks x policies from one file, in one table.", no_args_is_help=True)
    commands.command("list", help="List the experiments that are shipped: tables and figures of papers.")(list_all)
    commands.command("new", help="Write a copy of a shipped experiment, to be changed.")(new)
    commands.command("run", help="Forecast, then run what is not judged yet; the same command again resumes.")(run)
    commands.command("status", help="Tell how far each run is.")(status)
    commands.command("report", help="Show the table: rates, intervals, tokens, published rows.")(report)
    app.add_typer(commands, name="experiment")


def list_all(as_json: JsonOption = False) -> int:
    """List the shipped experiments, what each repeats, and what it needs."""
    from evaluator.experiments.shipped import shipped_experiments
    from evaluator.reporting.text_tables import text_table

    found = shipped_experiments()
    rows = [[each.name, each.content.about, ", ".join(_needed(each.missing)) or "-"] for each in found]
    ways = "\n".join(dict.fromkeys(f"- {way}" for each in found for way in each.needs))
    parts = [text_table(["experiment", "repeats", "needs"], rows, numbers_from=3)]
    parts += [f"How to get what is not here:\n{ways}"] if ways else []
    parts.append("Start one with 'benchwright experiment run NAME'; --small runs it on what is shipped.")
    emit({"experiments": [each.to_json() for each in found]}, as_json, "\n\n".join(parts))
    return 0


def _needed(missing: Sequence[str]) -> list[str]:
    return [name.rpartition("/")[2] for name in missing]


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of a shipped experiment.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A YAML file that is not there yet.")],
    as_json: JsonOption = False,
) -> int:
    """Copy a shipped experiment."""
    from evaluator.experiments.shipped import copy_of_shipped

    called, text = copy_of_shipped(name, file)
    write_new(file, text, fix="name a file that is not there yet")
    told = f"{file}: a copy of {name} called {called}; change it, then 'benchwright experiment run {file}'"
    emit({"name": name, "called": called, "file": str(file)}, as_json, told)
    return 0


def run(
    file: FileArgument,
    out: OutOption = None,
    small: SmallOption = False,
    benchmark: BenchmarkOption = None,
    limit: LimitOption = None,
    model: ModelOption = "",
    judge: JudgeOption = "",
    dry: Annotated[bool, typer.Option("--dry", help="Only check everything, and forecast.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to an experiment of many runs or requests.")] = False,
    record: Annotated[Path | None, typer.Option(help="Keep what models reply, in a folder for each agent.")] = None,
    recorded: Annotated[Path | None, typer.Option(help="Answer from what --record kept; no model is asked.")] = None,
    sandbox: Annotated[
        SandboxChoice, typer.Option(help="none is your consent to run code unprotected.")
    ] = SandboxChoice.AUTO,
    executor: Annotated[Executor, executor_option("Where problemsets are executed")] = Executor.LOCAL,
    scheduler: Annotated[str, scheduler_option("the file's `workers`")] = "",
    as_json: JsonOption = False,
) -> int:
    """Run an experiment; 0: all judged, 1: a problemset was refused, 3: something could not be judged."""
    from evaluator.experiments.cluster_execution import refuse_what_one_machine_does, run_experiment_on_cluster
    from evaluator.experiments.execution import check_agents, run_experiment
    from evaluator.experiments.forecast import forecast
    from evaluator.experiments.results import run_results

    if record is not None and recorded is not None:
        raise UsageError("--record and --recorded exclude one another", fix="leave out one of the two")
    changes = Changes(small, tuple(benchmark or ()), limit, model, judge)
    refuse_odd_cluster(executor, scheduler, 1)
    refuse_one_machine_options(executor, {"--record": record, "--recorded": recorded})
    experiment, planned = _read(file, changes, out, sandbox)
    if executor is Executor.DASK:
        refuse_what_one_machine_does(experiment, planned)
        refuse_no_cluster(scheduler)
    check_agents(experiment, planned, record=record, recorded=recorded)
    ahead = forecast(run_results(planned), asks=recorded is None)
    if dry:
        large = f"\n{_told_large(ahead)}: add --yes to start it" if ahead.is_large else ""
        emit({"name": experiment.name, **ahead.to_json()}, as_json, f"{ahead.to_text()}{large}")
        return 0
    note(ahead.to_text())
    if not yes:
        _refuse_large(ahead, file)
    work = (
        partial(run_experiment, record=record, recorded=recorded)
        if executor is Executor.LOCAL
        else partial(run_experiment_on_cluster, scheduler=scheduler)
    )
    with drawn_progress(log_every_s=LOG_EVERY_S) as draw:
        summaries = work(
            experiment,
            planned,
            on_event=lambda each, event: draw(event.done, event.total, f"{each.content.name} {event.problemset}"),
        )
    print_diagnostics(tuple(dict.fromkeys(each for summary in summaries for each in summary.diagnostics)))
    _show(experiment, planned, as_json=as_json)
    if any(summary.not_judged for summary in summaries):
        return 3
    return 1 if any(summary.refused for summary in summaries) else 0


def _refuse_large(ahead: "Forecast", file: Path) -> None:
    if ahead.is_large:
        raise UsageError(_told_large(ahead), where=str(file), fix="add --yes to start it all the same")


def _told_large(ahead: "Forecast") -> str:
    from evaluator.experiments.forecast import MANY_REQUESTS, MANY_RUNS

    least = ahead.requests.least
    requests = f" and at least {least:,.0f} requests to models" if least else ""
    most = f"at most {MANY_RUNS} runs and {MANY_REQUESTS:,} requests are started without --yes"
    return f"the experiment has {len(ahead.runs):,} runs{requests}; {most}"


def status(
    file: FileArgument,
    out: OutOption = None,
    small: SmallOption = False,
    benchmark: BenchmarkOption = None,
    limit: LimitOption = None,
    model: ModelOption = "",
    judge: JudgeOption = "",
    as_json: JsonOption = False,
) -> int:
    """Tell how far an experiment is, and what models have taken."""
    from evaluator.experiments.results import other_runs_told, run_results, spent_so_far
    from evaluator.reporting.text_tables import text_table

    changes = Changes(small, tuple(benchmark or ()), limit, model, judge)
    experiment, planned = _read(file, changes, out)
    results = run_results(planned, with_broken=True)
    rows = [
        [*each.run.titles, each.state, str(each.judged), str(each.not_judged), str(each.run.problems)]
        for each in results
    ]
    headers = ["benchmark", "agent", "policy", "state", "judged", "not judged", "problems"]
    spent = spent_so_far(planned)
    body = {
        "name": experiment.name,
        "runs": [each.to_json() for each in results],
        "spent": {"tokens": spent.tokens, "cost": spent.cost},
    }
    paid = f", {spent.cost:.2f} paid" if spent.cost else ""
    told = "\n".join(other_runs_told(results))
    parts = [text_table(headers, rows, numbers_from=4), told, f"used so far: {spent.tokens:,} tokens{paid}"]
    emit(body, as_json, "\n\n".join(filter(None, parts)))
    return _tell_broken(results)


def report(
    file: FileArgument,
    out: OutOption = None,
    small: SmallOption = False,
    benchmark: BenchmarkOption = None,
    limit: LimitOption = None,
    model: ModelOption = "",
    judge: JudgeOption = "",
    csv_file: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Also write the table there.")] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a self-contained page with its figures.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show the table of an experiment; runs that are not at their end show no rates."""
    changes = Changes(small, tuple(benchmark or ()), limit, model, judge)
    experiment, planned = _read(file, changes, out)
    return _tell_broken(_show(experiment, planned, csv_file, html, as_json=as_json).results)


def _tell_broken(results: Iterable["RunResult"]) -> int:
    """Name runs whose records cannot be read; 1 if there is one."""
    faults = [each.fault for each in results if each.fault is not None]
    for fault in faults:
        note(f"error: {fault.what}\n  where: {fault.where}\n  fix: {fault.fix}")
    return 1 if faults else 0


def _show(
    experiment: "Experiment",
    planned: Sequence["PlannedBenchmark"],
    csv_file: Path | None = None,
    html: Path | None = None,
    *,
    as_json: bool,
) -> "ExperimentReport":
    from evaluator.experiments.published_rows import rows_beside
    from evaluator.experiments.report_page import experiment_page
    from evaluator.experiments.results import experiment_report
    from evaluator.running import write_atomically

    published = rows_beside(experiment)
    found = experiment_report(experiment.name, planned, published, with_broken=True, about=experiment.about)
    if csv_file is not None:
        write_atomically(csv_file, [found.to_spreadsheet().encode("utf-8", "backslashreplace")])
    if html is not None:
        write_atomically(html, [experiment_page(found).encode("utf-8", "backslashreplace")])
    files = {"csv": None if csv_file is None else str(csv_file), "html": None if html is None else str(html)}
    emit({**found.to_json(), **files}, as_json, found.to_text())
    return found


def _read(
    file: Path, changes: Changes, out: Path | None, sandbox: SandboxChoice = SandboxChoice.AUTO
) -> tuple["Experiment", Sequence["PlannedBenchmark"]]:
    from evaluator.experiments.adaptation import adapted
    from evaluator.experiments.experiment_file import read_experiment
    from evaluator.experiments.planned_runs import plan_experiment
    from evaluator.experiments.published_rows import rows_beside
    from evaluator.experiments.shipped import experiment_file

    experiment = adapted(read_experiment(experiment_file(file)), changes)
    rows_beside(experiment)
    return experiment, plan_experiment(experiment, out=out, sandbox=sandbox)
