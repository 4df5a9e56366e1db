"""A CIBench notebook: a markdown cell asks, the code cell after it answers, its stored outputs say what is expected."""

import ast
import json
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from evaluator.diagnostics import Diagnostic, Findings
from evaluator.scoring.execution_log import TRIM, execution_text, text_of
from evaluator.scoring.grading import NOTHING_EXPECTED, Expected, data_of, expected_of

MAX_NOTEBOOK_BYTES: Final = 50_000_000
MAX_CELLS: Final = 2_000
MAX_PIXELS: Final = 16_000_000  # of an expected picture
STEP_TYPES: Final = ("exec", "num", "text", "vis")
NO_THOUGHT: Final = " "
"""What the published program takes for the thought of a step that has none."""
_THOUGHT: Final = "\n\nThought: "
_SPLIT: Final = "**split**"  # by which the published program joins a thought and the code
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_WRITERS: Final = frozenset(
    {"to_csv", "to_excel", "to_json", "to_parquet", "to_pickle", "to_sql", "to_html", "savefig", "imwrite", "imsave"}
    | {"dump", "save", "savez", "savetxt", "write_text", "write_bytes", "save_model", "to_file"}
)


class Tag(StrEnum):
    """What a step is scored by."""

    EXEC = "exec"
    NUM = "num"
    TEXT = "text"
    VIS = "vis"
    GENERAL = "general"  # a notebook without step types: some text is expected


def tag_of(expected: Expected) -> Tag:
    """Return the tag of a step that has no type of its own."""
    if expected.picture is not None:
        return Tag.VIS
    return Tag.EXEC if expected.text is None else Tag.GENERAL


@dataclass(frozen=True)
class Step:
    """One query of a notebook with the code that answers it."""

    number: int  # from 1
    query: str  # the cell's text, stripped, without the thought
    code: str
    expected: Expected = NOTHING_EXPECTED
    thought: str = NO_THOUGHT
    modules: str = ""  # as written: names joined by "&"; empty where the notebook has none
    step_type: str = ""  # as written; empty where the notebook has none
    query_cell: int = 0  # from 1, as people count cells
    code_cell: int = 0

    @property
    def tag(self) -> Tag:
        """What it is scored by: its type, else what its cell stored."""
        return Tag(self.step_type) if self.step_type in STEP_TYPES else tag_of(self.expected)


@dataclass(frozen=True)
class CibenchNotebook:
    """A notebook of CIBench."""

    path: Path
    steps: tuple[Step, ...]
    raw: Mapping[str, Any] = field(repr=False)  # the file as it is
    is_chinese: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()


def asked_query(query: str, modules: str, *, is_chinese: bool, sound: bool = False) -> str:
    """Return a query as an agent is asked it: with the modules to use, and ending with one line end.

    Args:
        query: As stored.
        modules: Names joined by "&"; empty: nothing is added.
        is_chinese: In which language the sentence is.
        sound: On a line of its own; the published program joins it without a blank.
    """
    names = [name.strip() for name in modules.split("&")] if modules else []
    suffix = ""
    if names and is_chinese:
        suffix = f"请用 {' 和 '.join(names)} 模块."
    elif names:
        suffix = f"Please use {' and '.join(names)} modules."
    joint = "\n" if sound and suffix else ""
    return (query + joint + suffix).strip() + "\n"


def read_cibench_notebook(path: Path, *, is_chinese: bool | None = None) -> CibenchNotebook:
    """Read a notebook file; whatever is wrong with it comes back as diagnostics, an error as one without steps.

    Args:
        path: A `.ipynb` file of format 4.
        is_chinese: Whether the sentence about modules is Chinese; None: if its path contains "chinese".
    """
    findings = Findings(path)
    chinese = "chinese" in str(path) if is_chinese is None else is_chinese
    raw = _read(path, findings)
    steps = tuple(_Reader(raw, findings).steps()) if raw is not None else ()
    diagnostics = findings.in_order()
    if findings.broken:
        steps = ()
    return CibenchNotebook(path, steps, raw or {}, chinese, diagnostics)


