"""Reads notebook files of strangers: plain JSON under limits, never executed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evaluator.errors import ContentError, UsageError

MAX_NOTEBOOK_BYTES: Final = 50_000_000  # stored pictures count; they are not kept
MAX_CELLS: Final = 5_000
MAX_CELL_CHARS: Final = 100_000
_WIDGET: Final = "application/vnd.jupyter.widget"
_FIX: Final = "open it in Jupyter and save it again"


@dataclass(frozen=True)
class NotebookCellRead:
    """One cell of a notebook, without its outputs."""

    number: int  # from 1, as people count them
    kind: str  # markdown | code | raw
    source: str
    metadata: Mapping[str, Any] = field(default_factory=dict)  # what we wrote into it, if anything
    draws: bool = False  # an output of it is a picture
    has_widget: bool = False  # an output of it is a widget


@dataclass(frozen=True)
class NotebookRead:
    """A notebook's cells and what we wrote into it as a whole."""

    name: str  # the file's stem
    cells: tuple[NotebookCellRead, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)


def read_notebook_file(path: Path, *, key: str = "benchwright") -> NotebookRead:
    """Read code, Markdown and raw cells of a `.ipynb` file (nbformat 3 and 4).

    Raises:
        UsageError: If there is no such file.
        ContentError: If it is too large or no notebook.
    """
    try:
        size = path.stat().st_size
        if size > MAX_NOTEBOOK_BYTES:
            what = f"{path.name!r} has {size / 1e6:,.0f} MB; at most {MAX_NOTEBOOK_BYTES / 1e6:,.0f} MB are read"
            raise ContentError(what, where=str(path), fix="clear its outputs and save it")
        data = path.read_bytes()
    except OSError as error:
        what = f"{path.name!r} cannot be read: {error.strerror}"
        raise UsageError(what, where=str(path), fix="check the path") from error
    try:
        book = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        what = f"{path.name!r} is no readable notebook: {str(error)[:200]}"
        raise ContentError(what, where=str(path), fix=_FIX) from None
    return _notebook(book, path, key)


def _notebook(book: Any, path: Path, key: str) -> NotebookRead:
    cells = _raw_cells(book)
    if cells is None:
        raise ContentError(f"{path.name!r} is no notebook: it has no cells", where=str(path), fix=_FIX)
    if len(cells) > MAX_CELLS:
        what = f"{path.name!r} has {len(cells):,} cells; at most {MAX_CELLS:,} are read"
        raise ContentError(what, where=str(path), fix="split it")
    read = [_cell(number, cell, key) for number, cell in enumerate(cells, start=1)]
    return NotebookRead(path.stem, tuple(cell for cell in read if cell is not None), _own(book, key))


def _raw_cells(book: Any) -> list[Any] | None:
    """Return the cells of a notebook of format 4, or of all worksheets of one of format 3."""
    if not isinstance(book, dict):
        return None
    if isinstance(book.get("cells"), list):
        return list(book["cells"])
    sheets = book.get("worksheets")
    if not isinstance(sheets, list):
        return None
    return [cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells") or []]


def _cell(number: int, cell: Any, key: str) -> NotebookCellRead | None:
    if not isinstance(cell, dict):
        return None
    kind = {"heading": "markdown"}.get(str(cell.get("cell_type")), str(cell.get("cell_type")))
    if kind not in ("markdown", "code", "raw"):
        return None
    source = _text(cell["source"] if "source" in cell else cell.get("input"))
    outputs = cell.get("outputs") if isinstance(cell.get("outputs"), list) else []
    return NotebookCellRead(
        number,
        kind,
        _heading_mark(cell) + source[:MAX_CELL_CHARS],
        _own(cell, key),
        draws=any(map(_is_picture, outputs or [])),
        has_widget=any(name.startswith(_WIDGET) for output in outputs or [] for name in _kinds(output)),
    )


def _heading_mark(cell: Mapping[str, Any]) -> str:
    """Return the hashes of a heading cell of format 3."""
    level = cell.get("level", 1)
    return f"{'#' * level} " if cell.get("cell_type") == "heading" and level in range(1, 7) else ""


def _own(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    metadata = holder.get("metadata")
    own = metadata.get(key) if isinstance(metadata, dict) else None
    return own if isinstance(own, dict) else {}


def _text(value: Any) -> str:
    lines = value if isinstance(value, list) else [value]
    text = "".join(line for line in lines if isinstance(line, str))
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def _is_picture(output: Any) -> bool:
    return any(name.startswith("image/") or name in {"png", "jpeg", "svg"} for name in _kinds(output))


def _kinds(output: Any) -> set[str]:
    """Return the names of the forms that an output has."""
    if not isinstance(output, dict):
        return set()
    data = output.get("data")
    names = {*output, *(data if isinstance(data, dict) else ())}
    return {name for name in names if isinstance(name, str)}
