"""`benchwright affected` and `benchwright rerun`: what an edit reaches, and the dry run of that alone."""

from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.authoring_options import ModelOption, progress_bar
from authoring.cli.options import DEFAULT_WORKSPACE, EnvironmentOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.revising.affected.dependence import Affected
    from authoring.revising.affected.rerunning import Rerun
    from authoring.revising.approvals import Approvals
    from authoring.store import Revision

SetArgument = Annotated[str, typer.Argument(help="Name of the problemset, or NAME@3 for its revision 3.")]


def register(app: typer.Typer) -> None:
    """Add both commands."""
    app.command("affected", help="List the problems that an edit reaches, and why; nothing is executed.")(affected)
    app.command("rerun", help="Dry-run a revision, judging again only what the edits since the last one reach.")(rerun)


def affected(
    problemset: SetArgument,
    base: Annotated[str | None, typer.Option(help="The older revision; else the parent of the newer one.")] = None,
    head: Annotated[str | None, typer.Option(help="The newer revision; else the newest.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """List affected problems."""
    from authoring.revising.affected.rerunning import affected_by_edit
    from authoring.revising.approvals import approvals_of
    from authoring.seeds.workspace_setup import open_workspace

    ws = open_workspace(workspace)
    older, newer, found = affected_by_edit(ws, _head(problemset, head), base=base)
    approvals = approvals_of(ws, newer.id)
    result = {
        **{"problemset": newer.problemset_name, "base": older.number, "head": newer.number},
        **{"affected": [each.to_json() for each in found], "approvals": approvals.to_json()},
    }
    text = "\n".join([*_affected_lines(older, newer, found), *_approval_lines(approvals)])
    emit(result, as_json, text)
    return 0


def rerun(
    problemset: SetArgument,
    base: Annotated[
        str | None, typer.Option(help="The revision to build on; else the newest one with a dry run that holds.")
    ] = None,
    model: ModelOption = None,
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    environment: EnvironmentOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Rerun what an edit reaches; 0: the revision is fit to be accepted, 1: not."""
    from evaluator.environments import choose_environment
    from evaluator.session import Engine

    with Engine(sandbox=sandbox, environment=choose_environment(environment)) as engine, progress_bar() as on_event:
        from authoring.revising.affected.rerunning import rerun as rerun_revision
        from authoring.revising.approvals import approvals_of
        from authoring.seeds.workspace_setup import open_workspace  # meanwhile the engine warms up
        from evaluator.models import configured_model

        ws, asked = open_workspace(workspace), configured_model(model)
        done = rerun_revision(ws, problemset, base=base, engine=engine, model=asked, on_event=on_event)
    approvals = approvals_of(ws, done.result.revision.id)
    _emit_rerun(done, approvals, as_json)
    return 0 if done.result.passed else 1


def _head(problemset: str, head: str | None) -> str:
    if head is None:
        return problemset
    return f"{problemset.partition('@')[0]}@{head}" if head.isascii() and head.isdigit() else head


def _affected_lines(older: "Revision", newer: "Revision", found: tuple["Affected", ...]) -> list[str]:
    name = newer.problemset_name
    count = "no problem is" if not found else "1 problem is" if len(found) == 1 else f"{len(found)} problems are"
    lines = [f"{name}@{older.number} to {name}@{newer.number}: {count} affected"]
    for each in found:
        rest = "" if each.must_rerun else " (need not be run again)"
        lines.append(f"{f'{each.cell.number}. {each.cell.key}':<28} {'; '.join(each.reasons)}{rest}")
    return lines


def _approval_lines(approvals: "Approvals") -> list[str]:
    from authoring.revising.approvals import Standing

    if approvals.decision is None or approvals.accepted is None:
        return []
    by = f"{approvals.decision.by} gave @{approvals.accepted.number}"
    kept = ", ".join(map(str, approvals.numbers(Standing.KEPT)))
    lines = [f"approvals that {by}: kept by {f'problem {kept}' if kept else 'no problem'}"]
    for each in approvals.problems:
        if each.standing is not Standing.KEPT:
            word = "withdrawn" if each.standing is Standing.WITHDRAWN else "not known"
            lines.append(f"{f'{each.cell.number}. {each.cell.key}':<28} {word}: {each.reason}")
    return lines


def _emit_rerun(done: "Rerun", approvals: "Approvals", as_json: bool) -> None:
    result = {**done.to_json(), "approvals": approvals.to_json()}
    text = "\n".join([*_rerun_lines(done), *_approval_lines(approvals)])
    if done.result.passed:
        emit(result, as_json, text)
        return
    error = done.result.error()
    emit({"error": {**error, "rerun": result}}, as_json, text)
    if not as_json:
        note(f"error: {error['what']}\n  where: {error['where']}\n  fix: {error['fix']}")


def _rerun_lines(done: "Rerun") -> list[str]:
    from authoring.revising.affected.rerunning import output_text

    revision, rows = done.result.revision, done.result.dry_run.problems
    label = f"{revision.problemset_name}@{revision.number}"
    on = f" on that of @{done.base.number}" if done.base else ", all of it: no earlier one holds"
    judged = len(rows) - len(done.taken_over)
    lines = [f"dry run {done.result.id} of {label}{on}: {judged} judged, {len(done.taken_over)} taken over"]
    lines += [f"{f'{each.cell.number}. {each.cell.key}':<28} {'; '.join(each.reasons)}" for each in done.affected]
    for moved in done.moved:
        verdicts = [row.reference_verdict for row in (moved.before, moved.after)]
        lines.append(f"problem {moved.cell.number} ({moved.cell.key}) was {verdicts[0]}, is {verdicts[1]}")
        for sign, row in (("-", moved.before), ("+", moved.after)):
            lines += [f"  {sign} {line}" for line in output_text(row).split("\n")[:20]]
    return lines
