"""`benchwright merge`: an edit of an older revision and what others saved since, put together."""

from pathlib import Path
from typing import Annotated

import typer

from authoring.cli.authoring_options import ByOption
from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("merge", help="Put an edit of an older revision together with what others saved since.")(merge)


def merge(
    problemset: Annotated[str, typer.Argument(help="Name of the problemset; its newest revision is theirs.")],
    base: Annotated[str, typer.Option(help="The revision that was edited: its number, or NAME@3.")],
    mine: Annotated[Path, typer.Option(metavar="FILE", help="The edited text.", exists=True, dir_okay=False)],
    take: Annotated[
        list[str] | None,
        typer.Option(metavar="SIDE[:PROBLEM]", help="Whose text where both clash: mine, theirs:load. Repeatable."),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the result here.")] = None,
    save: Annotated[bool, typer.Option("--save", help="Save the result as a new revision.")] = False,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Merge; 0: done, 1: conflicts are left, each listed with its three texts."""
    from authoring.revising.merging import conflict_text
    from authoring.revising.rebase import bring_onto_head, read_takes, save_brought, write_merged
    from authoring.seeds.workspace_setup import open_workspace

    ws = open_workspace(workspace)
    brought = bring_onto_head(ws, problemset, base=base, mine=mine, takes=read_takes(take or []))
    text = brought.merged.text
    if text is None:
        error = brought.error()
        record = {"what": error.what, "where": error.where, "fix": error.fix, "merge": brought.to_json()}
        emit({"error": record}, as_json, "\n".join(conflict_text(each) for each in brought.merged.conflicts))
        if not as_json:
            note(f"error: {error.what}\n  where: {error.where}\n  fix: {error.fix}")
        return 1
    if out is not None:
        write_merged(out, text)
    saved = save_brought(ws, brought, by=by) if save else None
    number = None if saved is None else saved.number
    result = {**brought.to_json(), "text": text, "revision": number}
    said = f"saved as {brought.head.problemset_name}@{number}" if saved else f"written to {out}" if out else text
    emit(result, as_json, said.rstrip("\n"))
    return 0
