"""`benchwright workspace`: what a workspace holds, and a backup of it."""

from typing import TYPE_CHECKING, Any

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.rendering import emit

if TYPE_CHECKING:
    from authoring.store import Workspace


def register(app: typer.Typer) -> None:
    """Add the command and its two subcommands."""
    commands = typer.Typer(help="Describe a workspace, back it up.", no_args_is_help=True)
    commands.command("info", help="Say what the workspace holds and whether its database is sound.")(info)
    commands.command("backup", help="Copy the database consistently into the folder 'backups'.")(backup)
    app.add_typer(commands, name="workspace")


def info(workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """Describe a workspace; 0: sound, 3: damaged."""
    from authoring.store import Workspace

    found = _describe(Workspace.open(workspace, create=False))
    text = "\n".join(f"{key:<14} {_shown(value)}" for key, value in found.items())
    emit(found, as_json, text)
    return 3 if found["damage"] else 0


def backup(workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """Back a workspace's database up."""
    from authoring.store import Workspace

    path = Workspace.open(workspace, create=False).back_up()
    emit({"path": str(path), "size_bytes": path.stat().st_size}, as_json, f"backup written to {path}")
    return 0


def _describe(workspace: "Workspace") -> dict[str, Any]:
    from authoring.store import (
        SCHEMA_VERSION,
        count_by_status,
        list_releases,
        list_runs,
        list_seeds,
        list_sketches,
        live_workers,
    )

    files = [path for path in workspace.root.rglob("*") if path.is_file()]
    return {
        "root": str(workspace.root),
        "schema": SCHEMA_VERSION,
        "size_bytes": sum(path.stat().st_size for path in files),
        "seeds": len(list_seeds(workspace)),
        "sketches": len(list_sketches(workspace)),
        "problemsets": count_by_status(workspace),
        "releases": len(list_releases(workspace)),
        "runs": len(list_runs(workspace, limit=1_000_000)),
        "workers": len(live_workers(workspace)),
        "damage": list(workspace.integrity()),
    }


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} {name}" for name, count in value.items()) or "none"
    if isinstance(value, list):
        return "; ".join(value) or "none"
    return str(value)
