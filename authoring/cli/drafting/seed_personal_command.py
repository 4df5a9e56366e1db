"""`benchwright seed personal`: columns that look like data about persons; shown, confirmed, withdrawn."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, ByOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note
from authoring.seeds.workspace_setup import open_workspace
from authoring.store.drafting.confirmations import Said
from authoring.store.drafting.seeds import find_seed
from evaluator.errors import UsageError
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.seeds.personal_data import PersonalFinding


def personal(
    seed: Annotated[str, typer.Argument(metavar="SEED", help="Its name or id.")],
    confirm: Annotated[str, typer.Option(metavar="COLUMN", help="Confirm that this column may stay.")] = "",
    said: Annotated[Said | None, typer.Option("--as", help="Why it may stay.")] = None,
    reason: Annotated[str, typer.Option(help="In your words, kept with the confirmation.")] = "",
    withdraw: Annotated[str, typer.Option(metavar="COLUMN", help="Forget what was confirmed of this column.")] = "",
    table: Annotated[str, typer.Option(metavar="FILE", help="Which table, where several have that column.")] = "",
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show which columns look like data about persons, after what is asked for was changed."""
    from authoring.seeds import personal_data
    from evaluator.session import Engine

    if bool(confirm) != (said is not None):
        choices = ", ".join(Said)
        raise UsageError("a confirmation says which column may stay, and why", fix=f"--confirm COLUMN --as {choices}")
    ws = open_workspace(workspace)
    found = find_seed(ws, seed)
    if personal_data.is_older(found):
        with Engine(sandbox=sandbox) as engine:
            found = personal_data.look_again(ws, found, engine)
    if confirm:
        personal_data.confirm(ws, found, confirm, said, file=table, reason=reason, by=by)
    if withdraw:
        personal_data.confirm(ws, found, withdraw, None, file=table)
    findings = personal_data.seed_findings(ws, found)
    lines = [line for one in findings for line in finding_lines(one)]
    result = {"seed": found.name, "findings": [one.to_json() for one in findings]}
    emit(result, as_json, "\n".join(lines) or "no column looks like data about persons")
    return 0


def finding_lines(finding: "PersonalFinding") -> tuple[str, str]:
    """Return a finding as two lines for a terminal."""
    signed = finding.confirmed
    shape = f", such as {finding.shape}" if finding.shape else ""
    if signed is None:
        return f"{finding.what}{shape}", f"  fix: {finding.fix}"
    by = f" by {signed.created_by}" if signed.created_by else ""
    return f"{finding.what}{shape}", f"  confirmed{by} as {signed.said}: {signed.reason or 'no reason given'}"


def note_personal(seed: str, findings: "tuple[PersonalFinding, ...]") -> list[dict[str, Any]]:
    """Say on standard error what nobody has confirmed of a seed, and return all findings as plain JSON values."""
    unconfirmed = [finding for finding in findings if finding.confirmed is None]
    for finding in unconfirmed:
        note(f"warning: {finding.what}\n  fix: {finding.fix}")
    if unconfirmed:
        note(f"note: benchwright seed personal {seed} --confirm COLUMN --as public says that a column may stay")
    return [finding.to_json() for finding in findings]
