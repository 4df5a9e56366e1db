"""Cuts the text of a problemset into cells, and a cell into its opening string and its code."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluator.language.model import Problem
from evaluator.language.validators.schemas import canonical_validator
from evaluator.language.versions import UNSTATED_VERSION
from evaluator.language.yaml_text.reader import KeyPath, read_yaml

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OPENING = re.compile(r'[rR]?"""')
_MARKER = "# %%"


@dataclass(frozen=True)
class CellText:
    """One cell as text; lines count from 1 within the file."""

    raw: str  # as read, marker line included, and empty cells right before it
    line: int  # of the marker
    title: str
    body: str  # after the marker line, line ends are \n
    body_line: int  # of the first line of `body`


class CutFile(NamedTuple):
    """A file cut at its markers."""

    preamble: str
    cells: tuple[CellText, ...]


@dataclass(frozen=True)
class OpeningString:
    """The triple-quoted string that a cell opens with, read raw, and what follows it."""

    text: str
    line: int  # of the first line of `text`, within the file
    code: str  # stripped
    code_line: int  # of the first line of `code`, within the file


def normal_line_ends(text: str) -> str:
    r"""Return `text` with every line end written as \n."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_marker(line: str, language_version: int = UNSTATED_VERSION) -> bool:
    """Return whether a line (without its end) opens a cell."""
    return line == _MARKER if language_version < 2 else line.startswith(_MARKER)


def cut(text: str, *, language_version: int = UNSTATED_VERSION) -> CutFile:
    """Cut a file into its preamble and its cells; empty cells are dropped, their text goes to the next cell's `raw`."""
    preamble: list[str] = []
    groups: list[tuple[int, list[str]]] = []  # marker line number, lines
    for number, line in enumerate(_LINE.findall(text), start=1):
        bare = line.rstrip("\r\n")
        if is_marker(bare.removeprefix("\ufeff") if number == 1 else bare, language_version):
            if number == 1 and bare.startswith("\ufeff"):
                preamble.append("\ufeff")
                line = line.removeprefix("\ufeff")
            groups.append((number, [line]))
        elif groups:
            groups[-1][1].append(line)
        else:
            preamble.append(line)
    return CutFile("".join(preamble), _cells(groups))


def _cells(groups: list[tuple[int, list[str]]]) -> tuple[CellText, ...]:
    cells: list[CellText] = []
    before = ""  # text of empty cells that wait for the next one
    for number, lines in groups:
        marker, body = lines[0], normal_line_ends("".join(lines[1:]))
        if not body.strip():
            before += "".join(lines)
            continue
        title = marker.removeprefix(_MARKER).strip()
        cells.append(CellText(before + "".join(lines), number, title, body, number + 1))
        before = ""
    if before and cells:
        last = cells[-1]
        cells[-1] = CellText(last.raw + before, last.line, last.title, last.body, last.body_line)
    return tuple(cells)


def skip_blank(body: str) -> tuple[str, int]:
    """Return `body` stripped, and how many lines stand before what is left."""
    stripped = body.lstrip()
    return stripped.rstrip(), body[: len(body) - len(stripped)].count("\n")


def opening_string(cell: CellText) -> OpeningString | None:
    """Return the string a cell opens with, or None; a string that is part of an expression does not count."""
    body, skipped = skip_blank(cell.body)
    opening = _OPENING.match(body)
    if opening is None:
        return None
    end = body.find('"""', opening.end())
    if end < 0:
        return None
    rest = body[end + 3 :]
    if rest.split("\n", 1)[0].strip():
        return None
    line = cell.body_line + skipped
    code, before_code = skip_blank(rest)
    code_line = line + body.count("\n", 0, end) + (before_code if code else 0)
    return OpeningString(body[opening.end() : end], line, code, code_line)


def source_line(raw: str, line: int) -> int:
    """Return the file's line of the first line of code in a setup cell read as `raw`, its marker on `line`."""
    own = cut(raw).cells
    return line + 1 + (skip_blank(own[0].body)[1] if own else 0)


def is_unclosed(cell: CellText) -> bool:
    """Return whether the cell opens with a triple-quoted string that does not end in it."""
    body, _ = skip_blank(cell.body)
    opening = _OPENING.match(body)
    return opening is not None and body.find('"""', opening.end()) < 0


def validator_line(problem: Problem, where: str) -> int:
    """Return the file's line of a validator or of one of its options.

    Args:
        problem: As read from its file; the line of another problem is that of its cell.
        where: Canonical name of the validator and perhaps, after a dot, an option or variable: "namespace_check.df".
            What is not found below `validator` stands for the whole problem.
    """
    name, _, below = where.partition(".")
    for path in _paths(problem.validator, name, ("validator",)):
        return setting_line(problem, *path, *((below,) if below else ()))
    return problem.line if where in ("", "reference code") else setting_line(problem, "validator")


def setting_line(problem: Problem, *path: str | int) -> int:
    """Return the file's line of the setting at `path`, or of the nearest thing around it."""
    cells = cut(problem.raw or "").cells
    opening = opening_string(cells[0]) if cells else None
    if opening is None:
        return problem.line
    return problem.line - cells[0].line + opening.line + read_yaml(opening.text).line(*path) - 1


def _paths(validators: Any, name: str, above: KeyPath) -> Iterator[KeyPath]:
    """Yield the paths of a validator, however it is spelled, also below `or` and `and`."""
    if not isinstance(validators, Mapping):
        return
    for key, options in validators.items():
        if name in (key, canonical_validator(str(key))):
            yield (*above, key)
        if key in ("or", "and"):
            yield from _paths(options, name, (*above, key))
