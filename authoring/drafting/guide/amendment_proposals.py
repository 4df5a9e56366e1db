"""Amendments of the guide, proposed from what reviewers said: by a model, by rule, or by a person."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple

from authoring.drafting.guide.commented_problems import evidence_block
from authoring.drafting.sketching import Author, find_author
from authoring.progress import OnEvent, no_progress
from authoring.prompting.blocks import block
from authoring.prompting.model_answers import json_values
from authoring.prompting.prompts import PromptBook, PromptRequest, guide_revision
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop, open_client
from authoring.store.drafting.guide import (
    Amendment,
    GuideComment,
    GuideRevision,
    NewAmendment,
    amended_text,
    comments_for_guide,
    find_amendment,
    guide_sections,
    insert_amendments,
)
from authoring.store.reviewing.reviews import COMMENT_KINDS
from authoring.store.workspace import Workspace
from evaluator.agents.model_agents.replies import clipped
from evaluator.errors import ContentError, UsageError
from evaluator.models import Budget, BudgetLimits, Completion, ModelClient, ModelSettings

MAX_ANSWER_CHARS: Final = 200_000
MAX_AMENDMENTS: Final = 12
COMMENT_REF = re.compile(r"[cs]\d{1,15}", re.ASCII)


class ReadAmendments(NamedTuple):
    """What an answer proposes, and what is wrong with the rest of it."""

    changes: tuple[NewAmendment, ...] | None  # None: there is no list in it
    complaints: tuple[str, ...]


def read_amendments(answer: str, *, guide_text: str, comments: Set[str]) -> ReadAmendments:
    """Return the amendments in an answer that fit the guide and rest on known comments.

    Args:
        answer: What the model said.
        guide_text: The guide they are to change.
        comments: References of the comments that were shown.
    """
    if len(answer) > MAX_ANSWER_CHARS:
        return ReadAmendments(None, (f"the answer has {len(answer)} characters, far more than amendments need",))
    rows = next((rows for value in json_values(answer) if (rows := _rows(value)) is not None), None)
    if rows is None:
        return ReadAmendments(None, ("there is no JSON list of objects in the answer, or it is not valid JSON",))
    changes, complaints = [], []
    for position, row in enumerate(rows[:MAX_AMENDMENTS], 1):
        change = _change(row)
        wrong = _fault(change, guide_text, comments)
        if wrong:
            complaints.append(f"item {position}: {wrong}")
        elif change not in changes:
            changes.append(change)
    if len(rows) > MAX_AMENDMENTS:
        complaints.append(f"the list has {len(rows)} items, at most {MAX_AMENDMENTS} are asked for")
    return ReadAmendments(tuple(changes), tuple(complaints))


def _fault(change: NewAmendment, guide_text: str, comments: Set[str]) -> str:
    if not change.comment_ids or set(change.comment_ids) - comments:
        known = ", ".join(sorted(comments)[:20])
        return f"`comments` must name at least one of the comments above, and no other: {known}"
    try:
        amended_text(guide_text, change)
    except ContentError as error:
        return f"{error.what} ({error.fix})"
    return ""


def _change(row: Mapping[str, Any]) -> NewAmendment:
    refs = row.get("comments") or row.get("comment_ids") or ()
    listed = refs if isinstance(refs, (list, tuple)) else [refs]
    return NewAmendment(
        old_text=_text(row, "old_text", "old"),
        new_text=_text(row, "new_text", "new", "text"),
        section=_text(row, "section").strip(),
        reason=" ".join(_text(row, "reason", "why").split())[:500],
        comment_ids=tuple(dict.fromkeys(ref for item in listed for ref in COMMENT_REF.findall(str(item)))),
    )


def _text(row: Mapping[str, Any], *keys: str) -> str:
    found = next((row[key] for key in keys if isinstance(row.get(key), str)), "")
    return found.replace("\r\n", "\n").replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def _rows(value: Any) -> list[dict[str, Any]] | None:
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        value = [value] if "new_text" in value else lists[0] if len(lists) == 1 else None
    return value if isinstance(value, list) and all(isinstance(row, dict) for row in value) else None


MAX_QUOTES: Final = 3
MAX_QUOTE_CHARS: Final = 120
DRAFT_MARK: Final = "[draft by rule, edit before accepting]"


class Advice(NamedTuple):
    """What the guide could say about one kind of comment."""

    section: str  # of the shipped guide; a guide without it gets the text at its end
    text: str


EACH, WHOLE = "What every problem needs", "What the set as a whole needs"
ADVICE: Final[Mapping[str, Advice]] = {
    "repetitive": Advice(WHOLE, "Problems do not repeat each other, nor those of other sets. Reviewers found repeated"),
    "off_the_data": Advice(EACH, "Each problem asks what this data can answer. Reviewers found off the data"),
    "ambiguous": Advice(EACH, "The query itself settles every choice that moves the answer. Reviewers found open"),
    "wrong_solution": Advice(EACH, "The reference does exactly what the query says. Reviewers found wrong"),
    "wrong_validator": Advice(EACH, "Validators accept every right answer and no wrong one. Reviewers found misjudged"),
    "other": Advice(WHOLE, "Mind what reviewers said"),
}


def amendments_by_rule(comments: Sequence[GuideComment], guide_text: str) -> list[NewAmendment]:
    """Return one addition for each kind of comment that occurs, in the order of the kinds."""
    known = {title.casefold() for title in guide_sections(guide_text)}
    order: dict[str, int] = {kind: position for position, kind in enumerate(COMMENT_KINDS)}
    ranked = sorted(comments, key=lambda comment: order.get(comment.kind, len(order)))
    return [_drafted(kind, list(found), known) for kind, found in groupby(ranked, key=lambda comment: comment.kind)]


def _drafted(kind: str, comments: list[GuideComment], known: set[str]) -> NewAmendment:
    advice = ADVICE.get(kind, ADVICE["other"])
    quotes = "; ".join(f'"{_quoted(comment.text)}"' for comment in comments[:MAX_QUOTES])
    more = f" and {len(comments) - MAX_QUOTES} more" if len(comments) > MAX_QUOTES else ""
    count = f"{len(comments)} comment{'s' if len(comments) > 1 else ''} of the kind {kind}"
    return NewAmendment(
        old_text="",
        new_text=f"- {advice.text}: {quotes}{more}.",
        section=advice.section if advice.section.casefold() in known else "",
        reason=f"{DRAFT_MARK} {count}",
        comment_ids=tuple(comment.ref for comment in comments),
    )


def _quoted(text: str) -> str:
    flat = " ".join(text.split()).replace('"', "'").rstrip(".")
    return flat if len(flat) <= MAX_QUOTE_CHARS else f"{flat[:MAX_QUOTE_CHARS]}..."


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
            proposal = _by_model(ws, client, guide, comments, rng_seed, on_event)
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


def amend_request(
    ws: Workspace, guide: GuideRevision, comments: Sequence[GuideComment], book: PromptBook
) -> PromptRequest:
    """Return what a model is asked for changes of the guide: comments, the problems they are about, and edits."""
    return book.request(
        "amend",
        {
            "guide": [block("guide", guide.text)],
            "comments": [
                block("comments", "\n".join(map(_comment_line, reversed(comments)))),
                evidence_block(ws, comments),
            ],
        },
        number=str(guide.number),
        sections=", ".join(f'"{title}"' for title in guide_sections(guide.text)) or "(none: leave it empty)",
        most=str(MAX_AMENDMENTS),
    )


def _by_model(
    ws: Workspace,
    client: ModelClient,
    guide: GuideRevision,
    comments: Sequence[GuideComment],
    rng_seed: int,
    on_event: OnEvent,
) -> _Proposal:
    shown = comments[-MAX_COMMENTS:]
    book = PromptBook(ws.root)
    request = amend_request(ws, guide, shown, book)
    refs = frozenset(comment.ref for comment in shown)

    def assess(answer: Completion) -> Assessment[tuple[NewAmendment, ...]]:
        found = read_amendments(answer.text, guide_text=guide.text, comments=refs)
        complaint = CUT_OFF if found.changes is None and answer.cut_off else "\n".join(found.complaints)
        return Assessment(found.changes, complaint, len(found.complaints))

    dialogue = RepairLoop(client, "amendment", rng_seed, AMEND_TOKENS, AMEND_TEMPERATURE, on_event=on_event, book=book)
    changes = dialogue.ask(request, assess)
    provenance = {**dialogue.provenance(), "guide_revision": guide.number}
    return _Proposal(changes, provenance)


def _comment_line(comment: GuideComment) -> str:
    place = f"{comment.subject}/{comment.place}" if comment.place else comment.subject
    text = clipped(" ".join(comment.text.split()), MAX_COMMENT_CHARS)
    return f"- {comment.ref} ({comment.kind}, {place}{', resolved' if comment.resolved else ''}): {text}"
