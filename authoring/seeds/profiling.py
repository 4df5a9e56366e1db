"""Profiles data files by reading them in a sandboxed session."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from authoring.seeds.profile import Profile, parse_profile
from evaluator.errors import ContentError, ToolkitError, by_place

if TYPE_CHECKING:
    from evaluator.session import Engine, Outcome

CELLS: Final = Path(__file__).parent / "profile_cell"
PROFILE_PARTS: Final = ("signatures", "reading", "text_forms", "columns", "personal", "relations", "tables")
PROFILE_LIMIT_S: Final = 300.0
NOTEBOOK_LIMIT_S: Final = 30.0
MAX_REFUSAL: Final = 600  # characters of a message that a data file may shape


def build_profile(engine: "Engine", files: Sequence[Path]) -> Profile:
    """Read `files` in a session of `engine` and describe their tables.

    Raises:
        ContentError: If a file is no table; the message names the file and the remedy.
    """
    names = [file.name for file in files]
    source = "\n".join(cell_source(part) for part in PROFILE_PARTS) + f"\nshow_profile({json.dumps(names)})\n"
    with inputs_folder({file.name: file for file in files}) as folder:
        printed = printed_by(engine, source, folder, limit_s=PROFILE_LIMIT_S, about=", ".join(names))
    _refuse(printed)
    profile = parse_profile(printed)
    sizes = {file.name: file.stat().st_size for file in files}
    return replace(profile, tables=tuple(replace(t, size_bytes=sizes.get(t.file, 0)) for t in profile.tables))


def reduce_notebook(engine: "Engine", notebook: Path) -> bytes:
    """Return a notebook of the code and Markdown cells of `notebook`, in order, without outputs, as bytes.

    Raises:
        ContentError: If the file is no notebook or holds no such cell.
    """
    source = cell_source("notebook") + f"\nshow_notebook({json.dumps(notebook.name)})\n"
    with inputs_folder({notebook.name: notebook}) as folder:
        printed = printed_by(engine, source, folder, limit_s=NOTEBOOK_LIMIT_S, about=notebook.name)
    fix = "open it in Jupyter, save it again, or leave the notebook out"
    book = hostile_mapping(printed)
    if "refused" in book:
        what = f"{notebook.name!r} is not a readable notebook: {str(book['refused'])[:MAX_REFUSAL]}"
        raise ContentError(what, where=str(notebook), fix=fix)
    cells = [_notebook_cell(**cell) for cell in _cells(book) if cell["source"].strip()]
    if not cells:
        raise ContentError(f"{notebook.name!r} holds no code and no text", where=str(notebook), fix=fix)
    whole = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    return json.dumps(whole, ensure_ascii=True, indent=1).encode()


def _notebook_cell(kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell


def cell_source(part: str) -> str:
    """Return the text of one part of the profile cell."""
    return (CELLS / f"{part}.py").read_text(encoding="utf-8")


@contextmanager
def inputs_folder(files: Mapping[str, Path]) -> Iterator[Path]:
    """Yield a folder that holds `files` under the given names, by links where the file system allows."""
    from evaluator.session import scratch_folder

    with scratch_folder() as folder:
        folder.chmod(0o755)
        place_files(files, folder)
        yield folder


def place_files(files: Mapping[str, Path], folder: Path) -> None:
    """Put `files` into `folder` under the given names, by links where the file system allows."""
    for name, source in files.items():
        try:
            os.link(source.resolve(), folder / name)
        except OSError:
            shutil.copyfile(source, folder / name)


def printed_by(engine: "Engine", source: str, folder: Path, *, limit_s: float, about: str) -> str:
    """Execute `source` in a session that finds the files of `folder`, and return what it printed, which is hostile.

    Raises:
        ContentError: If the files, named by `about`, need more time, output or memory than allowed.
    """
    from evaluator.session import CellLimits

    key = "profile-" + hashlib.sha256(about.encode()).hexdigest()[:12]
    with engine.open(key=key, inputs=folder) as session:
        outcome = session.attempt(source, limits=CellLimits(wall_s=limit_s))
    if outcome.ending == "ok":
        return _printed(outcome)
    reason = {"timed_out": f"takes longer than {limit_s:.0f} s", "over_limit": "prints too much"}
    if outcome.ending == "died" or (outcome.error is not None and outcome.error.name == "MemoryError"):
        raise ContentError(f"reading {about} needs more memory than allowed", fix="give a smaller file")
    if outcome.ending in reason:
        refusal = ContentError(f"reading {about} {reason[outcome.ending]}", fix="give a smaller file")
        raise by_place(refusal) if outcome.ending == "timed_out" else refusal  # a machine with less to do may do it
    error = outcome.error
    what = f"{error.name}: {error.message}" if error is not None else str(outcome.ending)
    raise ToolkitError(f"reading {about} failed: {what[:MAX_REFUSAL]}", fix="report this file's shape to us")


def _printed(outcome: "Outcome") -> str:
    return "".join(
        str(output.get("text", ""))
        for output in outcome.outputs
        if output.get("output_type") == "stream" and output.get("name") == "stdout"
    )


def hostile_mapping(printed: str) -> dict[str, Any]:
    """Return the JSON object in hostile text."""
    try:
        found = json.loads(printed)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ContentError(
            "the file could not be described", fix="open it in the program that wrote it and save it again"
        )
    return found


def _cells(book: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the cells of a reduced notebook, checked field by field."""
    cells = book.get("cells")
    kept = []
    for cell in cells if isinstance(cells, list) else []:
        if not isinstance(cell, dict) or cell.get("type") not in {"code", "markdown"}:
            continue
        if isinstance(cell.get("source"), str):
            kept.append({"kind": str(cell["type"]), "source": str(cell["source"])})
    return kept


def _refuse(printed: str) -> None:
    """Raise the refusal that the cell printed, if it did."""
    if not printed.startswith('{"refused"'):
        return
    refused = hostile_mapping(printed).get("refused")
    said = refused if isinstance(refused, dict) else {}
    file, what, fix = (_sentence(said.get(key, "")) for key in ("file", "what", "fix"))
    raise ContentError(f"{file!r} {what}", where=file, fix=fix)


def _sentence(value: object) -> str:
    return "".join(c if c.isprintable() else " " for c in str(value))[:MAX_REFUSAL]
