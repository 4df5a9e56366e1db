"""A stored traceback in two: the frames of the author's own cells, and all of it. Pure: no Streamlit here.

Tracebacks are hostile text; whoever draws them escapes them.
"""

import re
from typing import Final, NamedTuple

_FRAME: Final = re.compile(r'^\s*(?:File "?[^\n]*, line \d+|File \S+:\d+|Cell In\[\d+\], line \d+)')
_CELL: Final = re.compile(r"^\s*Cell In\[(\d+)\], line \d+")
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
    number = found[1] if own and cell and (found := _CELL.match(lines[own[0]])) else ""
    whole = _named(text, number, cell)
    if not own or not folded:
        return Traceback(whole, 0, whole)
    kept: list[str] = []
    for at in own:
        end = next((start for start in starts if start > at), len(lines))
        kept += _body(lines, at, end)
    return Traceback(_named("\n".join([*kept, *_said(lines)]), number, cell), folded, whole)


def _named(text: str, number: str, cell: str) -> str:
    """Return the text with a cell's name in place of its number; that of the first frame was executed."""
    return _NAMED.sub(lambda found: cell if found[1] == number else found[0], text)


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
    """Return what the last error says: the lines after its last frame that are not indented."""
    last = max((at for at, line in enumerate(lines) if _FRAME.match(line)), default=-1)
    rest = lines[last + 1 :]
    begin = next((at for at, line in enumerate(rest) if line and not line[0].isspace() and line[0] != "-"), len(rest))
    return rest[begin:]
