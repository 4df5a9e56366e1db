"""`benchwright leaderboard`: several runs of CIBench or the Qwen benchmark on one board, published rows beside them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.options import JsonOption
from authoring.cli.output import emit
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from evaluator.families.leaderboard import RunBoard


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
    from evaluator.reporting.spreadsheet import leaderboard_csv, read_columns
    from evaluator.running import write_atomically

    board = brought_together([_board_of(run) for run in runs], with_published=published)
    found = board.to_json()
    if against is not None:
        found["correlations"] = board.correlations(read_columns(against))
    if csv_file is not None:
        write_atomically(csv_file, [leaderboard_csv(found).encode("utf-8", "backslashreplace")])
    emit(found | {"csv": None if csv_file is None else str(csv_file)}, as_json, leaderboard_text(found))
    return 0


def _board_of(path: Path) -> "RunBoard":
    from evaluator.families.leaderboard import RunBoard
    from evaluator.families.predicted_run import family_board
    from evaluator.reporting import read_run
    from evaluator.reporting.uncounted import uncounted

    run = read_run(path)
    board = family_board(list(run.family_records), run.manifest)
    if board is None:
        what = "the run has no scores of CIBench or the Qwen benchmark"
        raise UsageError(what, where=str(path), fix="run the agent with --mode end-to-end, oracle or qwen")
    asked = {str(each["name"]): int(each["problems"]) for each in run.manifest.get("sets") or []}
    head = run.records[0]
    conditions = {
        "benchmark": f"{head.benchmark} {head.version}".strip(),
        "scoring version": ", ".join(sorted({each.scoring_version for each in run.attempts})),
        "problems": ", ".join(f"{name}: {count}" for name, count in sorted(asked.items())),
        "judge": str(run.manifest.get("judge") or ""),
    }
    agent = str(run.manifest.get("agent") or path.name)
    missing = uncounted(run)
    return RunBoard(str(path), agent, board, conditions, missing.problems, tuple(missing.refused))
