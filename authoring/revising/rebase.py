"""Bring a text that was edited on an older revision onto the head, or an older revision back on top."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from authoring.revising.affected.rerunning import find_base
from authoring.revising.merging import Conflict, Merged, Side, merge_texts
from authoring.store import problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError, error_from_os
from evaluator.language.document import Document

MAX_FILE_BYTES: Final = 5_000_000


@dataclass(frozen=True)
class Brought:
    """Somebody's text put together with what others saved since."""

    head: Revision  # theirs
    base: Revision  # what both started from
    merged: Merged

    def error(self) -> ContentError:
        """Return what, where and fix of conflicts that are left."""
        left = self.merged.conflicts
        listed = ", ".join(_place(conflict) for conflict in left)
        fix = "decide each: --take mine:PROBLEM or --take theirs:PROBLEM; or all at once: --take mine"
        label = f"{self.head.problemset_name}@{self.head.number}"
        count = "one place was" if len(left) == 1 else f"{len(left)} places were"
        return ContentError(f"{count} changed by both: {listed}", where=label, fix=fix)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values without the text."""
        return {
            "problemset": self.head.problemset_name,
            "base": self.base.number,
            "theirs": self.head.number,
            "conflicts": [each.to_json() for each in self.merged.conflicts],
            "decided": [each.to_json() for each in self.merged.decided],
            "from_mine": list(self.merged.from_mine),
        }


def bring_onto_head(
    ws: Workspace, ref: str | int, *, base: str | int, mine: Path, takes: Mapping[str, Side] | None = None
) -> Brought:
    """Merge a text with the head of a problemset.

    Args:
        ws: The workspace.
        ref: Name or id of the head's revision; NAME is the newest.
        base: The revision that `mine` was edited on: its number, or as `ref`.
        mine: The file with the whole edited text.
        takes: Key or number of a problem, `setup1`, `order` or `preamble` -> whose text is taken where both clash;
            `*` stands for all others.

    Raises:
        UsageError: If there is no such revision, or `takes` names what is in neither text.
    """
    head = revisions.find(ws, ref)
    older = find_base(ws, head, base)
    assert older is not None, "a base that is named is found or refused"
    text = read_text_file(mine)
    keyed = {_key(name, head, text): side for name, side in (takes or {}).items()}
    return Brought(head, older, merge_texts(head.problemset_name, older.text, head.text, text, takes=keyed))


def read_text_file(path: Path) -> str:
    """Return the text of a file, line ends as they are.

    Raises:
        ContentError: If it is too large or not UTF-8.
        UsageError: If it cannot be read.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            what = f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB"
            raise ContentError(what, where=str(path), fix="name the right file")
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ContentError("the file is not UTF-8", where=str(path), fix="save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"the file cannot be read: {error.strerror}", where=str(path), fix="check its name") from error


def write_merged(path: Path, text: str) -> None:
    """Write a merged text, line ends as they are.

    Raises:
        ToolkitError: If the disk refuses.
    """
    try:
        path.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise error_from_os(error) from error


def save_brought(ws: Workspace, brought: Brought, *, by: str) -> Revision:
    """Save a merged text as the new head.

    Raises:
        ContentError: If conflicts are left.
        ConflictError: If the head moved once more.
    """
    if brought.merged.text is None:
        raise brought.error()
    message = f"merged with {brought.head.problemset_name}@{brought.head.number}, edited on @{brought.base.number}"
    merged_from = {"base": brought.base.id, "theirs": brought.head.id}
    return revisions.save(
        ws,
        brought.head.problemset_id,
        brought.merged.text,
        base_revision_id=brought.head.id,
        author=by,
        message=message,
        provenance={"merged": merged_from},
    )


def read_takes(words: list[str]) -> dict[str, Side]:
    """Read `mine`, `theirs:load` and the like.

    Raises:
        UsageError: If a word does not begin with a side.
    """
    takes: dict[str, Side] = {}
    for word in words:
        side, _, name = word.partition(":")
        if side not in list(Side):
            fix = "write mine or theirs for all of them, or mine:PROBLEM for one"
            raise UsageError(f"--take does not know {word!r}", where="--take", fix=fix)
        takes[name.strip() or "*"] = Side(side)
    return takes


def _key(name: str, head: Revision, mine: str) -> str:
    if name in ("*", "order", "preamble"):
        return name
    for text in (head.text, mine):
        cell = Document.parse(text, name=head.problemset_name).find(name)
        if cell is not None:
            return cell.key
    raise UsageError(f"no cell is called {name!r}", where="--take", fix="use a name that the list of conflicts shows")


def _place(conflict: Conflict) -> str:
    return f"{conflict.cell} ({conflict.field})" if conflict.cell else f"the {conflict.field}"


def restore_revision(ws: Workspace, ref: str | int, *, by: str, base_revision_id: int | None = None) -> Revision:
    """Save the text of an older revision as the new head of its problemset, and return that.

    Args:
        ws: The workspace.
        ref: The revision: its id, or NAME@3.
        by: Who restores it.
        base_revision_id: The head that the person saw; None: whatever is the head now.

    Raises:
        UsageError: If there is no such revision.
        ConflictError: If the head is no longer the one that the person saw.
    """
    older = revisions.find(ws, ref)
    head_id = base_revision_id or problemsets.find(ws, older.problemset_id).head_revision_id
    return revisions.save(
        ws,
        older.problemset_id,
        older.text,
        base_revision_id=head_id,
        author=by,
        message=f"restored revision {older.number}",
        provenance={"restored": older.id},
    )
