"""`benchwright experiment`: agents x benchmarks x policies from one file, forecast, run, resumed, in one table."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.options import JsonOption
from authoring.cli.output import emit, note, print_diagnostics
from evaluator.errors import UsageError
from evaluator.reporting.progress_bar import drawn_progress
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from evaluator.experiments.experiment_file import Experiment
    from evaluator.experiments.planned_runs import PlannedBenchmark

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The experiment's YAML file.")]
OutOption = Annotated[Path | None, typer.Option(help="Folder for the runs, instead of the file's `out`.")]
LOG_EVERY_S = 30.0


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="Agents x benchmarks x policies from one file, in one table.", no_args_is_help=True)
    commands.command("run", help="Forecast, then run what is not judged yet; the same command again resumes.")(run)
    commands.command("status", help="Tell how far each run is.")(status)
    commands.command("report", help="Show the table: rates, intervals, tokens, published rows.")(report)
    app.add_typer(commands, name="experiment")


def run(
    file: FileArgument,
    out: OutOption = None,
    dry: Annotated[bool, typer.Option("--dry", help="Only check everything, and forecast.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to an experiment of many runs or requests.")] = False,
    record: Annotated[Path | None, typer.Option(help="Keep what models reply, in a folder for each agent.")] = None,
    recorded: Annotated[Path | None, typer.Option(help="Answer from what --record kept; no model is asked.")] = None,
    sandbox: Annotated[
        SandboxChoice, typer.Option(help="none is your consent to run code unprotected.")
    ] = SandboxChoice.AUTO,
    as_json: JsonOption = False,
) -> int:
    """Run an experiment; 0: all judged, 1: a problemset was refused, 3: something could not be judged."""
    from evaluator.experiments.execution import check_agents, run_experiment
    from evaluator.experiments.forecast import forecast
    from evaluator.experiments.results import run_results

    if record is not None and recorded is not None:
        raise UsageError("--record and --recorded exclude one another", fix="leave out one of the two")
    experiment, planned = _read(file, out, sandbox)
    check_agents(experiment, planned, record=record, recorded=recorded)
    ahead = forecast(run_results(planned), asks=recorded is None)
    if dry:
        emit({"name": experiment.name, **ahead.to_json()}, as_json, ahead.to_text())
        return 0
    note(ahead.to_text())
    if ahead.is_large and not yes:
        what = f"the experiment has {len(ahead.runs):,} runs and {ahead.requests.least:,.0f} requests to models or more"
        raise UsageError(what, where=str(file), fix="add --yes if that is meant, or leave something out")
    with drawn_progress(log_every_s=LOG_EVERY_S) as draw:
        summaries = run_experiment(
            experiment,
            planned,
            record=record,
            recorded=recorded,
            on_event=lambda each, event: draw(event.done, event.total, f"{each.content.name} {event.problemset}"),
        )
    print_diagnostics(tuple(dict.fromkeys(each for summary in summaries for each in summary.diagnostics)))
    _show(experiment, planned, None, as_json=as_json)
    if any(summary.not_judged for summary in summaries):
        return 3
    return 1 if any(summary.refused for summary in summaries) else 0


def status(file: FileArgument, out: OutOption = None, as_json: JsonOption = False) -> int:
    """Tell how far an experiment is."""
    from evaluator.experiments.results import run_results
    from evaluator.reporting.text_tables import text_table

    experiment, planned = _read(file, out)
    results = run_results(planned)
    rows = [
        [*each.run.titles, each.state, str(each.judged), str(each.not_judged), str(each.run.problems)]
        for each in results
    ]
    headers = ["benchmark", "agent", "policy", "state", "judged", "not judged", "problems"]
    body = {"name": experiment.name, "runs": [each.to_json() for each in results]}
    emit(body, as_json, text_table(headers, rows, numbers_from=4))
    return 0


def report(
    file: FileArgument,
    out: OutOption = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Also write the table there.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Show the table of an experiment; runs that are not at their end show no rates."""
    experiment, planned = _read(file, out)
    _show(experiment, planned, csv_file, as_json=as_json)
    return 0


def _show(
    experiment: "Experiment", planned: Sequence["PlannedBenchmark"], csv_file: Path | None, *, as_json: bool
) -> None:
    from evaluator.experiments.results import ExperimentReport, published_rows, run_results
    from evaluator.running import write_atomically

    published = published_rows(experiment.published) if experiment.published else ()
    found = ExperimentReport(experiment.name, run_results(planned), published)
    if csv_file is not None:
        write_atomically(csv_file, [found.to_spreadsheet().encode("utf-8", "backslashreplace")])
    emit({**found.to_json(), "csv": None if csv_file is None else str(csv_file)}, as_json, found.to_text())


def _read(
    file: Path, out: Path | None, sandbox: SandboxChoice = SandboxChoice.AUTO
) -> tuple["Experiment", Sequence["PlannedBenchmark"]]:
    from evaluator.experiments.experiment_file import read_experiment
    from evaluator.experiments.planned_runs import plan_experiment
    from evaluator.experiments.results import published_rows

    experiment = read_experiment(file)
    if experiment.published:
        published_rows(experiment.published)
    return experiment, plan_experiment(experiment, out=out, sandbox=sandbox)
