"""How problems came to read as they do: their texts through the revisions, and what people changed, as differences."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from authoring.prompting.blocks import Unit, cut_to_tokens
from authoring.store import revisions
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.language import OwnValidators
from evaluator.language.document import Document

MAX_EDITS: Final = 3  # of one problem; the newest
MAX_EDIT_TOKENS: Final = 700
CONTEXT_LINES: Final = 2


class ProblemText(NamedTuple):
    """One problem as it stood in a revision."""

    revision: Revision
    cell: str  # the whole cell, without white space around it


class Edit(NamedTuple):
    """A change of one problem: by one revision, or by several that people saved one after the other."""

    before: ProblemText
    after: ProblemText
    by_people: bool

    def text(self) -> str:
        """Return it as a model reads it: between which versions, by whom, and the lines that differ."""
        before, after = self.before.revision, self.after.revision
        head = f"From version {before.number} to {after.number}, by {after.author}"
        return f"{head}:\n{difference(self.before.cell, self.after.cell)}"


@dataclass(frozen=True)
class SetHistory:
    """The revisions of one problemset, oldest first."""

    revisions: tuple[Revision, ...]
    own_validators: OwnValidators | None = field(default=None, repr=False)

    @classmethod
    def of(cls, ws: Workspace, problemset_id: int, own_validators: OwnValidators | None = None) -> "SetHistory":
        """Read the history of a problemset."""
        return cls(tuple(revisions.select(ws, problemset_id)), own_validators)

    def texts(self, problem: str, revision_id: int | None = None) -> tuple[ProblemText, ...]:
        """Return one problem through the revisions that hold it, oldest first; none where it is not found.

        Args:
            problem: Its id.
            revision_id: The revision in which it has that id; None: the newest.
        """
        ids = [revision.id for revision in self.revisions]
        start = ids.index(revision_id) if revision_id in ids else len(ids) - 1
        cell = self._documents[start].find(problem)
        if cell is None or not cell.is_problem:
            return ()
        found = {start: cell.position}
        for index in range(start, 0, -1):
            back = {new: old for old, new in self._documents[index - 1].align(self._documents[index]).items()}
            if found[index] not in back:
                break
            found[index - 1] = back[found[index]]
        for index in range(start, len(ids) - 1):
            there = self._documents[index].align(self._documents[index + 1])
            if found[index] not in there:
                break
            found[index + 1] = there[found[index]]
        return tuple(
            ProblemText(self.revisions[index], self._documents[index].cells[place].raw.strip())
            for index, place in sorted(found.items())
        )

    @cached_property
    def _documents(self) -> tuple[Document, ...]:
        return tuple(revision.document(self.own_validators) for revision in self.revisions)


def edits_between(texts: Sequence[ProblemText]) -> tuple[Edit, ...]:
    """Return how a problem changed, oldest first; what people saved one after the other is one edit."""
    edits: list[Edit] = []
    for before, after in pairwise(texts):
        if before.cell == after.cell:
            continue
        by_people = after.revision.origin is Origin.PERSON
        if edits and by_people and edits[-1].by_people:
            edits[-1] = Edit(edits[-1].before, after, by_people=True)
        else:
            edits.append(Edit(before, after, by_people))
    return tuple(edits)


def human_edits(texts: Sequence[ProblemText]) -> tuple[Edit, ...]:
    """Return the newest edits of a problem by people, oldest first."""
    return tuple(edit for edit in edits_between(texts) if edit.by_people)[-MAX_EDITS:]


def difference(before: str, after: str) -> str:
    """Return the lines of two cells that differ, with a few around them, as a fenced unified difference."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=CONTEXT_LINES, lineterm="")
    shown = "\n".join(list(lines)[2:])  # below the two lines that name files
    return f"```diff\n{cut_to_tokens(shown, MAX_EDIT_TOKENS, Unit.LINES)}\n```"
