"""Propose amendments of the guide from what reviewers said: by a model, by rule, or by a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from authoring.drafting.authors import Author, find_author
from authoring.drafting.guide.amendment_answers import MAX_AMENDMENTS, read_amendments
from authoring.drafting.guide.amendment_rules import amendments_by_rule
from authoring.progress import OnEvent, no_progress
from authoring.prompting.prompts import clipped, fill, guide_revision
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop, open_client
from authoring.store import (
    Amendment,
    GuideComment,
    GuideRevision,
    NewAmendment,
    Workspace,
    comments_for_guide,
    find_amendment,
    guide_sections,
    insert_amendments,
)
from evaluator.errors import UsageError
from evaluator.models import Budget, BudgetLimits, Completion, ModelClient, ModelSettings

AMEND_TOKENS: Final = 4_000
AMEND_TEMPERATURE: Final = 0.2
MAX_COMMENTS: Final = 200  # shown to a model; the newest
MAX_COMMENT_CHARS: Final = 600


@dataclass(frozen=True)
class ProposedAmendments:
    """What a proposal came to."""

    amendments: tuple[Amendment, ...]
    comments: int  # that were considered (count)
    base_number: int


class _Proposal(NamedTuple):
    changes: Sequence[NewAmendment]
    provenance: Mapping[str, Any]


def propose_amendments(
    ws: Workspace,
    *,
    proposed_by: str,
    author: str = Author.TEMPLATE,
    rng_seed: int = 0,
    model: str | None = None,
    all_times: bool = False,
    on_event: OnEvent = no_progress,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
) -> ProposedAmendments:
    """Gather the comments since the newest guide into proposed amendments; without comments there are none.

    Args:
        ws: The workspace.
        proposed_by: Who asks for it.
        author: `template`: by rule, one draft for each kind of comment, to be edited; `model`.
        rng_seed: Another number gives another answer of the model.
        model: The model to ask; None: the one that the environment names.
        all_times: Also the comments from before the newest guide that no amendment rests on.
        on_event: Told of each step.
        budget: What the model may cost.
        job_id: The job that asks, whose earlier starts count against the budget.

    Raises:
        UsageError: If nobody is named, or there is no such author.
        BudgetSpentError: If the budget ends before there is an answer.
        ConflictError: If the guide changed meanwhile.
        ContentError: If no answer of the model could be used.
        ToolkitError: If the model cannot be asked.
    """
    by_model = find_author(author) is Author.MODEL
    if not proposed_by.strip():  # before a model is paid for it
        raise UsageError("a proposal needs a name", fix="say who proposes it")
    guide, comments = guide_revision(ws), comments_for_guide(ws, all_times=all_times)
    if not comments:
        return ProposedAmendments((), 0, guide.number)
    if by_model:
        settings = ModelSettings.from_env(model)
        subject = f"guide {guide.number}"
        with open_client(ws, settings, purpose="amend", subject=subject, budget=budget, job_id=job_id) as client:
            proposal = _by_model(client, guide, comments, rng_seed, on_event)
    else:
        drafts = amendments_by_rule(comments, guide.text)
        proposal = _Proposal(drafts, {"author": "template", "draft_to_edit": True})
    return _kept(ws, guide, proposal, proposed_by, len(comments))


def propose_one(
    ws: Workspace,
    *,
    proposed_by: str,
    new_text: str,
    old_text: str = "",
    section: str = "",
    reason: str = "",
    comment_ids: Sequence[str] = (),
) -> ProposedAmendments:
    """Propose a person's amendment: `new_text` for `old_text`, or added at the end of a section.

    Raises:
        UsageError: If nobody is named, or a comment does not exist.
        ConflictError: If the old text does not stand exactly once in the guide, or there is no such section.
        ContentError: If it changes nothing.
    """
    guide = guide_revision(ws)
    change = NewAmendment(old_text, new_text, section, reason, tuple(dict.fromkeys(comment_ids)))
    return _kept(ws, guide, _Proposal([change], {"author": "person"}), proposed_by, len(change.comment_ids))


def _kept(
    ws: Workspace, guide: GuideRevision, proposal: _Proposal, proposed_by: str, comments: int
) -> ProposedAmendments:
    ids = insert_amendments(
        ws,
        proposal.changes,
        base_number=guide.number,
        proposed_by=proposed_by,
        provenance=proposal.provenance,
    )
    return ProposedAmendments(tuple(find_amendment(ws, found) for found in ids), comments, guide.number)


def _by_model(
    client: ModelClient,
    guide: GuideRevision,
    comments: Sequence[GuideComment],
    rng_seed: int,
    on_event: OnEvent,
) -> _Proposal:
    shown = comments[-MAX_COMMENTS:]
    request = fill(
        "amend",
        number=str(guide.number),
        guide=guide.text,
        comments="\n".join(map(_comment_line, shown)),
        sections=", ".join(f'"{title}"' for title in guide_sections(guide.text)) or "(none: leave it empty)",
        most=str(MAX_AMENDMENTS),
    )
    refs = frozenset(comment.ref for comment in shown)

    def assess(answer: Completion) -> Assessment[tuple[NewAmendment, ...]]:
        found = read_amendments(answer.text, guide_text=guide.text, comments=refs)
        complaint = CUT_OFF if found.changes is None and answer.cut_off else "\n".join(found.complaints)
        return Assessment(found.changes, complaint, len(found.complaints))

    dialogue = RepairLoop(client, "amendment", rng_seed, AMEND_TOKENS, AMEND_TEMPERATURE, on_event=on_event)
    changes = dialogue.ask(request, assess)
    provenance = {**dialogue.provenance(), "guide_revision": guide.number}
    return _Proposal(changes, provenance)


def _comment_line(comment: GuideComment) -> str:
    place = f"{comment.subject}/{comment.place}" if comment.place else comment.subject
    text = clipped(" ".join(comment.text.split()), MAX_COMMENT_CHARS)
    return f"- {comment.ref} ({comment.kind}, {place}{', resolved' if comment.resolved else ''}): {text}"
