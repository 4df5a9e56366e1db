"""`benchwright accept` and `benchwright send-back`: decisions on a revision."""

from typing import Annotated, Any

import typer

from authoring.cli.authoring_options import progress_bar
from authoring.cli.options import DEFAULT_WORKSPACE, EnvironmentOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit
from evaluator.session import SandboxChoice

RevisionArgument = Annotated[str, typer.Argument(help="Id of a revision, NAME (its newest) or NAME@3.")]
DeciderOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides.")]


def register(app: typer.Typer) -> None:
    """Add both commands."""
    app.command("accept", help="Accept a revision that shows a passing dry run; it is run when it is missing.")(accept)
    app.command("send-back", help="Send a revision back to its author with a reason.")(send_back)


def accept(
    revision: RevisionArgument,
    by: DeciderOption,
    reason: Annotated[str, typer.Option(help="Why, if there is more to say.")] = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    environment: EnvironmentOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Accept a revision; 1: it is not fit for it, and every failing problem is named."""
    from authoring.checks.acceptance import accept as accept_revision
    from authoring.seeds.workspace_setup import open_workspace
    from authoring.store import find_revision
    from evaluator.environments import choose_environment
    from evaluator.session import Engine

    ws = open_workspace(workspace)
    found = find_revision(ws, revision)
    used = choose_environment(environment)
    with progress_bar() as on_event:
        decision = accept_revision(
            ws,
            found.id,
            by=by,
            reason=reason,
            environment=used.id,
            open_engine=lambda: Engine(sandbox=sandbox, environment=used),
            on_event=on_event,
        )
    _emit_decision(as_json, decision, found, "accepted", by)
    return 0


def send_back(
    revision: RevisionArgument,
    by: DeciderOption,
    reason: Annotated[str, typer.Option(help="What should change.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Send a revision back."""
    from authoring.checks.acceptance import send_back as send_revision_back
    from authoring.seeds.workspace_setup import open_workspace
    from authoring.store import find_revision

    ws = open_workspace(workspace)
    found = find_revision(ws, revision)
    decision = send_revision_back(ws, found.id, by=by, reason=reason)
    _emit_decision(as_json, decision, found, "sent_back", by)
    return 0


def _emit_decision(as_json: bool, decision: int, revision: Any, kind: str, by: str) -> None:
    result = {
        "id": decision,
        "decision": kind,
        "problemset": revision.problemset_id,
        "name": revision.problemset_name,
        "revision": revision.id,
        "number": revision.number,
        "by": by,
    }
    label = f"{revision.problemset_name}@{revision.number}"
    emit(result, as_json, f"{label} is {kind.replace('_', ' ')} (decision {decision})")
