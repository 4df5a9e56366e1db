"""`benchwright compare`: two runs problem by problem."""

from pathlib import Path
from typing import Annotated

import typer

from authoring.cli.options import JsonOption
from authoring.cli.output import emit


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare", help="Compare two runs: who solved what, paired statistics, rates by problemset.")(compare)


def compare(
    first: Annotated[Path, typer.Argument(help="The folder of a run, or a file of result records.")],
    second: Annotated[Path, typer.Argument(help="The same of another run.")],
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write every problem with both verdicts.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Compare two runs; 0 whatever the verdicts."""
    from evaluator.reporting import compare_runs, comparison_csv, read_run
    from evaluator.running import write_atomically

    found = compare_runs(read_run(first), read_run(second))
    if csv is not None:
        write_atomically(csv, [comparison_csv(found.problems).encode("utf-8", "backslashreplace")])
    emit(found.to_json() | {"csv": None if csv is None else str(csv)}, as_json, found.to_text())
    return 0