def _read(path: Path, findings: Findings) -> dict[str, Any] | None:
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):  # a link may lead anywhere, a pipe never ends
            findings.fatal("not-a-file", 1, "the notebook is a link, or no plain file", "put a copy in its place")
            return None
        size = status.st_size
        if size > MAX_NOTEBOOK_BYTES:
            what = f"the notebook has {size / 1e6:,.0f} MB; at most {MAX_NOTEBOOK_BYTES / 1e6:,.0f} MB are read"
            findings.fatal("notebook-too-large", 1, what, "clear outputs that nobody compares, and save it")
            return None
        book = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        findings.fatal("unreadable-file", 1, f"the notebook cannot be read: {error.strerror}", "check the path")
        return None
    except (ValueError, RecursionError) as error:
        what = f"the file is no readable notebook: {str(error)[:200]}"
        findings.fatal("not-a-notebook", 1, what, "open it in Jupyter and save it again")
        return None
    if isinstance(book, dict) and isinstance(book.get("worksheets"), list):
        what, fix = "the notebook is of format 3; format 4 is read", "open it in Jupyter and save it again"
        findings.fatal("old-notebook", 1, what, fix)
        return None
    if not isinstance(book, dict) or not isinstance(book.get("cells"), list):
        findings.fatal("not-a-notebook", 1, "the notebook has no cells", "open it in Jupyter and save it again")
        return None
    malformed = next((n for n, cell in enumerate(book["cells"], start=1) if not _is_cell(cell)), None)
    if malformed is not None or not isinstance(book.get("metadata", {}), dict):
        what = f"cell {malformed} is malformed" if malformed is not None else "its metadata are no mapping"
        findings.fatal("not-a-notebook", malformed or 1, f"{what}: {_SHAPE}", "open it in Jupyter and save it again")
        return None
    if len(book["cells"]) > MAX_CELLS:
        what = f"the notebook has {len(book['cells']):,} cells; at most {MAX_CELLS:,} are read"
        findings.fatal("notebook-too-large", 1, what, "split it")
        return None
    return book


_SHAPE: Final = "each cell has a cell_type, a source, metadata that are a mapping, and a list of outputs if it is code"


def _is_cell(cell: object) -> bool:
    if not isinstance(cell, dict) or not isinstance(cell.get("metadata", {}), dict):
        return False
    source = cell.get("source")
    lines = source if isinstance(source, list) else [source]
    is_text = all(isinstance(line, str) for line in lines)
    return isinstance(cell.get("cell_type"), str) and is_text and isinstance(cell.get("outputs", []), list)


