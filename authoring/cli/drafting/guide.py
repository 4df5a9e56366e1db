"""`benchwright guide`: the guide for authors, its amendments, and what each revision came to."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.evaluating.import_ import write_new
from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    BudgetCostOption,
    BudgetMinutesOption,
    BudgetTokensOption,
    JsonOption,
    ModelOption,
    RngSeedOption,
    WorkspaceOption,
    budget_of,
    progress_bar,
)
from authoring.cli.output import emit
from authoring.store.drafting.guide import decide_amendment, list_amendments, save_guide
from authoring.store.effort import record_effort
from authoring.store.statuses import AmendmentStatus
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from authoring.drafting.guide.amendment_proposals import ProposedAmendments
    from authoring.drafting.guide.guide_effects import GuideEffect
    from authoring.store.drafting.guide import Amendment, AmendmentDecision


def amendment_text(found: "Amendment") -> str:
    """Return an amendment: what it says, what it rests on, what became of it."""
    state = "stale: its place in the guide was changed" if found.stale else found.status
    where = f"in {found.section!r}" if found.section else "at the end"
    rests = f" (rests on {', '.join(found.comment_ids)})" if found.comment_ids else ""
    lines = [f"amendment {found.id}, {state}, of guide {found.base_number}, by {found.proposed_by}{rests}"]
    lines += [f"  {found.reason}"] if found.reason else []
    lines += [f"  - {line}" for line in found.old_text.splitlines()] or [f"  added {where}:"]
    lines += [f"  + {line}" for line in found.new_text.splitlines()]
    return "\n".join(lines)


def effects_text(found: "Sequence[GuideEffect]") -> str:
    """Return one block of lines for each guide revision."""
    return "\n\n".join(map(_effect_text, found)) or "no drafts by a model or a template yet"


def _effect_text(one: "GuideEffect") -> str:
    name = "drafts without a guide" if one.guide_number is None else f"guide {one.guide_number}"
    comments = ", ".join(f"{kind} {count}" for kind, count in one.comments.items() if count) or "none"
    return "\n".join(
        [
            f"{name}: {one.drafts} drafts, {one.accepted} accepted ({share(one.acceptance_rate)})",
            f"  problems of accepted sets: {one.problems}, changed by people: {share(one.revision_rate)}",
            f"  edits per problem: {figure(one.edits_per_problem)} ({one.cells_changed} cells,"
            f" {one.validator_changes} validators)",
            f"  minutes per problem: {figure(one.minutes_per_problem)} (measured for {one.measured_problems} problems)",
            f"  comments: {comments}",
            f"  repairs {one.repairs}, tokens {one.tokens}",
        ]
    )


def share(rate: float | None) -> str:
    """Return a rate in percent; what has no denominator is unknown."""
    return "unknown" if rate is None else f"{rate:.0%}"


def figure(value: float | None) -> str:
    """Return a number with two decimals; what was not measured is unknown."""
    return "unknown" if value is None else f"{value:.2f}"


AmendmentArgument = Annotated[int, typer.Argument(metavar="ID", help="The amendment's number, as the list shows it.")]
NameOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Who does this.")]
MinutesOption = Annotated[
    float | None, typer.Option(help="Active minutes spent on it, kept as work on the guide.", min=0.01)
]
TextOption = Annotated[str | None, typer.Option(help="The new text.")]
FileOption = Annotated[Path | None, typer.Option("--file", help="A file with the new text.")]


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="Read the guide for authors, amend it, see its effects.", no_args_is_help=True)
    commands.command("show", help="Print the guide as authors and models are given it.")(show)
    commands.command("diff", help="Show what changed between two revisions.")(diff)
    commands.command("propose", help="Propose amendments: from comments, or one of your own.")(propose)
    commands.command("list", help="List amendments, with those that are stale marked.")(list_all)
    commands.command("accept", help="Accept an amendment as it is: the next guide.")(accept)
    commands.command("change", help="Accept an amendment with another text.")(change)
    commands.command("refuse", help="Refuse an amendment.")(refuse)
    commands.command("edit", help="Make a file the next guide.")(edit)
    commands.command("effects", help="Show what the drafts of each guide revision came to.")(effects)
    app.add_typer(commands, name="guide")


def show(
    revision: Annotated[int | None, typer.Option(help="Which revision; without it, the newest.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write its text here, to edit; not overwritten.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Print the guide."""
    from authoring.drafting.guide.guide_effects import shown_guide

    guide = shown_guide(_opened(workspace), revision)
    text = f"guide {guide.number}, by {guide.author}: {guide.message}\n\n{guide.text}"
    if out is not None:
        text = f"guide {guide.number} written to {write_new(out, guide.text.encode())}"
    emit(asdict(guide), as_json, text)
    return 0


