"""Tasks that change the shape of a table."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnRole
from authoring.templates.board import Board, Frame, Slots, made_category, made_number
from authoring.templates.families.columns.deriving import new_column
from authoring.templates.family import Task, column_slot, family, frame_slot, list_slot, text_slot
from authoring.templates.names_in_words import code, literal, names
from evaluator.errors import ContentError

MAX_LONG_ROWS: Final = 60_000


def propose_melt(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A label and two to four numbers."""
    for frame in board.sources(rng)[:1]:
        numbers = board.ordered(rng, frame.numbers())
        keys = [c for c in frame.labels() if c.role is not ColumnRole.NUMBER]
        keys.sort(key=lambda c: c.distinct < 0.5 * frame.rows)  # one that tells the rows apart
        if len(numbers) < 2 or not keys or frame.rows * 2 > MAX_LONG_ROWS:
            continue
        count = min(len(numbers), rng.choice([2, 3, 4]), MAX_LONG_ROWS // frame.rows)
        order = [c.name for c in frame.columns]
        chosen = sorted((c.name for c in numbers[:count]), key=order.index)
        variable, value = new_column(frame, rng.choice(["measure", "variable"])), new_column(frame, "value")
        for key in keys[:2]:
            yield {
                "frame": frame.var,
                "key": key.name,
                "columns": chosen,
                "variable": variable,
                "value": value,
                "var": board.free(rng.choice(["long", "melted"])),
            }


@family(
    theme="reshaping",
    knowledge_points=("wide to long", "melt"),
    idea="A long table {var} of {columns}",
    wordings=(
        "Bring {columns} of {frame} into long form: a new DataFrame {var} with the columns {key}, {variable} (the "
        "name of the former column) and {value} (its value), in this order. First come all rows for the first of "
        "these columns, then those for the next; keep missing values; number the rows from 0.",
        "Melt {frame} into {var}: keep {key} as the identifier, unpivot {columns} in this order, and call the two "
        "new columns {variable} and {value}. Missing values stay; the index starts at 0.",
    ),
    propose=propose_melt,
    limit=1,
)
def melt(board: Board, slots: Slots) -> Task:
    """Store a long form of several columns."""
    frame = frame_slot(board, slots)
    key, var = column_slot(frame, slots, "key"), text_slot(slots, "var")
    columns = [frame.column(str(name)) for name in list_slot(slots, "columns")]
    chosen = [c.name for c in columns]
    variable, value = text_slot(slots, "variable"), text_slot(slots, "value")
    if len({key.name, variable, value, *chosen}) != 3 + len(chosen):
        raise ContentError("the columns of a long table need different names", fix="choose others")
    rows = frame.rows * len(chosen)
    missing = sum(c.missing for c in columns)
    made = Frame(
        var,
        (key, made_category(variable, chosen, rows=rows), made_number(value, missing=missing)),
        rows,
        frame.table,
        board.step,
        is_long=True,
    )
    arguments = f"id_vars={literal(key.name)}, value_vars={literal(chosen)}"
    return Task(
        words={
            "frame": code(frame.var),
            "key": code(key.name),
            "columns": names(chosen),
            "variable": code(variable),
            "value": code(value),
            "var": code(var),
        },
        body=(
            f"{var} = {frame.var}.melt(\n    {arguments},\n"
            f"    var_name={literal(variable)}, value_name={literal(value)},\n)"
        ),
        stores=(var,),
        uses=((frame.var, (key.name, *chosen)),),
        board=board.with_frame(made),
    )
