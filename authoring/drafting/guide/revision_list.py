"""The guide's revisions for people."""

import difflib
from pathlib import Path
from typing import Final

from authoring.prompting.prompts import guide_revision
from authoring.store import GuideRevision, Workspace, find_guide
from evaluator.errors import ContentError, UsageError

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
