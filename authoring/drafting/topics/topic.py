"""Topics: what a notebook-style set is to be about, in YAML that people edit; the list that a workspace keeps."""

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError, error_from_machine
from evaluator.language import read_yaml, write_yaml

MAX_FILE_CHARS: Final = 500_000
MAX_TOPICS: Final = 500
MAX_MODULES: Final = 5
_MODULE: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


@dataclass(frozen=True)
class Topic:
    """One topic of one or more Python modules."""

    title: str
    modules: tuple[str, ...]  # as they are imported
    description: str = ""
    knowledge_points: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What two topics with the same words share."""
        words: list[str] = re.findall(r"\w+", self.title.casefold())
        return " ".join(sorted(words))


class _Topic(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1, max_length=300)
    modules: list[str] = Field(min_length=1, max_length=MAX_MODULES)
    description: str = Field(default="", max_length=4000)
    knowledge_points: list[str] = Field(default=[], max_length=30)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    topics: list[_Topic] = Field(min_length=1, max_length=MAX_TOPICS)


def checked_modules(modules: Sequence[str]) -> tuple[str, ...]:
    """Return names of modules without repeats.

    Raises:
        UsageError: If one of them is no name that can be imported, or there is none.
    """
    bad = [name for name in modules if not _MODULE.fullmatch(name)]
    if bad or not modules:
        what = f"{bad[0]!r} is no name of a module" if bad else "no module is named"
        raise UsageError(what, fix="name modules as they are imported, such as pandas scipy.stats")
    return tuple(dict.fromkeys(modules))


def write_topics(topics: Sequence[Topic]) -> str:
    """Return topics as a file to edit."""
    rows: list[dict[str, Any]] = []
    for topic in topics:
        row: dict[str, Any] = {"title": topic.title, "modules": list(topic.modules)}
        if topic.description:
            row["description"] = topic.description
        if topic.knowledge_points:
            row["knowledge_points"] = list(topic.knowledge_points)
        rows.append(row)
    return write_yaml({"topics": rows})


def add_topics(path: Path, topics: Sequence[Topic]) -> None:
    """Add topics at the end of a file, which is made if it is not there; what stands in it stays as it is.

    Raises:
        UsageError: If it cannot be written.
    """
    text = write_topics(topics)
    try:
        before = path.read_text(encoding="utf-8").rstrip() + "\n" if path.exists() else ""
        added = text.split("\n", 1)[1] if before else text  # the list goes on below its key
        path.write_text(before + added, encoding="utf-8")
    except OSError as error:
        what = f"{path.name!r} cannot be written: {error.strerror}"
        raise UsageError(what, where=str(path), fix="name another file with --file") from error


def find_topic(topics: Sequence[Topic], ref: str) -> Topic:
    """Return the topic with that number (from 1) or title.

    Raises:
        UsageError: If there is none.
    """
    if ref.isascii() and ref.isdigit() and 1 <= int(ref[:9]) <= len(topics):
        return topics[int(ref) - 1]
    wanted = Topic(ref, ()).key
    found = next((topic for topic in topics if topic.key == wanted), None)
    if found is None:
        shown = "; ".join(f"{number}: {topic.title}" for number, topic in enumerate(topics[:8], start=1))
        raise UsageError(f"there is no topic {ref!r}", fix=f"use a number or a title, such as {shown}")
    return found


def read_topics(path: Path) -> tuple[Topic, ...]:
    """Read a file of topics.

    Raises:
        UsageError: If there is no such file.
        ContentError: If it is no such file; the message names the place.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        what = f"{path.name!r} cannot be read: {error.strerror}"
        raise UsageError(what, where=str(path), fix="check the path") from error
    except UnicodeDecodeError:
        raise ContentError(f"{path.name!r} is not UTF-8", where=str(path), fix="save it as UTF-8") from None
    fix = "write a list 'topics:' with 'title' and 'modules' for each"
    if len(text) > MAX_FILE_CHARS:
        raise ContentError(f"{path.name!r} is too long", where=str(path), fix="split it")
    document = read_yaml(text)
    if document.faults:
        first = document.faults[0]
        raise ContentError(first.what, where=f"{path}:{first.line}", fix=first.fix or fix)
    try:
        file = _File.model_validate(document.value)
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first_error["loc"])) or "the file"
        raise ContentError(f"{place}: {first_error['msg']}", where=str(path), fix=fix) from None
    return tuple(
        Topic(
            " ".join(row.title.split()),
            checked_modules(row.modules),
            row.description,
            tuple(row.knowledge_points),
        )
        for row in file.topics
    )


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
