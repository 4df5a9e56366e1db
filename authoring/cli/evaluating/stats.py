"""`benchwright stats`: what a benchmark consists of."""

from pathlib import Path
from typing import Annotated

import typer

from authoring.cli.options import EnvironmentOption, JsonOption
from authoring.cli.output import emit, print_diagnostics
from evaluator.diagnostics import Severity
from evaluator.language import read_benchmark
from evaluator.session import SandboxChoice


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("stats", help="Count problems, difficulty, validators and dependencies; with --run, measure sessions.")(
        stats
    )


def stats(
    benchmark: Annotated[Path, typer.Argument(help="A folder with _manifest.yaml, or one problemset file.")],
    run: Annotated[
        bool, typer.Option("--run", help="Also execute the references: functions called, variables, bytes.")
    ] = False,
    by_set: Annotated[bool, typer.Option("--by-set", help="Also one line per problemset.")] = False,
    sandbox: Annotated[SandboxChoice, typer.Option(help="For --run.")] = SandboxChoice.AUTO,
    rng_seed: Annotated[int, typer.Option(help="For --run.")] = 0,
    environment: EnvironmentOption = None,
    as_json: JsonOption = False,
) -> int:
    """Describe a benchmark; 0: all of it, 1: some problemsets could not be read or executed."""
    from evaluator.reporting import benchmark_statistics, statistics_text
    from evaluator.running.checking.measuring import measure_benchmark

    read = read_benchmark(benchmark)
    print_diagnostics(each for each in read.diagnostics if each.severity is Severity.ERROR)
    found = benchmark_statistics(read)
    measured = None
    if run:
        from evaluator.environments import choose_environment

        used = choose_environment(environment, read)
        measured = measure_benchmark(read.sets, sandbox=sandbox, rng_seed=rng_seed, environment=used)
    result = found.to_json() | ({} if measured is None else {"measured": measured.to_json()})
    text = statistics_text(found, measured, by_set=by_set)
    failed = measured.failed if measured is not None else ()
    if failed:
        text += "\n\nnot executed to the end:\n" + "\n".join(failed)
    emit(result, as_json, text)
    return 1 if found.refused or failed else 0