class _Reader:
    """Reads the steps of one notebook; diagnostics name the cell, counted from 1, and have its number for a line."""

    def __init__(self, book: Mapping[str, Any], findings: Findings) -> None:
        self._cells = list(enumerate(book["cells"], start=1))
        metadata = book.get("metadata")
        self._metadata: Mapping[str, Any] = metadata if isinstance(metadata, dict) else {}
        self._findings = findings

    def steps(self) -> Iterator[Step]:
        pairs = self._pairs()
        if not pairs:
            return
        modules, types = self._listed("modules", len(pairs)), self._listed("step_types", len(pairs))
        if self._metadata.get("modules") and not self._metadata.get("step_types"):
            what, fix = "the metadata has modules but no step_types", "add one step type for each query"
            self._findings.error("modules-length", 1, what, fix)
        if self._findings.broken:
            return
        for number, ((asked, query), (answered, code)) in enumerate(pairs, start=1):
            text, thought = self._split(asked, text_of(query.get("source")))
            step = Step(
                number=number,
                query=text,
                code=text_of(code.get("source")),
                expected=self.expected(answered, code),
                thought=thought,
                modules=modules[number - 1] if modules else "",
                step_type=types[number - 1] if types else "",
                query_cell=asked,
                code_cell=answered,
            )
            self._check(step)
            yield step

    def _pairs(self) -> list[tuple[tuple[int, dict[str, Any]], tuple[int, dict[str, Any]]]]:
        """Return markdown and code cells in pairs; the published program pairs by position and so shifts them all."""
        counted = [each for each in self._cells if each[1].get("cell_type") in ("markdown", "code")]
        wanted = ("markdown", "code")
        for position, (number, cell) in enumerate(counted):
            if cell["cell_type"] != wanted[position % 2]:
                before = f"cell {counted[position - 1][0]}" if position else "the start"
                what = f"cell {number} is {cell['cell_type']} after {before}, where {wanted[position % 2]} is expected"
                fix = "let each markdown cell be followed by the one code cell that answers it"
                self._findings.fatal("unpaired-cells", number, what, fix)
                return []
        if len(counted) % 2:
            number = counted[-1][0]
            what = f"cell {number} asks, and no code cell follows it"
            self._findings.fatal("unpaired-cells", number, what, "add the code, or remove the cell")
            return []
        if not counted:
            fix = "add a markdown cell that asks and a code cell that answers"
            self._findings.fatal("no-steps", 1, "the notebook asks nothing", fix)
        return list(zip(counted[::2], counted[1::2], strict=True))

    def _listed(self, key: str, steps: int) -> list[str]:
        """Return one text per step from the notebook's metadata; none where it has no such list."""
        written = self._metadata.get(key)
        if not written:
            return []
        if not isinstance(written, list) or not all(isinstance(each, str) for each in written):
            self._findings.fatal("modules-length", 1, f"{key!r} in the metadata is no list of texts", "write a list")
            return []
        if len(written) != steps:
            what = f"{key!r} in the metadata has {len(written)} entries for {steps} queries"
            self._findings.fatal("modules-length", 1, what, "write one entry for each query, in order")
            return []
        return list(written)

    def _split(self, cell: int, source: str) -> tuple[str, str]:
        parts = source.strip().split(_THOUGHT)
        if len(parts) == 2:
            return parts[0], parts[1]
        if len(parts) > 2:
            what = f"cell {cell} has {len(parts) - 1} thoughts, so that none is taken out of the query"
            self._findings.warning("thought-twice", cell, what, "keep one 'Thought: ' after a blank line")
        return source.strip(), NO_THOUGHT

    def expected(self, cell: int, code: Mapping[str, Any]) -> Expected:
        outputs = stored_outputs(code)
        expected = expected_of(outputs)
        shown = [each for each in outputs if each.get("output_type") == "display_data"]
        pictures = [position for position, each in enumerate(shown) if "image/png" in data_of(each)]
        if expected.picture is not None:
            if pictures[0] < len(shown) - 1:
                what = f"cell {cell} shows something after its first figure; that one is expected"
                fix = "show one figure; the published program refuses this notebook"
                self._findings.warning("two-figures", cell, what, fix)
            fault = picture_fault(expected.picture)
            if fault:
                what = f"the figure of cell {cell} {fault}, so that no figure can be like it"
                fix = "run the notebook again, with a smaller figure if need be"
                self._findings.error("bad-picture", cell, what, fix)
        elif expected == NOTHING_EXPECTED and any(each.get("output_type") == "execute_result" for each in outputs):
            what = f"the result of cell {cell} has no plain text, so that nothing is expected"
            self._findings.warning("result-without-text", cell, what, "run the notebook in Jupyter again")
        return expected

    def _check(self, step: Step) -> None:
        self._check_type(step)
        found, cell = self._findings, step.code_cell
        if step.tag in (Tag.NUM, Tag.GENERAL, Tag.TEXT) and step.expected.text is not None and _is_too_long(step):
            what = f"what cell {cell} stored is longer than an agent's output may be, so that nothing can match it"
            found.warning("expected-too-long", cell, what, f"print less: {TRIM:,} characters are kept of an execution")
        if _SPLIT in step.thought + step.code:
            what = f"cell {cell} contains {_SPLIT!r}, by which the published program parts thought and code"
            found.warning("split-marker", cell, what, "write it otherwise")
        writer = _writes(step.code)
        if writer:
            what = f"cell {cell} writes a file ({writer}), which no step should"
            found.warning("writes-a-file", cell, what, "keep the result in a variable")

    def _check_type(self, step: Step) -> None:
        found, cell = self._findings, step.code_cell
        if step.step_type and step.step_type not in STEP_TYPES:
            what = f"{step.step_type!r}, the type of step {step.number}, is no step type"
            found.fatal("unknown-step-type", step.query_cell, what, f"use one of {', '.join(STEP_TYPES)}")
        elif step.step_type in ("num", "text", "vis") and step.expected == NOTHING_EXPECTED:
            what = f"step {step.number} is of type {step.step_type}, but cell {cell} stored no output to compare with"
            found.warning("step-type-without-output", cell, what, "run the notebook and save it, or use type exec")
        elif step.step_type in ("num", "text") and step.expected.picture is not None:
            what = f"step {step.number} is of type {step.step_type}, but a figure is what cell {cell} stored"
            found.warning("figure-typed-as-text", cell, what, "use type vis, or show no figure there")
        elif step.step_type == "vis" and step.expected.text is not None:
            what = f"step {step.number} is of type vis, but text is what cell {cell} stored"
            found.warning("text-typed-as-figure", cell, what, "use type num or text, or show a figure there")