def diff(
    before: Annotated[int, typer.Argument(metavar="A", help="Number of a revision.")],
    after: Annotated[int, typer.Argument(metavar="B", help="Number of another.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Compare two revisions."""
    from authoring.drafting.guide.guide_effects import guide_diff

    found = guide_diff(_opened(workspace), before, after)
    emit({"before": before, "after": after, "diff": found}, as_json, found or "no difference")
    return 0


def propose(
    by: NameOption,
    author: Annotated[
        str, typer.Option(help="template: one draft to edit for each kind of comment; model.")
    ] = "template",
    old: Annotated[str, typer.Option(help="Your own amendment: the text of the guide that it replaces.")] = "",
    text: TextOption = None,
    file: FileOption = None,
    section: Annotated[str, typer.Option(help="Without --old: at the end of which section.")] = "",
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    comment: Annotated[
        list[str] | None, typer.Option(help="A comment it rests on, c12 or s12 (of a sketch); may be repeated.")
    ] = None,
    all_times: Annotated[bool, typer.Option("--all", help="Also comments from before the newest guide.")] = False,
    rng_seed: RngSeedOption = 0,
    model: ModelOption = None,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Propose amendments."""
    from authoring.drafting.guide.amendment_proposals import propose_amendments, propose_one

    ws, own = _opened(workspace), _own_text(text, file)
    if own is not None or old:
        found = propose_one(
            ws,
            proposed_by=by,
            new_text=own or "",
            old_text=old,
            section=section,
            reason=reason,
            comment_ids=comment or (),
        )
        return _emit_proposed(as_json, found)
    with progress_bar() as on_event:
        found = propose_amendments(
            ws,
            proposed_by=by,
            author=author,
            rng_seed=rng_seed,
            model=model,
            all_times=all_times,
            on_event=on_event,
            budget=budget_of(budget_tokens, budget_cost, budget_minutes),
        )
    return _emit_proposed(as_json, found)


def list_all(
    status: Annotated[str | None, typer.Option(help="Only proposed, accepted, changed or refused ones.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """List amendments."""
    if status not in (None, *AmendmentStatus):
        raise UsageError(f"no amendment has the status {status!r}", fix=f"use one of {', '.join(AmendmentStatus)}")
    found = list_amendments(_opened(workspace), status=status)
    text = "\n\n".join(map(amendment_text, found)) or "no amendments"
    emit({"amendments": [asdict(one) for one in found]}, as_json, text)
    return 0


def accept(
    amendment: AmendmentArgument,
    by: NameOption,
    minutes: MinutesOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Accept an amendment."""
    return _decide(workspace, amendment, AmendmentStatus.ACCEPTED, by, None, "", minutes, as_json)


def change(
    amendment: AmendmentArgument,
    by: NameOption,
    text: TextOption = None,
    file: FileOption = None,
    minutes: MinutesOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Accept an amendment with another text."""
    return _decide(workspace, amendment, AmendmentStatus.CHANGED, by, _own_text(text, file), "", minutes, as_json)


def refuse(
    amendment: AmendmentArgument,
    by: NameOption,
    reason: Annotated[str, typer.Option(help="What is wrong with it.")] = "",
    minutes: MinutesOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Refuse an amendment."""
    return _decide(workspace, amendment, AmendmentStatus.REFUSED, by, None, reason, minutes, as_json)


def edit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A text file with the whole guide.")],
    by: NameOption,
    message: Annotated[str, typer.Option(help="What was changed.")] = "",
    base: Annotated[int | None, typer.Option(help="The revision you changed; without it, the newest.")] = None,
    minutes: MinutesOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Save a new guide."""
    from authoring.drafting.guide.guide_effects import shown_guide

    ws = _opened(workspace)
    number = shown_guide(ws).number if base is None else base
    saved = save_guide(ws, _file_text(file), base_number=number, author=by, message=message)
    _keep_minutes(ws, saved.number, by, minutes)
    emit(asdict(saved), as_json, f"the guide is revision {saved.number} now")
    return 0


def effects(workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """Show the effect of each guide revision."""
    from authoring.drafting.guide.guide_effects import guide_effects

    found = guide_effects(_opened(workspace))
    emit({"effects": [one.to_json() for one in found]}, as_json, effects_text(found))
    return 0


def _opened(workspace: Path) -> "Workspace":
    return Workspace.open(workspace, create=False)


def _decide(
    workspace: Path,
    amendment: int,
    decision: "AmendmentDecision",
    by: str,
    text: str | None,
    reason: str,
    minutes: float | None,
    as_json: bool,
) -> int:
    ws = _opened(workspace)
    found = decide_amendment(ws, amendment, decision, by=by, new_text=text, reason=reason)
    _keep_minutes(ws, found.guide_number or found.base_number, by, minutes)
    led = f"; the guide is revision {found.guide_number} now" if found.guide_number else ""
    emit(asdict(found), as_json, f"amendment {found.id} is {found.status}{led}")
    return 0


def _keep_minutes(ws: "Workspace", guide_number: int, by: str, minutes: float | None) -> None:
    if minutes is not None:
        subject = f"guide {guide_number}"
        record_effort(ws, "guide", subject=subject, person=by, minutes=minutes, guide_number=guide_number)


def _emit_proposed(as_json: bool, found: "ProposedAmendments") -> int:
    listed: tuple[Amendment, ...] = found.amendments
    count = "1 amendment" if len(listed) == 1 else f"{len(listed)} amendments"
    rests = "1 comment" if found.comments == 1 else f"{found.comments} comments"
    said = f"{count} of guide {found.base_number} proposed, from {rests}"
    result: dict[str, Any] = {"base_number": found.base_number, "comments": found.comments}
    emit(
        {**result, "amendments": [asdict(one) for one in listed]},
        as_json,
        "\n\n".join([said, *map(amendment_text, listed)]),
    )
    return 0


def _own_text(text: str | None, file: Path | None) -> str | None:
    if text is not None and file is not None:
        raise UsageError("the text is given twice", fix="use --text or --file, not both")
    return text if file is None else _file_text(file).strip("\n")


def _file_text(path: Path) -> str:
    from authoring.drafting.guide.guide_effects import read_guide_file

    return read_guide_file(path)
