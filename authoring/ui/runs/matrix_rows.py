"""Rows of lists of problems: each problem with what every run got, each verdict leading to its attempt."""

from collections.abc import Mapping, Sequence

from authoring.store.run_results import CellCount, MatrixRow
from authoring.ui.drawing.row_tables import Caption, Hinted, Piece, Prose, Row, Strong
from authoring.ui.inputs.row_list import row_link
from authoring.ui.runs.run_words import cell_parts
from authoring.ui.wording import Chip, one_line
from evaluator.scoring import meaning_of


def matrix_line(row: MatrixRow, run_ids: Sequence[int], within: Mapping[str, str]) -> Row:
    """Return the row of a problem: its query, then a cell for each run.

    Args:
        row: The problem.
        run_ids: The runs, in the order of their columns.
        within: Parameters that let an attempt know the list it is opened from.
    """
    name = Strong(f"{one_line(row.problemset, limit=60)} {row.position}")
    cells = [_cell(row.cells.get(run_id), run_id, within) for run_id in run_ids]
    return Row(f"{row.problemset}:{row.position}", [[name, "·", Prose(row.query)], *cells])


def _cell(count: CellCount | None, run_id: int, within: Mapping[str, str]) -> list[Piece]:
    if count is None:
        return [Caption("not asked")]
    chip, cause = cell_parts(count)
    words: list[str | Chip | Strong | Prose | Hinted] = [chip, *([Hinted(cause, meaning_of(cause))] if cause else [])]
    return [row_link(words, "runs", {**within, "run": run_id, "attempt": count.attempt_id})]
