"""The topics of a workspace: one YAML file in its folder, which the command line reads and writes too."""

import fcntl
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from authoring.drafting.topics.topic import Topic, add_topics, read_topics
from authoring.store import Workspace
from evaluator.errors import ContentError, error_from_machine

FILE_NAME: Final = "topics.yaml"


def topics_file(ws: Workspace) -> Path:
    """Return the file; it need not exist yet."""
    return ws.root / FILE_NAME


def topics_text(ws: Workspace) -> str:
    """Return the file as it stands; empty when there is none."""
    path = topics_file(ws)
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def known_topics(ws: Workspace) -> tuple[Topic, ...]:
    """Return the topics of the workspace.

    Raises:
        ContentError: If the file is none of topics; the message names the place.
    """
    path = topics_file(ws)
    return read_topics(path) if path.exists() and path.stat().st_size else ()


def keep_topics(ws: Workspace, topics: Sequence[Topic]) -> None:
    """Add topics to the file; what people wrote in it stays as it is."""
    with _alone(ws):
        add_topics(topics_file(ws), topics)


def save_topics_text(ws: Workspace, text: str, *, base: str) -> None:
    """Replace the file by an edited text; an empty one removes it.

    Args:
        ws: The workspace.
        text: The whole file.
        base: The text that the editing began with.

    Raises:
        ContentError: If the text is no list of topics, or the file was changed since the editing began.
        ToolkitError: If it cannot be written.
    """
    path = topics_file(ws)
    with _alone(ws):
        if topics_text(ws) != base:
            raise ContentError(
                "the topics were changed while you edited them",
                where=str(path),
                fix="look at both texts, then save again over the newest",
            )
        if not text.strip():
            path.unlink(missing_ok=True)
            return
        try:
            _replace(path, text)
        except OSError as error:
            raise error_from_machine(error) or error from error


def _replace(path: Path, text: str) -> None:
    """Put a text into the place of a file once it reads as topics."""
    descriptor, name = tempfile.mkstemp(prefix=".topics-", suffix=".yaml", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text if text.endswith("\n") else f"{text}\n")
        try:
            read_topics(draft)
        except ContentError as error:
            raise ContentError(error.what, where=error.where.replace(str(draft), path.name), fix=error.fix) from error
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _alone(ws: Workspace) -> Iterator[None]:
    """Let one writer at a time in; the lock ends with its holder."""
    descriptor = os.open(ws.root, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
