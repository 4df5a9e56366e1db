"""A stored traceback in two: the frames of the author's own cells, and all of it. Pure: no Streamlit here.

Tracebacks are hostile text; whoever draws them escapes them.
"""

import re
from itertools import pairwise
from typing import Final, NamedTuple

_FRAME: Final = re.compile(r'^\s*(?:File "?[^\n]*, line \d+|File \S+:\d+|Cell In\[\d+\], line \d+)')
_CELL: Final = re.compile(r"^\s*Cell In\[(\d+)\], line \d+")
_JOINT: Final = re.compile(
    r"^(?:The above exception was the direct cause of the following exception"
    r"|During handling of the above exception, another exception occurred):\s*$"
)
_NAMED: Final = re.compile(r"Cell In\[(\d+)\]")


class Traceback(NamedTuple):
    """What is shown of a traceback."""

    own: str  # the frames of cells and what the error says; all of it where there is nothing to fold
    folded: int  # frames of libraries that `own` leaves out (count)
    whole: str


def split_traceback(text: str, cell: str = "") -> Traceback:
    """Return a traceback without the frames of libraries, and whole.

    Args:
        text: As a terminal shows it, without colours.
        cell: What to call the cell that was executed, such as `Problem 7`; empty: by its number in the session.
    """
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if _FRAME.match(line)]
    own = [at for at in starts if _CELL.match(lines[at])]
    folded = len(starts) - len(own)
    number = _executed(lines) if cell else ""
    whole = _named(text, number, cell)
    if not own or not folded:
        return Traceback(whole, 0, whole)
    return Traceback(_named("\n".join(_without_libraries(lines)), number, cell), folded, whole)


def _named(text: str, number: str, cell: str) -> str:
    """Return the text with a cell's name in place of its number."""
    return _NAMED.sub(lambda found: cell if found[1] == number else found[0], text)


def _executed(lines: list[str]) -> str:
    """Return the number of the cell that was executed: the others in its traceback were executed before it."""
    return max((found[1] for line in lines if (found := _CELL.match(line))), key=int, default="")


def _without_libraries(lines: list[str]) -> list[str]:
    """Return frames of cells and what each error says; an error before the last one without such frames is left out."""
    joints = [at for at, line in enumerate(lines) if _JOINT.match(line)]
    kept: list[str] = []
    for begin, end in pairwise([0, *joints, len(lines)]):
        part = lines[begin:end]
        starts = [at for at, line in enumerate(part) if _FRAME.match(line)]
        own = [at for at in starts if _CELL.match(part[at])]
        if not own and end < len(lines):
            continue
        kept += ["", part[0], ""] if kept else []
        for at in own:
            kept += _body(part, at, next((start for start in starts if start > at), len(part)))
        said = _said(part[1:] if begin else part)
        kept += said if end == len(lines) else "\n".join(said).rstrip().split("\n")
    return kept


def _body(lines: list[str], at: int, end: int) -> list[str]:
    """Return a frame's head and the lines of code below it, which are indented further or numbered."""
    body = [lines[at]]
    indent = len(lines[at]) - len(lines[at].lstrip())
    for line in lines[at + 1 : end]:
        is_code = len(line) - len(line.lstrip()) > indent or line.startswith("-")
        if not line.strip() or not is_code:
            break
        body.append(line)
    return body


def _said(lines: list[str]) -> list[str]:
    """Return what an error says: the lines after its last frame that are not indented."""
    last = max((at for at, line in enumerate(lines) if _FRAME.match(line)), default=-1)
    rest = lines[last + 1 :]
    begin = next((at for at, line in enumerate(rest) if _is_said(line)), len(rest))
    return rest[begin:]


def _is_said(line: str) -> bool:
    return bool(line) and not line[0].isspace() and line[0] != "-" and "Traceback (most recent call last)" not in line
