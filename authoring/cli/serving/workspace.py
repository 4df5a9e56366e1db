"""`benchwright workspace`: what a workspace holds, a backup of it, who may do what in it."""

from typing import Annotated, Any

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.output import emit
from authoring.store import releases, runs
from authoring.store.database.migrations import SCHEMA_VERSION
from authoring.store.drafting.seeds import list_seeds
from authoring.store.drafting.sketches import list_sketches
from authoring.store.jobs import live_workers
from authoring.store.people import give_roles, list_roles
from authoring.store.problemsets import count_by_status
from authoring.store.reviewing.reviews import needs_second_person, require_second_person
from authoring.store.workspace import Workspace


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="Describe a workspace, back it up, give people roles.", no_args_is_help=True)
    commands.command("info", help="Say what the workspace holds and whether its database is sound.")(info)
    commands.command("backup", help="Copy the database consistently into the folder 'backups'.")(backup)
    commands.command("people", help="Show or give the roles of people who sign in to the app.")(people)
    commands.command("review", help="Show or choose whether a second person must accept.")(review)
    app.add_typer(commands, name="workspace")


def info(workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """Describe a workspace; 0: sound, 3: damaged."""
    found = _describe(Workspace.open(workspace, create=False))
    text = "\n".join(f"{key:<14} {_shown(value)}" for key, value in found.items())
    emit(found, as_json, text)
    return 3 if found["damage"] else 0


def backup(workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """Back a workspace's database up."""
    path = Workspace.open(workspace, create=False).back_up()
    emit({"path": str(path), "size_bytes": path.stat().st_size}, as_json, f"backup written to {path}")
    return 0


def people(
    name: Annotated[str, typer.Argument(help="As the person signs in; none: list everybody.")] = "",
    role: Annotated[list[str] | None, typer.Option(help="A role to give, in place of those there are.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show or give roles."""
    ws = Workspace.open(workspace, create=False)
    if name:
        give_roles(ws, name, role or [])
    found = {person: sorted(roles) for person, roles in list_roles(ws).items()}
    text = "\n".join(f"{person:<40} {', '.join(roles) or 'waits for a role'}" for person, roles in found.items())
    emit(found, as_json, text or "nobody has signed in yet")
    return 0


def review(
    second_person: Annotated[
        bool | None, typer.Option("--second-person/--anybody", help="Whether authors may not accept their own text.")
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show or choose who may accept."""
    ws = Workspace.open(workspace, create=False)
    if second_person is not None:
        require_second_person(ws, second_person)
    needed = needs_second_person(ws)
    emit({"second_person": needed}, as_json, "a second person must accept" if needed else "anybody may accept")
    return 0


def _describe(workspace: "Workspace") -> dict[str, Any]:
    files = [path for path in workspace.root.rglob("*") if path.is_file()]
    return {
        "root": str(workspace.root),
        "schema": SCHEMA_VERSION,
        "size_bytes": sum(path.stat().st_size for path in files),
        "seeds": len(list_seeds(workspace)),
        "sketches": len(list_sketches(workspace)),
        "problemsets": count_by_status(workspace),
        "releases": len(releases.select(workspace)),
        "runs": len(runs.select(workspace, limit=1_000_000)),
        "workers": len(live_workers(workspace)),
        "damage": list(workspace.integrity()),
    }


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} {name}" for name, count in value.items()) or "none"
    if isinstance(value, list):
        return "; ".join(value) or "none"
    return str(value)
