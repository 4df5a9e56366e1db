"""`benchwright import`: what was made elsewhere, taken in."""

from pathlib import Path
from typing import Annotated

import typer

from authoring.cli.options import JsonOption
from authoring.cli.rendering import emit, note, print_diagnostics
from evaluator.records import last_records, read_records
from evaluator.running import RECORDS, BadRecordsError, ImportedRun, import_results


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="Take in what was made elsewhere: result files.", no_args_is_help=True)
    commands.command("results", help="Turn a file of result records, DSEval's or ours, into a run folder.")(results)
    app.add_typer(commands, name="import")


def results(
    file: Annotated[Path, typer.Argument(help="Result records, one JSON object a line.")],
    out: Annotated[Path | None, typer.Option(help="Folder to write.  [default: runs/ and the file's name]")] = None,
    benchmark: Annotated[Path | None, typer.Option(help="What the records are about, to check them.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Import a file; 0: everything is in the folder, 1: lines are no records, each is named."""
    from evaluator.reporting import summarise_run

    try:
        imported = import_results(file, out or Path("runs") / file.stem, benchmark=benchmark)
    except BadRecordsError as error:
        print_diagnostics(error.diagnostics)
        raise
    print_diagnostics(imported.diagnostics)
    if imported.replaced:
        note(f"note: {imported.replaced} of {imported.records} records are replaced by later lines of the same attempt")
    if imported.cut:
        note("note: the last line is cut short and left out")
    found = last_records(read_records(imported.out / RECORDS))
    report = summarise_run(found[key] for key in sorted(found))
    emit(imported.to_json() | {"report": report.to_json()}, as_json, _text(imported, report.to_text()))
    return 0


def _text(imported: ImportedRun, report: str) -> str:
    heading = f"{imported.benchmark} {imported.version}, {imported.records} imported records"
    return f"{heading}\n\n{report}\n\nrecords: {imported.out / RECORDS}"
