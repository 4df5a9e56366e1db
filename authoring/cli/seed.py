"""`benchwright seed`: data files become idea seeds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.authoring_options import ByOption
from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.rendering import emit
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.store import Seed


def register(app: typer.Typer) -> None:
    """Add the command and its three subcommands."""
    commands = typer.Typer(help="Add data files as an idea seed, list seeds, show one.", no_args_is_help=True)
    commands.command("add", help="Read data files in the sandbox, profile them, and keep them as a seed.")(add)
    commands.command("list", help="List the seeds of the workspace.")(list_all)
    commands.command("show", help="Show a seed with its columns and what is awkward about them.")(show)
    app.add_typer(commands, name="seed")


def add(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="CSV, TSV, JSON, Parquet or Excel files.")],
    name: Annotated[str, typer.Option(help="What the seed is called.")],
    notebook: Annotated[Path | None, typer.Option(help="A notebook about the data; its cells give ideas.")] = None,
    description: Annotated[str, typer.Option(help="What the data is about, with units.")] = "",
    source_url: Annotated[str, typer.Option(help="Where the data comes from.")] = "",
    licence: Annotated[str, typer.Option(help="Under which licence it may be passed on.")] = "",
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Add a seed."""
    from evaluator.session import Engine

    texts = {"description": description, "source_url": source_url, "licence": licence, "created_by": by}
    with Engine(sandbox=sandbox) as engine:
        from authoring.pipeline import open_workspace  # meanwhile the engine warms up
        from authoring.seeds import add_seed
        from authoring.store import find_seed

        ws = open_workspace(workspace)
        seed = find_seed(ws, add_seed(ws, files, name=name, notebook=notebook, engine=engine, **texts))
    found = seed_summary(seed)
    emit(found, as_json, f"seed {seed.id}, {seed.name}: {_tables_text(found)}")
    return 0


def list_all(workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """List all seeds."""
    from authoring.pipeline import open_workspace
    from authoring.store import list_seeds

    seeds = [seed_summary(seed) for seed in list_seeds(open_workspace(workspace))]
    lines = [f"{seed['id']:>4}  {seed['name']:<24} {_tables_text(seed)}" for seed in seeds]
    emit({"seeds": seeds}, as_json, "\n".join(lines) or "no seeds")
    return 0


def show(
    seed: Annotated[str, typer.Argument(help="Its name or id.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show one seed."""
    from authoring.pipeline import open_workspace, profile_text
    from authoring.store import find_seed

    found = find_seed(open_workspace(workspace), seed)
    summary = seed_summary(found)
    emit({**summary, "profile": found.profile}, as_json, f"seed {found.id}, {found.name}\n\n{profile_text(found)}")
    return 0


def seed_summary(seed: "Seed") -> dict[str, Any]:
    """Return a seed as lists show it, as plain JSON values."""
    tables = (seed.profile or {}).get("tables", [])
    return {
        "id": seed.id,
        "name": seed.name,
        "title": seed.title,
        "description": seed.description,
        "source_url": seed.source_url,
        "licence": seed.licence,
        "files": [{"name": file.name, "size_bytes": file.size_bytes, "sha256": file.digest} for file in seed.files],
        "notebook": seed.notebook is not None,
        "tables": [{"file": t["file"], "rows": t["rows"], "columns": len(t["columns"])} for t in tables],
        "traps": len((seed.profile or {}).get("traps", [])),
    }


def _tables_text(summary: dict[str, Any]) -> str:
    tables = [f"{t['file']} ({t['rows']:,} rows, {t['columns']} columns)" for t in summary["tables"]]
    return ", ".join(tables) or "not profiled"
