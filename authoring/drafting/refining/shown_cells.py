"""The part of a problemset that a prompt shows when the whole is too long: chosen problems and what is around."""

from collections.abc import Sequence
from typing import NamedTuple

from authoring.prompting.tokens import estimate_tokens
from evaluator.language.document import Document


class ShownCells(NamedTuple):
    """A problemset's text, or a part of it."""

    text: str
    left_out: int  # cells (count)


def cells_around(document: Document, chosen: Sequence[str], tokens: int) -> ShownCells:
    """Return the text of a problemset; of one that takes more tokens, the cells that matter most to some problems.

    The chosen problems stand in it whatever they take, then come the setup cells, then the cells nearest to them. Where
    cells are left out, a comment says how many.
    """
    if estimate_tokens(document.text) <= tokens:
        return ShownCells(document.text.strip(), 0)
    places = [cell.position for cell in document.cells if cell.key in chosen]
    order = sorted(
        document.cells, key=lambda cell: (cell.key not in chosen, cell.is_problem, _distance(cell.position, places))
    )
    kept: set[int] = set()
    for cell in order:
        cost = estimate_tokens(cell.raw)
        if cell.key not in chosen and cost > tokens:
            break
        tokens -= cost
        kept.add(cell.position)
    return ShownCells(_with_gaps(document, kept), len(document.cells) - len(kept))


def _distance(position: int, places: Sequence[int]) -> int:
    return min((abs(position - place) for place in places), default=position)


def _with_gaps(document: Document, kept: set[int]) -> str:
    parts: list[str] = []
    gap = 0
    for cell in document.cells:
        if cell.position in kept:
            parts += [f"# ({gap} cells left out here)"] if gap else []
            parts.append(cell.raw.strip())
            gap = 0
        else:
            gap += 1
    parts += [f"# ({gap} cells left out here)"] if gap else []
    return "\n\n".join(parts)
