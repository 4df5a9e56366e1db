"""`benchwright env`: environments with other packages, or another Python, for problem code to run in."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.options import JsonOption
from authoring.cli.output import emit, note
from evaluator.errors import ContentError, UsageError
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from evaluator.environments import EnvironmentRecord

_HELP = """Environments with other packages, or another Python, for problem code to run in.

An environment belongs to you, not to a benchmark: it is kept in your data folder (BENCHWRIGHT_ENVIRONMENTS names
another one). Run in it with --environment NAME, or let a benchmark's manifest name it."""


def register(app: typer.Typer) -> None:
    """Add the command and its three subcommands."""
    commands = typer.Typer(help=_HELP, no_args_is_help=True)
    commands.command("create", help="Resolve requirements, pin them, install them, and run a cell in the result.")(
        create
    )
    commands.command("list", help="List your environments.")(list_all)
    commands.command("remove", help="Remove an environment that no run is using.")(remove)
    app.add_typer(commands, name="env")


def create(
    name: Annotated[str, typer.Argument(help="Lower-case letters, digits, dots and dashes.")],
    requirements: Annotated[
        list[Path] | None,
        typer.Option("--requirements", "-r", metavar="FILE", help="One package a line; may be given several times."),
    ] = None,
    for_agent: Annotated[
        str | None, typer.Option(help="An agent that is a package, such as smolagents: what it needs.")
    ] = None,
    python: Annotated[
        str | None, typer.Option("--python", help="A version like 3.11, or the path of one; else benchwright's own.")
    ] = None,
    sandbox: Annotated[SandboxChoice, typer.Option(help="Where the new environment is tried.")] = SandboxChoice.AUTO,
    as_json: JsonOption = False,
) -> int:
    """Create an environment; 1: the requirements cannot be met, and the installer's reason is shown."""
    from evaluator.agents.process.package_command import requirements_of
    from evaluator.environments import create_environment

    files = [*(requirements or []), *([requirements_of(for_agent)] if for_agent is not None else [])]
    if not files:
        raise UsageError("no requirements are named", fix="add -r FILE, or --for-agent AGENT")
    record = create_environment(name, files, python=python, sandbox=sandbox, on_event=note)
    for module, outcome in record.fork_check.items():
        if outcome != "ok":
            note(f"warning: {module} will not be imported before sessions start: {outcome}")
    use = f"--environment {record.name}"
    if for_agent is not None:
        use = f"--agent {for_agent}:MODEL" + (f" --agent-environment {name}" if name != for_agent else "")
    emit(record.to_json(), as_json, f"environment {_line(record)}\nuse it with {use}")
    return 0


def list_all(as_json: JsonOption = False) -> int:
    """List all environments."""
    from evaluator.environments import environments_folder, list_environments

    records = list_environments()
    folder = environments_folder()
    result = {"folder": str(folder), "environments": [_summary(record) for record in records]}
    text = "\n".join(_line(record) for record in records) or f"no environments in {folder}"
    emit(result, as_json, text)
    return 0


def remove(
    name: Annotated[str, typer.Argument(help="Of the environment.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Remove an environment; 1: a run is using it, or the question was answered with no."""
    from evaluator.environments import find_environment, remove_environment

    find_environment(name, where="benchwright env remove")
    if not yes and not typer.confirm(f"Remove the environment {name}?", err=True):
        raise ContentError(f"the environment {name!r} was not removed", fix="answer y, or say --yes")
    remove_environment(name)
    emit({"removed": name}, as_json, f"removed {name}")
    return 0


def _summary(record: "EnvironmentRecord") -> dict[str, Any]:
    """Return what a list shows of an environment, as plain JSON values."""
    return {
        "name": record.name,
        "python": record.python,
        "pandas": record.packages.get("pandas"),
        "digest": record.digest,
        "size_bytes": record.size_bytes,
        "created": record.created,
        "packages": len(record.packages),
    }


def _line(record: "EnvironmentRecord") -> str:
    facts = f"Python {record.python}  pandas {record.packages.get('pandas', '-')}"
    return f"{record.name:<20} {facts:<28} {record.digest}  {record.size_bytes / 1e6:6.0f} MB  {record.created}"
