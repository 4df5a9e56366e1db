"""DSEAL as a notebook and back: what nobody edits comes back byte for byte, what somebody edits is written anew."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from authoring.conversion.converted import ConversionFinding, Converted, convert
from authoring.conversion.notebook_reader import NotebookCellRead, NotebookRead
from evaluator.errors import ContentError
from evaluator.language import Problem, Problemset, SetupCell, reread

KEY: Final = "benchwright"  # under which our part of a notebook's metadata stands
FORM: Final = 1


def notebook_of(problemset: Problemset) -> bytes:
    """Return a problemset as a notebook of format 4: setup cells as code, problems as Markdown and code.

    The settings of a problem stand in the metadata of its code cell, with the text it was read from. The same
    problemset gives the same bytes.
    """
    import nbformat

    cells = [made for number, cell in enumerate(problemset.cells, start=1) for made in _cells_of(cell, number)]
    metadata = {KEY: {"form": FORM, "name": problemset.name, "preamble": problemset.preamble}}
    metadata |= {"language_info": {"name": "python"}, "kernelspec": {"name": "python3", "display_name": "Python 3"}}
    book = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.validate(book)
    return (json.dumps(book, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _cells_of(cell: SetupCell | Problem, number: int) -> Iterator[Any]:
    from nbformat.v4 import new_code_cell, new_markdown_cell

    raw = cell.raw or ""
    if isinstance(cell, SetupCell):
        own = {"kind": "setup", "raw": raw, "digest": _digest(cell.source)}
        yield new_code_cell(cell.source, id=f"setup-{number}", metadata={KEY: own})
        return
    yield new_markdown_cell(cell.query, id=f"query-{number}", metadata={KEY: {"kind": "query"}})
    own = {"kind": "problem", "raw": raw, "query_digest": _digest(cell.query), "digest": _digest(cell.code)}
    yield new_code_cell(cell.code, id=f"problem-{number}", metadata={KEY: own})


def is_ours(notebook: NotebookRead) -> bool:
    """Return whether `notebook_of` wrote the notebook."""
    return notebook.metadata.get("form") == FORM


def problemset_of(notebook: NotebookRead) -> Converted:
    """Return the problemset that a notebook of ours holds.

    Cells that nobody edited keep their text byte for byte; edited queries and code are written anew around the settings
    they had. A Markdown cell that was added becomes the query of the code below it, code without a query prepares.

    Raises:
        ContentError: If its metadata was damaged, or no problem is left.
    """
    reader = _Reader(notebook.name)
    for cell in notebook.cells:
        reader.take(cell)
    name = str(notebook.metadata.get("name") or notebook.name)
    preamble = notebook.metadata.get("preamble")
    source = f"{notebook.name}.ipynb"
    return convert(name, reader.cells, reader.findings, source=source, preamble=str(preamble or ""))


@dataclass
class _Reader:
    """Takes the cells of a notebook one by one."""

    name: str

    def __post_init__(self) -> None:
        self.cells: list[SetupCell | Problem] = []
        self.findings: list[ConversionFinding] = []
        self.query: str | None = None  # of the problem whose code comes next

    def take(self, cell: NotebookCellRead) -> None:
        kind = cell.metadata.get("kind")
        if cell.kind == "raw":
            what = "a raw cell was added, which no cell of a problemset can hold: it was left out"
            self.findings.append(ConversionFinding("raw-cell", f"cell {cell.number}", "", what, "make it code or text"))
        elif cell.kind == "markdown":
            self.query = cell.source
        elif kind in ("setup", "problem"):
            self._known(cell, is_problem=kind == "problem")
        elif self.query is not None:
            self._add(Problem(query=self.query, code=cell.source), cell)
        else:
            self._add(SetupCell(cell.source), cell)

    def _known(self, cell: NotebookCellRead, *, is_problem: bool) -> None:
        was = _cell_in(cell.metadata, cell.number, self.name)
        if isinstance(was, Problem) != is_problem:
            raise _damaged(self.name, cell.number)
        if isinstance(was, SetupCell):
            same = _digest(cell.source) == cell.metadata.get("digest")
            self.cells.append(was if same else SetupCell(cell.source, title=was.title))
            return
        query = was.query if self.query is None else self.query
        same_query = self.query is None or _digest(query) == cell.metadata.get("query_digest")
        same_code = _digest(cell.source) == cell.metadata.get("digest")
        changed = replace(was, query=was.query if same_query else query, code=was.code if same_code else cell.source)
        self.cells.append(changed)
        self.query = None

    def _add(self, made: SetupCell | Problem, cell: NotebookCellRead) -> None:
        self.query = None
        if not cell.source.strip():
            return
        self.cells.append(made)
        if isinstance(made, Problem):
            what = "this problem was added in the notebook and has no settings"
            fix = "give it an id and, where the default is not enough, validators"
            self.findings.append(ConversionFinding("added", f"cell {cell.number}", "", what, fix))


def _cell_in(own: Mapping[str, Any], number: int, name: str) -> SetupCell | Problem:
    raw = own.get("raw")
    if not isinstance(raw, str):
        raise _damaged(name, number)
    cells, _ = reread(raw)
    if len(cells) != 1:
        raise _damaged(name, number)
    return cells[0]


def _damaged(name: str, number: int) -> ContentError:
    what = "the metadata of the cell was damaged"
    fix = "export the notebook again, or import it without metadata as an exercise notebook"
    return ContentError(what, where=f"{name}.ipynb, cell {number}", fix=fix)


def _digest(text: str) -> str:
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()
