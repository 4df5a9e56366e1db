"""Records of our own in the shapes in which benchmarks publish theirs, and what becomes of each."""

import json
from pathlib import Path
from typing import Any, Final

Record = dict[str, Any]

_LINES: Final = (Path(__file__).parent / "records.jsonl").read_text(encoding="utf-8").splitlines()
_READ: Final = [json.loads(line) for line in _LINES]
_SHAPES: Final = ("program", "function", "listed", "sheet", "version-break")


def _of(shape: str) -> list[Record]:
    return [one["record"] for one in _READ if one["becomes"] == shape]


PROGRAMS: Final = _of("program")  # without a function: the question stands in comments, to be gone on with
FUNCTIONS: Final = _of("function")
LISTED: Final = _of("listed")  # prose, a whole program and a list of assertions
SHEETS: Final = _of("sheet")  # a question with a program below it
BREAKS: Final = _of("version-break")
REFUSED: Final = [(str(one["becomes"]), one["record"]) for one in _READ if one["becomes"] not in _SHAPES]
KEPT: Final = [*PROGRAMS, *FUNCTIONS, *LISTED, *SHEETS]
"""Records whose canonical solution passes with today's pandas and NumPy."""
SALES: Final = str(PROGRAMS[0]["prompt"]).partition("# Keep")[0]
