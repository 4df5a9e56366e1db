"""`benchwright leaderboard`: several runs of CIBench or the Qwen benchmark on one board, published rows beside them."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from authoring.cli.options import JsonOption
from authoring.cli.output import emit
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from evaluator.families.leaderboard import RunBoard

_MAX_BYTES: Final = 10_000_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("leaderboard", help="Show several runs of CIBench or the Qwen benchmark on one board.")(leaderboard)


def leaderboard(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs, or of imported results.")],
    published: Annotated[
        bool, typer.Option("--published", help="Add the published rows, which are of the published sets alone.")
    ] = False,
    against: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Correlate with another board: a column Model, and columns of scores."),
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the board with the published columns.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show a leaderboard; 0 whatever the scores."""
    from evaluator.families.leaderboard import leaderboard as brought_together
    from evaluator.reporting.family_tables import leaderboard_text
    from evaluator.reporting.spreadsheet import leaderboard_csv
    from evaluator.running import write_atomically

    board = brought_together([_board_of(run) for run in runs], with_published=published)
    found = board.to_json()
    if against is not None:
        found["correlations"] = board.correlations(_columns(against))
    if csv_file is not None:
        write_atomically(csv_file, [leaderboard_csv(found).encode("utf-8", "backslashreplace")])
    emit(found | {"csv": None if csv_file is None else str(csv_file)}, as_json, leaderboard_text(found))
    return 0


def _board_of(path: Path) -> "RunBoard":
    from evaluator.families.leaderboard import RunBoard
    from evaluator.families.predicted_run import family_board
    from evaluator.reporting import read_run
    from evaluator.scoring import last_attempts

    run = read_run(path)
    board = family_board(last_attempts(run.records), run.manifest)
    if board is None:
        what = "the run has no scores of CIBench or the Qwen benchmark"
        raise UsageError(what, where=str(path), fix="run the agent with --mode end-to-end, oracle or qwen")
    head = run.records[0]
    agent = str(run.manifest.get("agent") or path.name)
    return RunBoard(str(path), agent, f"{head.benchmark} {head.version}".strip(), board)


def _columns(path: Path) -> dict[str, dict[str, float]]:
    """Return the columns of numbers of a board in a file: column -> model -> score."""
    fix = "write a header line that begins with Model, then a line for each model"
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ContentError("the file is no board: it has more than 10 MB", where=str(path), fix=fix)
        rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except FileNotFoundError as error:
        raise UsageError("there is no such file", where=str(path), fix="name a CSV file") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ContentError(f"the file cannot be read: {error}", where=str(path), fix=fix) from error
    if len(rows) < 2 or rows[0][0].strip().lower() != "model":
        raise ContentError("the file is no board", where=str(path), fix=fix)
    found: dict[str, dict[str, float]] = {name: {} for name in rows[0][1:]}
    for row in rows[1:]:
        for name, cell in zip(rows[0][1:], row[1:], strict=False):
            try:
                found[name][row[0]] = float(cell)
            except ValueError:
                continue
    numbers = {name: column for name, column in found.items() if column}
    if not numbers:
        raise ContentError("the file has no column of numbers", where=str(path), fix=fix)
    return numbers
