"""`benchwright release`: freeze accepted problemsets, verify what was frozen, compare two releases."""

from pathlib import Path
from typing import Annotated

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, ByOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="Freeze accepted problemsets, verify a release, compare two.", no_args_is_help=True)
    commands.command("create", help="Write the accepted revisions as a release that can be run and verified.")(create)
    commands.command("verify", help="Compare a release's files with their recorded digests.")(verify)
    commands.command("diff", help="List the problems that one release has and another has not, or has otherwise.")(diff)
    app.add_typer(commands, name="release")


def create(
    name: Annotated[str, typer.Argument(help="What the benchmark is called.")],
    version: Annotated[str, typer.Argument(help="Such as 1.0.")],
    out: Annotated[Path, typer.Option(help="The folder to make; it may exist when it is empty.")],
    sets: Annotated[
        str, typer.Option(metavar="REVISION,...", help="Only these accepted revisions: NAME, NAME@3 or an id.")
    ] = "",
    author: Annotated[list[str] | None, typer.Option(help="Who is named as author; may be given again.")] = None,
    licence: Annotated[str, typer.Option(help="Of queries and code, such as CC-BY-4.0.")] = "",
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Create a release."""
    from authoring.release import create_release
    from authoring.seeds.workspace_setup import open_workspace

    chosen = tuple(part.strip() for part in sets.split(",") if part.strip())
    texts = {"licence": licence, "created_by": by}
    ws = open_workspace(workspace)
    made = create_release(ws, name, version, out=out, chosen=chosen, authors=tuple(author or ()), **texts)
    what = f"release {made.id}, {made.name} {made.version}: {made.problems} problems in {', '.join(made.problemsets)}"
    if made.existed:
        note("it exists already: nothing is changed")
    for item in made.open_items:
        note(f"warning: the roundtable has left open {item}")
    for item in made.personal:
        note(f"warning: {item}")
    emit(made.to_json(), as_json, f"{what}\nfolder: {made.out}\ndigest: {made.digest}")
    return 0


def verify(folder: Annotated[Path, typer.Argument(metavar="DIR")], as_json: JsonOption = False) -> int:
    """Verify a release; 0: as it was released, 1: files are missing, changed or surplus."""
    from authoring.release import release_digest, verify_release

    faults = verify_release(folder)
    digest = release_digest(folder)
    if not faults:
        emit({"ok": True, "digest": digest, "faults": []}, as_json, f"as released\ndigest: {digest}")
        return 0
    what = f"{len(faults)} {'file differs' if len(faults) == 1 else 'files differ'} from what was released"
    error = {"what": what, "where": str(folder), "fix": "restore the named files, or fetch the release again"}
    listed = [fault.to_json() for fault in faults]
    emit({"error": {**error, "faults": listed}}, as_json, "\n".join(map(str, faults)))
    if not as_json:
        note(f"error: {what}\n  where: {folder}\n  fix: {error['fix']}")
    return 1


def diff(
    before: Annotated[Path, typer.Argument(metavar="A", help="The folder of a release.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="The folder of a later one.")],
    as_json: JsonOption = False,
) -> int:
    """Compare two releases; 0 whether they differ or not."""
    from authoring.release import diff_releases

    found = diff_releases(before, after)
    emit(found.to_json(), as_json, found.to_text())
    return 0
