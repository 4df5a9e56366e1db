"""`benchwright run`: an agent on a benchmark, judged, recorded, resumable."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from authoring.cli.options import EnvironmentOption, JsonOption
from authoring.cli.progress import drawn_progress
from authoring.cli.rendering import emit, note, print_diagnostics
from evaluator.language import Rules
from evaluator.running import (
    RECORDS,
    EventKind,
    RunConfig,
    RunEvent,
    RunSummary,
    last_records,
    read_records,
    run_benchmark,
)
from evaluator.session import SandboxChoice


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run", help="Run an agent on a benchmark and judge it. The same command again resumes a stopped run.")(
        run
    )


def run(
    benchmark: Annotated[Path, typer.Argument(help="A folder with _manifest.yaml, or one problemset file.")],
    agent: Annotated[str, typer.Option(help="oracle, empty or replay:FILE.")],
    out: Annotated[Path, typer.Option(help="Folder for records.jsonl and manifest.json.")],
    workers: Annotated[int, typer.Option(help="Problemsets worked on at once.")] = 1,
    limit: Annotated[int | None, typer.Option(help="Only the first N problems of all selected sets together.")] = None,
    sets: Annotated[str, typer.Option(metavar="NAME,...", help="Only these problemsets.")] = "",
    sandbox: Annotated[
        SandboxChoice, typer.Option(help="none is your consent to run code unprotected.")
    ] = SandboxChoice.AUTO,
    rng_seed: Annotated[int, typer.Option(help="Seeds the random states of every session.")] = 0,
    allow_mismatch: Annotated[
        bool, typer.Option("--allow-mismatch", help="Replay code whose problem has another query now.")
    ] = False,
    rules: Annotated[Rules | None, typer.Option(help="Judge by these rules, whatever the benchmark says.")] = None,
    environment: EnvironmentOption = None,
    as_json: JsonOption = False,
) -> int:
    """Run an agent; 0: all judged, 1: a problemset was refused, 3: something could not be judged."""
    names = tuple(name.strip() for name in sets.split(",") if name.strip())
    config = RunConfig(
        benchmark,
        agent,
        out,
        workers,
        limit,
        names,
        sandbox,
        rng_seed,
        rules=rules.value if rules is not None else None,
        allow_mismatch=allow_mismatch,
        environment=environment,
    )
    with _progress_bar() as on_event:
        summary = run_benchmark(config, on_event=on_event)
    print_diagnostics(summary.diagnostics)
    for remark in summary.notes:
        note(f"note: {remark}")
    emit(summary.to_json(), as_json, "" if as_json else summary_text(summary))
    return exit_code(summary)


def exit_code(summary: RunSummary) -> int:
    """Return 3 when something is NOT_JUDGED, else 1 when a problemset was refused, else 0 whatever the verdicts."""
    if summary.not_judged:
        return 3
    return 1 if summary.refused else 0


def summary_text(summary: RunSummary) -> str:
    """Return what people read after a run."""
    from evaluator.reporting import summarise_run

    records = summary.out / RECORDS
    found = last_records(read_records(records))
    report = summarise_run(found[key] for key in sorted(found))  # several workers write in any order
    lines = [f"{summary.benchmark} {summary.version}, agent {summary.agent}", "", report.to_text(), ""]
    if summary.refused:
        lines.append(f"refused: {', '.join(summary.refused)}")
    if summary.not_judged:
        lines.append(f"not judged: {summary.not_judged}; the same command tries them again")
    return "\n".join([*lines, f"records: {records}"])


@contextlib.contextmanager
def _progress_bar() -> Iterator[Callable[[RunEvent], None]]:
    with drawn_progress() as draw:
        yield lambda event: draw(event.done, event.total, _said(event))


def _said(event: RunEvent) -> str:
    return "" if event.kind is EventKind.STARTED else f"{event.problemset} {event.verdict or event.kind}"
