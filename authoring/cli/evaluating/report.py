"""`benchwright report` and `compare`: a finished run as tables, JSON or one HTML page; two runs problem by problem."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from authoring.cli.options import JsonOption
from authoring.cli.output import emit
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.reporting.finished_run import FinishedRun


ERROR_MODES: Final = "error_modes.jsonl"
"""The file beside a run's records that keeps what a model said of its failures."""


class Weights(StrEnum):
    """How modules count in their set."""

    COUNTED = "counted"
    PUBLISHED = "published"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    _register_compare(app)
    app.command("report", help="Show what a run came to; with --html, write one page with every submission.")(report)


def report(
    run: Annotated[Path, typer.Argument(help="The folder that `run --out` wrote, or a file of result records.")],
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page that needs nothing else.")
    ] = None,
    benchmark: Annotated[
        Path | None, typer.Option(help="Where the benchmark lies now, for the reference code.")
    ] = None,
    weights: Annotated[
        Weights, typer.Option(help="How modules of CIBench count in their set: by their steps, or as published.")
    ] = Weights.COUNTED,
    published: Annotated[
        bool, typer.Option("--published", help="Show the published rows of CIBench or the Qwen benchmark beside it.")
    ] = False,
    error_modes: Annotated[
        str, typer.Option(metavar="MODEL", help="Ask a model how each failure of CIBench came about; replies are kept.")
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Report a run; 0 whatever the verdicts."""
    from evaluator.families.predicted_run import family_analyses, family_board
    from evaluator.families.published import published_boards
    from evaluator.reporting import read_run, run_details, run_text
    from evaluator.reporting.family_tables import analyses_text, board_text, published_text
    from evaluator.reporting.html_report import html_report_parts
    from evaluator.reporting.uncounted import uncounted
    from evaluator.running import write_atomically

    found = read_run(run, benchmark=benchmark)
    is_published = weights is Weights.PUBLISHED
    board = family_board(list(found.family_records), found.manifest, published_weights=is_published)
    if error_modes:
        _refuse_other_family(run, board)
    details = run_details(found.attempts)
    text = run_text(found, details)
    family: dict[str, Any] = {"family_board": None}
    if board is not None:
        rows = published_boards()[board["family"]].to_json()
        analyses = family_analyses(list(found.family_records))
        if error_modes:
            analyses["error_modes_by_model"] = _modes_by_model(found, error_modes)
        family = {"family_board": board, "family_analyses": analyses, "published": rows}
        parts = [board_text(board), analyses_text(analyses), published_text(rows, board) if published else ""]
        text = "\n\n".join(filter(None, (text, *parts)))
    if html is not None:
        write_atomically(html, (part.encode("utf-8", "backslashreplace") for part in html_report_parts(found)))
        text += f"\n\npage: {html}"
    emit(
        details.to_json()
        | family
        | {"uncounted": uncounted(found).to_json(), "run": str(run), "html": None if html is None else str(html)},
        as_json,
        text,
    )
    return 0


def _refuse_other_family(run: Path, board: "Mapping[str, Any] | None") -> None:
    """Refuse error modes of a run that is not CIBench's, before a model is asked about it."""
    family = None if board is None else board["family"]
    if family == "cibench":
        return
    whose = f"is a run of {family}" if family else "has no scores of CIBench"
    what = f"--error-modes are those of CIBench, and {str(run)!r} {whose}"
    fix = (
        "leave it out, or name a run of CIBench" if family else "leave it out, or run the agent with --mode end-to-end"
    )
    raise UsageError(what, where="--error-modes", fix=fix)


def _modes_by_model(run: "FinishedRun", model: str) -> dict[str, Any]:
    """Ask a model about the failures of a run, and keep its replies beside the records."""
    from evaluator.families.cibench.error_mode_model import told_modes
    from evaluator.models import ModelClient, ModelSettings
    from evaluator.models.kept_replies import KeptReplies
    from evaluator.scoring import last_attempts

    client = ModelClient(ModelSettings.from_env(model))
    replies = KeptReplies(client, run.path.with_name(ERROR_MODES))
    return told_modes(list(last_attempts(run.records)), replies).to_json()


def _register_compare(app: typer.Typer) -> None:
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
    told = {"csv": None if csv is None else str(csv)}
    if as_json:
        emit(found.to_json() | told, as_json, "")
    else:
        emit(told, as_json, found.to_text(csv="--csv FILE" if csv is None else str(csv)))
    return 0
