"""`benchwright comment`, `comments`, `accept` and `send-back`: what people say of a problemset and decide."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    ByOption,
    EnvironmentOption,
    JsonOption,
    WorkspaceOption,
    progress_bar,
)
from authoring.cli.output import emit
from authoring.seeds.workspace_setup import open_workspace
from authoring.store import problemsets, revisions
from authoring.store.reviewing.reviews import list_comments
from authoring.store.statuses import ReviewDecision
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.store.reviewing.reviews import Comment


def _register_comments(app: typer.Typer) -> None:
    """Add both commands."""
    app.command("comment", help="Comment on a problemset; 'comment resolve ID' settles a comment.")(comment)
    app.command("comments", help="List the open comments on a problemset, or all of them.")(comments)


def comment(
    problemset: Annotated[str, typer.Argument(help="Name of the problemset, NAME@3, or the word 'resolve'.")],
    text: Annotated[str, typer.Argument(help="What should change; after 'resolve', the comment's number.")],
    kind: Annotated[str, typer.Option(help="repetitive, off_the_data, ambiguous, wrong_solution, ...")] = "other",
    problem: Annotated[str | None, typer.Option(help="Id or number of the problem; else the whole set.")] = None,
    line: Annotated[int | None, typer.Option(help="A line of the revision's file, from 1.")] = None,
    blocking: Annotated[bool, typer.Option("--blocking", help="Nobody accepts the set while it is open.")] = False,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Write a comment, or resolve one."""
    from authoring.revising.commenting import comment_on, resolve_numbered, unknown_names

    ws = open_workspace(workspace)
    if problemset == "resolve":
        settled = resolve_numbered(ws, text, by=by)
        emit({"id": settled, "resolved": True}, as_json, f"comment {settled} is resolved")
        return 0
    made = comment_on(ws, problemset, text, kind=kind, problem=problem, by=by, line=line, blocking=blocking)
    unknown = unknown_names(ws, text)
    note = f" (nobody here is called {', '.join(unknown)}: nobody is told)" if unknown else ""
    emit({"id": made, "kind": kind, "problem": problem, "unknown": unknown}, as_json, f"comment {made}{note}")
    return 0


def comments(
    problemset: Annotated[str, typer.Argument(help="Name or id of the problemset.")],
    all_: Annotated[bool, typer.Option("--all", help="Also those that are resolved.")] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """List comments."""
    from dataclasses import asdict

    ws = open_workspace(workspace)
    every = list_comments(ws, problemsets.find(ws, problemset).id)
    shown = [each for each in every if all_ or each.resolved_at is None]
    text = "\n".join(_line(each) for each in shown) or "no open comments"
    emit({"comments": [asdict(each) for each in shown]}, as_json, text)
    return 0


def _line(comment: "Comment") -> str:
    state = f" (resolved by {comment.resolved_by or 'somebody'})" if comment.resolved_at else ""
    state += " (blocks accepting)" if comment.blocking and not comment.resolved_at else ""
    about = (comment.problem or "the set") + (f", line {comment.line}" if comment.line is not None else "")
    return f"{comment.id:>4}  {comment.kind:<16} {about:<20} {comment.author or 'somebody'}: {comment.text}{state}"


RevisionArgument = Annotated[str, typer.Argument(help="Id of a revision, NAME (its newest) or NAME@3.")]
DeciderOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    _register_comments(app)
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
    from evaluator.environments import choose_environment
    from evaluator.session import Engine

    ws = open_workspace(workspace)
    found = revisions.find(ws, revision)
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
    _emit_decision(as_json, decision, found, ReviewDecision.ACCEPTED, by)
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

    ws = open_workspace(workspace)
    found = revisions.find(ws, revision)
    decision = send_revision_back(ws, found.id, by=by, reason=reason)
    _emit_decision(as_json, decision, found, ReviewDecision.SENT_BACK, by)
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
