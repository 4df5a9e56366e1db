"""`benchwright roundtable`: what dry runs leave open, and how it was settled."""

from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, ByOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit
from authoring.seeds.workspace_setup import open_workspace
from authoring.store import problemsets
from authoring.store.reviewing.roundtable import assign_item, find_item, list_roundtable, resolve_item

if TYPE_CHECKING:
    from authoring.store.reviewing.roundtable import RoundtableItem


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="What dry runs leave open, and how it was settled.", no_args_is_help=True)
    commands.command("list", help="List the items that are open, or all of them.")(list_)
    commands.command("open", help="Put a problem into the queue by hand.")(open_)
    commands.command("suspects", help="Put problems there on which agents agree, not with us.")(suspects)
    commands.command("assign", help="Say who is to look at an item.")(assign)
    commands.command("resolve", help="Record how an item was settled.")(resolve)
    app.add_typer(commands, name="roundtable")


def list_(
    problemset: Annotated[str | None, typer.Argument(help="Name or id; else all problemsets.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also those that are settled.")] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """List items."""
    ws = open_workspace(workspace)
    of_set = None if problemset is None else problemsets.find(ws, problemset).id
    items = list_roundtable(ws, of_set, only_open=not all_)
    text = "\n".join(_line(item) for item in items) or "nothing is open"
    emit({"items": [item.to_json() for item in items]}, as_json, text)
    return 0


def open_(
    problemset: Annotated[str, typer.Argument(help="Name of the problemset, or NAME@3 for its revision 3.")],
    problem: Annotated[str, typer.Argument(help="Id or number of the problem.")],
    reason: Annotated[str, typer.Option(help="What is in question.")],
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Open an item."""
    from authoring.revising.validators.answer_trials import open_item

    item = open_item(open_workspace(workspace), problemset, problem, reason=reason, by=by)
    emit(item.to_json(), as_json, _line(item))
    return 0


def suspects(
    release: Annotated[str, typer.Argument(help='Name and version as runs call it: "core 1.0".')],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Look through the newest run of each agent on a release."""
    from authoring.checks.agreeing_agents import open_suspects

    ws = open_workspace(workspace)
    items = [find_item(ws, item) for item in open_suspects(ws, release)]
    text = "\n".join(_line(item) for item in items) or "no new suspects"
    emit({"items": [item.to_json() for item in items]}, as_json, text)
    return 0


def assign(
    item: Annotated[int, typer.Argument(help="Number of the item.")],
    to: Annotated[str, typer.Option("--to", metavar="NAME", help="Who; an empty name takes it back.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Assign an item."""
    ws = open_workspace(workspace)
    assign_item(ws, item, to=to)
    found = find_item(ws, item)
    emit(found.to_json(), as_json, _line(found))
    return 0


def resolve(
    item: Annotated[int, typer.Argument(help="Number of the item.")],
    as_: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="RESOLUTION",
            help="agent_wrong, query_ambiguous, reference_wrong, validator_too_strict or validator_too_loose.",
        ),
    ],
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who settles it.")],
    note: Annotated[str, typer.Option(help="What was found, what follows.")] = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Resolve an item."""
    ws = open_workspace(workspace)
    resolve_item(ws, item, resolution=as_, by=by, note=note)
    found = find_item(ws, item)
    emit(found.to_json(), as_json, _line(found))
    return 0


def _line(item: "RoundtableItem") -> str:
    state = f"open, for {item.assigned_to}" if item.assigned_to else "open"
    if item.resolution:
        state = f"{item.resolution} ({item.resolved_by}{f': {item.note}' if item.note else ''})"
    return f"{item.id:>4}  {f'{item.problemset_name}@{item.number} {item.problem}':<32} {state}: {item.reason}"
