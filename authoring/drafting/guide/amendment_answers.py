"""Read amendments out of a model's answer: tolerant of the form, strict about what they rest on. Raises nothing."""

import re
from collections.abc import Mapping, Set
from typing import Any, Final, NamedTuple

from authoring.prompting.model_answers import json_values
from authoring.store import NewAmendment, amended_text
from evaluator.errors import ContentError

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
    listed = refs if isinstance(refs, list | tuple) else [refs]
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
