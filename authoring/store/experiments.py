"""Experiments of a workspace: YAML files in its folder `experiments`, which people also edit and run by hand."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from authoring.store.database.connections import ConflictError
from authoring.store.database.names import check_name
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError, error_from_os
from evaluator.registry import nearest_name

FOLDER: Final = "experiments"
ENDINGS: Final = (".yaml", ".yml")
MAX_BYTES: Final = 1_000_000
MAX_LISTED: Final = 1_000


@dataclass(frozen=True)
class ExperimentRow:
    """One experiment's file."""

    name: str  # of the file, without its ending
    path: Path
    changed_at: str  # UTC, as other times of the store


@dataclass(frozen=True)
class ExperimentText:
    """What such a file holds."""

    name: str
    path: Path
    text: str
    digest: str  # sha256 of the bytes


def folder_of(ws: Workspace) -> Path:
    """Return the folder of the experiments, as a path."""
    return ws.root / FOLDER


def select(ws: Workspace) -> list[ExperimentRow]:
    """Return the experiments, the one that was changed last first; files that appear and vanish meanwhile are left out.

    Raises:
        ToolkitError: If the folder cannot be read.
    """
    rows: dict[str, ExperimentRow] = {}
    try:
        paths = sorted(folder_of(ws).iterdir()) if folder_of(ws).is_dir() else []
    except OSError as error:
        raise error_from_os(error) from error
    for path in paths:
        if path.suffix in ENDINGS and not path.name.startswith(".") and path.is_file() and path.stem not in rows:
            try:
                changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            except OSError:
                continue
            rows[path.stem] = ExperimentRow(path.stem, path, changed.isoformat(timespec="seconds"))
    return sorted(rows.values(), key=lambda row: row.changed_at, reverse=True)[:MAX_LISTED]


def read(ws: Workspace, name: str) -> ExperimentText:
    """Return what the file of an experiment holds.

    Raises:
        UsageError: If there is none of that name; the fix says the nearest.
        ContentError: If it is too large, or no text.
        ToolkitError: If it cannot be read.
    """
    found = next((row for row in select(ws) if row.name == name), None)
    if found is None:
        near = nearest_name(name, [row.name for row in select(ws)])
        fix = f"open {near!r}" if near else "see the list of experiments"
        what = f"there is no experiment {name[:60]!r}"
        raise UsageError(what, where=f"folder {FOLDER} of the workspace", fix=fix)
    try:
        data = found.path.read_bytes() if found.path.stat().st_size <= MAX_BYTES else None
    except OSError as error:
        raise error_from_os(error) from error
    if data is None:
        raise ContentError("the file has more than 1 MB", where=str(found.path), fix="leave data to other files")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ContentError("the file is no UTF-8 text", where=str(found.path), fix="save it as UTF-8") from error
    return ExperimentText(name, found.path, text, hashlib.sha256(data).hexdigest())


def save(ws: Workspace, name: str, text: str, *, base: str | None) -> ExperimentText:
    """Write the file of an experiment; whole or not at all.

    Args:
        ws: The workspace.
        name: Of the file.
        text: What it shall hold, right or not: an unfinished file is kept as well.
        base: The digest of what the writer has seen there; None: there is none of that name yet.

    Raises:
        UsageError: If a new one cannot be called so.
        ConflictError: If something else lies there now.
        ContentError: If the text is too long, or holds half characters.
        ToolkitError: If it cannot be written.
    """
    from evaluator.running import write_atomically  # late: lists need none of it

    if base is None:
        check_name(name, kind="experiment")
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ContentError("the text holds half a character", where=f"line {line}", fix="type it anew") from error
    if len(data) > MAX_BYTES:
        raise ContentError("the text has more than 1 MB", where=name, fix="leave data to other files")
    with ws.write():  # of two who save at once, the second one sees what the first one wrote
        _refuse_conflict(ws, name, base)
        try:
            folder_of(ws).mkdir(exist_ok=True)
        except OSError as error:
            raise error_from_os(error) from error
        there = next((row.path for row in select(ws) if row.name == name), folder_of(ws) / f"{name}{ENDINGS[0]}")
        write_atomically(there, [data])
    return ExperimentText(name, there, text, hashlib.sha256(data).hexdigest())


def _refuse_conflict(ws: Workspace, name: str, base: str | None) -> None:
    taken = next((row.name for row in select(ws) if row.name.casefold() == name.casefold()), None)
    if base is None:
        if taken is not None:
            raise ConflictError(f"there is already an experiment {taken!r}", where=FOLDER, fix="choose another name")
        return
    now = read(ws, name).digest if taken == name else None
    if now not in (None, base):  # a file that vanished is written again
        what = "somebody else saved this experiment meanwhile"
        fix = "compare both texts below, then save yours over theirs or leave it"
        raise ConflictError(what, where=name, fix=fix)
