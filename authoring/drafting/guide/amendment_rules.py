"""Amendments without a model: one for each kind of comment, which quotes what was said. Drafts for a person to edit."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from authoring.store import COMMENT_KINDS, GuideComment, NewAmendment, guide_sections

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
    order = {kind: position for position, kind in enumerate(COMMENT_KINDS)}
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
