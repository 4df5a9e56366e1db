"""The revisions of the guide, and what each came to: counts over the drafts that were written with it."""

import difflib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from authoring.edits import Edits, edits_between, problem_ids
from authoring.prompting.prompts import guide_revision
from authoring.store.drafting.guide import GuideRevision, find_guide
from authoring.store.effort import MinutesRow, list_minutes
from authoring.store.histories import SetHistory, revision_texts, set_histories
from authoring.store.reviewing.reviews import COMMENT_KINDS
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError


@dataclass(frozen=True)
class AcceptedEdits:
    """What people changed in an accepted set before it was accepted."""

    edits: Edits
    problems: tuple[str, ...]  # ids in the accepted revision


@dataclass(frozen=True)
class GuideEffect:
    """Counts over the drafts by models and templates that one revision of the guide was given to.

    A quotient without a denominator is None: unknown, not 0.
    """

    guide_number: int | None  # None: drafts from before the guide had numbers
    drafts: int  # problemsets whose first revision a model or a template wrote (count)
    accepted: int  # of them, those that are accepted now (count)
    acceptance_rate: float | None  # accepted / drafts, 0..1
    problems: int  # in the accepted revisions (count)
    cells_changed: int  # changed, added or removed by people before acceptance, summed over their revisions (count)
    edits_per_problem: float | None  # cells_changed / problems
    revision_rate: float | None  # problems that people changed or added / problems, 0..1
    validator_changes: int  # problems whose validators people changed, summed over their revisions (count)
    incomparable: int  # revisions by people left out of the edits, because they or their parents do not parse (count)
    minutes: float  # recorded for accepted sets: revision, review and sketch
    measured_problems: int  # in those accepted sets that have minutes at all (count)
    minutes_per_problem: float | None  # minutes / measured_problems
    comments: Mapping[str, int]  # on all drafts, by kind, all kinds named (count)
    repairs: int  # answers of models that were sent back, for all drafts (count)
    tokens: int  # read and written for the first revisions of all drafts (count)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**asdict(self), "comments": dict(self.comments)}


def guide_effects(ws: Workspace) -> tuple[GuideEffect, ...]:
    """Return the effect of each guide revision that drafts were written with, oldest first."""
    histories = [history for history in set_histories(ws) if history.is_draft]
    return count_effects(histories, accepted_edits(ws, histories), list_minutes(ws))


def accepted_edits(ws: Workspace, histories: Iterable[SetHistory]) -> dict[int, AcceptedEdits]:
    """Return what people changed in each accepted set, by the set's id."""
    return {history.id: _accepted(ws, history) for history in histories if history.accepted_id is not None}


def count_effects(
    histories: Sequence[SetHistory], edited: Mapping[int, AcceptedEdits], minutes: Iterable[MinutesRow]
) -> tuple[GuideEffect, ...]:
    """Return one row for each guide revision that occurs; those without a number come first.

    Args:
        histories: Of drafts only.
        edited: For each accepted set.
        minutes: All that are recorded; those of other sets are left out.
    """
    spent: dict[int, float] = defaultdict(float)
    for row in minutes:
        if row.problemset_id is not None:
            spent[row.problemset_id] += row.minutes
    groups: dict[int | None, list[SetHistory]] = defaultdict(list)
    for history in histories:
        groups[history.guide_number].append(history)
    order = sorted(groups, key=lambda number: -1 if number is None else number)
    return tuple(_effect(number, groups[number], edited, spent) for number in order)


def _effect(
    number: int | None, drafts: Sequence[SetHistory], edited: Mapping[int, AcceptedEdits], spent: Mapping[int, float]
) -> GuideEffect:
    accepted = [draft for draft in drafts if draft.accepted_id is not None and draft.id in edited]
    done = [edited[draft.id] for draft in accepted]
    problems, cells = sum(len(one.problems) for one in done), sum(one.edits.cells for one in done)
    changed = sum(len(one.edits.problems.intersection(one.problems)) for one in done)
    minutes = sum(spent.get(draft.id, 0.0) for draft in accepted)
    measured = sum(len(edited[draft.id].problems) for draft in accepted if spent.get(draft.id))
    kinds = Counter(kind for draft in drafts for kind in draft.comment_kinds)
    return GuideEffect(
        guide_number=number,
        drafts=len(drafts),
        accepted=len(accepted),
        acceptance_rate=_quotient(len(accepted), len(drafts)),
        problems=problems,
        cells_changed=cells,
        edits_per_problem=_quotient(cells, problems),
        revision_rate=_quotient(changed, problems),
        validator_changes=sum(one.edits.validators for one in done),
        incomparable=sum(one.edits.unreadable for one in done),
        minutes=round(minutes, 2),
        measured_problems=measured,
        minutes_per_problem=_quotient(minutes, measured),
        comments={kind: kinds[kind] for kind in COMMENT_KINDS},
        repairs=sum(_count(draft, "repairs") for draft in drafts),
        tokens=sum(_count(draft, "prompt_tokens") + _count(draft, "completion_tokens") for draft in drafts),
    )


def _accepted(ws: Workspace, history: SetHistory) -> AcceptedEdits:
    steps = history.until_accepted
    by_people = [step for step in steps if step.origin == Origin.PERSON and step.parent_id is not None]
    wanted = {step.id for step in by_people} | {step.parent_id for step in by_people if step.parent_id}
    texts = revision_texts(ws, {*wanted, steps[-1].id})
    pairs = [(texts[step.parent_id], texts[step.id]) for step in by_people if step.parent_id is not None]
    return AcceptedEdits(edits_between(pairs), problem_ids(texts[steps[-1].id]))


def _quotient(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


def _count(draft: SetHistory, key: str) -> int:
    value = draft.provenance.get(key)
    return value if isinstance(value, int) else 0


MAX_FILE_BYTES: Final = 400_000


def shown_guide(ws: Workspace, number: int | None = None) -> GuideRevision:
    """Return one revision of the guide; None: the newest, which is the shipped text in a new workspace.

    Raises:
        UsageError: If there is no such revision.
    """
    newest = guide_revision(ws)
    return newest if number is None else find_guide(ws, number)


def guide_diff(ws: Workspace, before: int, after: int) -> str:
    """Return what changed between two revisions, as a unified diff; empty when nothing did.

    Raises:
        UsageError: If there is no such revision.
    """
    guide_revision(ws)  # so that number 1 exists
    old, new = find_guide(ws, before), find_guide(ws, after)
    lines = difflib.unified_diff(
        old.text.splitlines(),
        new.text.splitlines(),
        f"guide {old.number}",
        f"guide {new.number}",
        lineterm="",
    )
    return "\n".join(lines)


def read_guide_file(path: Path) -> str:
    """Return the text of a file that a guide, or a part of it, is to be read from.

    Raises:
        ContentError: If it is too long or not UTF-8.
        UsageError: If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"the file cannot be read: {error.strerror}", where=str(path), fix="check the path") from error
    if len(data) > MAX_FILE_BYTES:
        raise ContentError("the file is far too long for a guide", where=str(path), fix="name another file")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ContentError("the file is not UTF-8 text", where=str(path), fix="save it as UTF-8") from error
