"""Exercise notebooks of our own in the ways in which such are published, and the data that they read."""

import json
import shutil
from pathlib import Path
from typing import Any, Final

Cell = tuple[str, str]

VISITS: Final = "\n".join(
    ["visit_id\tday\tmuseum\tvisitors\tfee"]
    + [
        f"{n}\t2024-0{1 + n % 4}-{1 + n % 27:02d}\t{'ABC'[n % 3]}\t{(n * 37) % 91 + 5}\t${(n % 5) + 2}.50"
        for n in range(120)
    ]
)
STAFF: Final = "\n".join(
    ["user_id|age|gender|job"]
    + [f"{n}|{20 + (n * 7) % 45}|{'MF'[n % 2]}|{['guide', 'guard', 'clerk'][n % 3]}" for n in range(90)]
)


def notebook(*cells: Cell) -> bytes:
    made: list[dict[str, Any]] = [
        {
            **{"cell_type": kind, "source": source.splitlines(keepends=True), "metadata": {}},
            **({"outputs": [], "execution_count": None} if kind == "code" else {}),
        }
        for kind, source in cells
    ]
    book = {"cells": made, "nbformat": 4, "nbformat_minor": 2, "metadata": {"language_info": {"name": "python"}}}
    return json.dumps(book).encode()


def md(source: str) -> Cell:
    return "markdown", source


def py(source: str = "") -> Cell:
    return "code", source


def _cells(path: Path) -> tuple[Cell, ...]:
    book = json.loads(path.read_text(encoding="utf-8"))
    return tuple((str(cell["cell_type"]), "".join(cell["source"])) for cell in book["cells"])


_FILES: Final = {  # notebooks, not called so: their code is not ours to lint
    path.stem: path for path in sorted((Path(__file__).parent / "books").glob("*.json"))
}
BOOKS: Final = {name: _cells(path) for name, path in _FILES.items()}
GROUPING: Final = BOOKS["grouping"]
QUESTIONS: Final = tuple(
    ("code", "" if number % 2 else "# YOUR CODE HERE\nraise NotImplementedError()")
    if kind == "code"
    else (kind, source)
    for number, (kind, source) in enumerate(GROUPING)
)
"""The notebook about grouping as it is given to those who shall solve it."""
INPUTS: Final = {"visits.tsv": VISITS, "staff.user": STAFF, "notes": "one\ntwo\n"}


def write_books(folder: Path) -> dict[str, Path]:
    """Copy every notebook, and write its data, into a folder, where a set made of it finds its inputs."""
    (folder / "_inputs").mkdir()
    for name, text in INPUTS.items():
        (folder / "_inputs" / name).write_text(text)
    return {name: Path(shutil.copy(path, folder / f"{name}.ipynb")) for name, path in _FILES.items()}