def stored_outputs(code: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the outputs that a code cell stored; what is none is left out."""
    return [each for each in code.get("outputs") or () if isinstance(each, dict)]


def _is_too_long(step: Step) -> bool:
    """Return whether an agent that shows the very same would have it cut."""
    text = (step.expected.text or "").strip()
    value = {"output_type": "execute_result", "data": {"text/plain": text}}
    printed = {"output_type": "stream", "name": "stdout", "text": text}
    shown = execution_text([value if step.expected.kind == "execute_result" else printed], limit=None)
    return len(shown) + len("\n\n") > TRIM


def picture_fault(data: bytes) -> str:
    """Return what is wrong with a PNG, as in "the figure is no PNG"; empty for a whole one. Nothing is decoded."""
    if not data.startswith(_PNG_SIGNATURE):
        return "is no PNG"
    position, kinds = len(_PNG_SIGNATURE), []
    while position + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 4 : position + 8 + length]
        checksum = data[position + 8 + length : position + 12 + length]
        if len(checksum) < 4 or zlib.crc32(body) != int.from_bytes(checksum, "big"):
            return "is truncated or damaged"
        if kind == b"IHDR" and length >= 8:
            width, height = struct.unpack_from(">II", body, 4)
            if width * height > MAX_PIXELS:
                return f"has {width * height / 1e6:,.0f} megapixels; at most {MAX_PIXELS / 1e6:,.0f} are compared"
        kinds.append(kind)
        if kind == b"IEND":
            return "" if b"IDAT" in kinds and kinds[0] == b"IHDR" else "is truncated or damaged"
        position += 12 + length
    return "is truncated or damaged"


def _writes(code: str) -> str:
    """Return the call by which code writes a file; empty if there is none to be seen."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if isinstance(node.func, ast.Attribute) and name in _WRITERS and (node.args or node.keywords):
                return name
            mode = [arg.value for arg in node.args[1:2] if isinstance(arg, ast.Constant)]
            mode += [each.value.value for each in node.keywords
                     if each.arg == "mode" and isinstance(each.value, ast.Constant)]  # fmt: skip
            if name == "open" and any(isinstance(each, str) and set(each) & set("wax+") for each in mode):
                return "open"
    return ""
