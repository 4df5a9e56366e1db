"""Tasks that add a column computed from others."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds import ColumnProfile
from authoring.templates.board import Board, Frame, Slots, made_category, made_number
from authoring.templates.family import (
    Task,
    at,
    column_digest,
    column_slot,
    family,
    frame_slot,
    kept,
    list_slot,
    pairs,
    text_slot,
)
from authoring.templates.names_in_words import code, free_name, ignoring_missing, literal, round_like, shown, slug
from authoring.templates.phrasebook import (
    CLASS_ABOVE,
    CLASS_THEN_UP_TO,
    CLASS_UP_TO,
    DEVIATIONS,
    MEASURES,
    ROWS_WITHOUT_MISSING,
    THEN_EXTREMES,
)
from authoring.templates.phrases import Joint, Listing
from evaluator.errors import ContentError


def new_column(frame: Frame, base: str) -> str:
    """Return a name for a column that the frame does not have, whatever the case."""
    return free_name(base, {name for c in frame.columns for name in (c.name, c.name.lower())})


def new_slot(frame: Frame, slots: Slots) -> str:
    """Return the slot `new`, the name of the column to make.

    Raises:
        ContentError: If the frame has it already.
    """
    name = text_slot(slots, "new")
    if any(c.name == name for c in frame.columns):
        raise ContentError(f"{frame.var!r} already has a column {name!r}", fix="choose another name in slot 'new'")
    return name


def positive(column: ColumnProfile) -> bool:
    """Return whether a column is known to hold numbers above zero only."""
    return isinstance(column.min, int | float) and column.min > 0


def propose_ratio(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two numbers, the second one positive."""
    for frame in board.mains():
        numbers = board.ordered(rng, frame.numbers(distinct=8))
        for above, below in pairs(numbers[:4], [n for n in numbers if positive(n)][:4], 5):
            both = f"{slug(above.name, limit=12)}_per_{slug(below.name, limit=12)}"
            base = rng.choice([both if slug(above.name) and slug(below.name) else "ratio", "ratio"])
            new = new_column(frame, base)
            yield {"frame": frame.var, "above": above.name, "below": below.name, "new": new}


@family(
    theme="deriving",
    knowledge_points=("derived columns", "arithmetic"),
    idea="A column {new}: {above} divided by {below}",
    wordings=(
        "Add a column {new} to {frame} that holds {above} divided by {below}, row by row and not rounded.",
        "Put the quotient of {above} and {below} ({above} in the numerator) into a new column {new} of {frame}. "
        "Do not round.",
    ),
    propose=propose_ratio,
    limit=1,
)
def ratio_column(board: Board, slots: Slots) -> Task:
    """Add the quotient of two columns."""
    frame = frame_slot(board, slots)
    above = column_slot(frame, slots, "above", frame.numbers(distinct=2))
    below = column_slot(frame, slots, "below", [c for c in frame.numbers(distinct=2) if positive(c)])
    new = new_slot(frame, slots)
    column = made_number(new, missing=max(above.missing, below.missing))
    return Task(
        words={
            "frame": code(frame.var),
            "above": code(above.name),
            "below": code(below.name),
            "new": code(new),
        },
        body=f"{at(frame, new)} = {at(frame, above)} / {at(frame, below)}",
        **column_digest(frame, new),
        uses=((frame.var, (above.name, below.name)),),
        board=board.with_column(frame, column),
    )


def propose_bins(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number with known quantiles."""
    for frame in board.mains():
        for column in board.ordered(rng, [c for c in frame.numbers(distinct=8, ranged=True) if not c.missing])[:4]:
            edges = [round_like(column.quantiles[q], column) for q in ("0.25", "0.75")]
            stem = slug(column.name, limit=16)
            new = new_column(frame, f"{stem}_{rng.choice(['class', 'level', 'band'])}" if stem else "size_class")
            if edges[0] < edges[1] and float(column.min or 0) <= edges[0]:
                labels = rng.choice([["low", "medium", "high"], ["small", "middle", "large"]])
                yield {"frame": frame.var, "column": column.name, "edges": edges, "labels": labels, "new": new}


@family(
    theme="deriving",
    knowledge_points=("binning", "derived columns", "frequencies"),
    idea="Classes of {column} in a column {new}",
    wordings=(
        "Divide the rows of {frame} into three classes of {column}: {rule}. Store the class as text in a new "
        "column {new} of {frame}, and return a Series with the number of rows of each class, the classes in this "
        "order.",
        "Add a text column {new} to {frame} that is {rule}, according to {column}. Return how many rows fall "
        "into each class, as a Series indexed by class in the order just given.",
    ),
    propose=propose_bins,
    limit=1,
)
def bins(board: Board, slots: Slots) -> Task:
    """Add a column that names the class of a number."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.numbers(distinct=2) if not c.missing])
    edges, labels = list_slot(slots, "edges"), [str(label) for label in list_slot(slots, "labels")]
    if len(edges) != 2 or len(labels) != 3 or not edges[0] < edges[1]:
        raise ContentError("two rising edges and three labels are needed", fix="correct slots 'edges' and 'labels'")
    new = new_slot(frame, slots)
    low, high = (literal(edge) for edge in edges)
    rule = (
        CLASS_UP_TO(label=f'"{labels[0]}"', edge=shown(edges[0])),
        CLASS_THEN_UP_TO(label=f'"{labels[1]}"', edge=shown(edges[1])),
        CLASS_ABOVE(label=f'"{labels[2]}"', edge=shown(edges[1])),
    )
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "new": code(new),
            "rule": Listing(rule, Joint.CLAUSES),
        },
        body=(
            f"{at(frame, new)} = np.where(\n"
            f"    {at(frame, column)} <= {low},\n"
            f"    {literal(labels[0])},\n"
            f"    np.where({at(frame, column)} <= {high}, {literal(labels[1])}, {literal(labels[2])}),\n"
            ")"
        ),
        result=f"{at(frame, new)}.value_counts().reindex({literal(labels)})",
        stores=() if frame.is_big else (frame.var,),
        uses=((frame.var, (column.name,)),),
        checks=(f"{at(frame, new)}.nunique() == 3",),
        cost=0.4,
        board=board.with_column(frame, made_category(new, labels, rows=frame.rows)),
    )


def propose_standard(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number that varies."""
    for frame in board.mains():
        for column in board.ordered(rng, frame.numbers(distinct=6))[:4]:
            stem = slug(column.name, limit=18)
            new = new_column(frame, f"{stem}_z" if stem else "z_score")
            yield {"frame": frame.var, "column": column.name, "ddof": rng.choice([0, 1]), "new": new}


@family(
    theme="deriving",
    knowledge_points=("standardisation", "standard deviation", "derived columns"),
    idea="Standardised {column} in a column {new}",
    wordings=(
        "Standardise {column} of {frame}: subtract its mean and divide by its {kind}. Store the result in a new "
        "column {new} of {frame}, not rounded.",
        "Add a column {new} to {frame} with the z-scores of {column}. Use the {kind} and do not round.",
    ),
    propose=propose_standard,
    limit=1,
)
def standardise(board: Board, slots: Slots) -> Task:
    """Add the z-scores of a column."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    ddof, new = slots.get("ddof"), new_slot(frame, slots)
    if ddof not in (0, 1) or isinstance(ddof, bool):
        raise ContentError(f"slot 'ddof' is {ddof!r}", fix="write 0 or 1")
    values = at(frame, column)
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "new": code(new), "kind": DEVIATIONS[ddof]},
        body=f"{at(frame, new)} = ({values} - {values}.mean()) / {values}.std(ddof={ddof})",
        **kept(
            frame,
            f'{at(frame, new)}.agg(["min", "max"])',
            THEN_EXTREMES(column=code(new)),
        ),
        notes=(ROWS_WITHOUT_MISSING(column=code(column.name)) if column.missing else None,),
        uses=((frame.var, (column.name,)),),
        board=board.with_column(frame, made_number(new, like=column, missing=column.missing)),
    )


def propose_deviation(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number and a group column without missing values."""
    for frame in board.mains():
        groups = board.ordered(rng, [c for c in frame.groups() if not c.missing])[:3]
        for group, number in pairs(groups, board.ordered(rng, frame.numbers(distinct=8))[:3], 4):
            new = new_column(frame, rng.choice(["deviation", "gap", "difference"]))
            how = rng.choice(["mean", "median"])
            yield {"frame": frame.var, "group": group.name, "number": number.name, "how": how, "new": new}


@family(
    theme="deriving",
    knowledge_points=("group transform", "derived columns"),
    idea="How far {number} lies from the {how} of its {group}",
    wordings=(
        "Add a column {new} to {frame}: each row's {number} minus the {how} {number} of all rows with the same "
        "value of {group}. Do not round.",
        "For each row of {frame}, subtract the {how} of {number} over all rows with the same value of {group} from "
        "the row's own {number}. Keep "
        "the unrounded result in a new column {new} of {frame}.",
    ),
    propose=propose_deviation,
    limit=1,
)
def group_deviation(board: Board, slots: Slots) -> Task:
    """Add each row's distance from the mean of its group."""
    frame = frame_slot(board, slots)
    group = column_slot(frame, slots, "group", [c for c in frame.groups(most=50) if not c.missing])
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    how, new = text_slot(slots, "how", ("mean", "median")), new_slot(frame, slots)
    middle = f"{frame.var}.groupby({literal(group.name)})[{literal(number.name)}].transform({literal(how)})"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "how": MEASURES[how],
            "new": code(new),
        },
        body=f"{at(frame, new)} = {at(frame, number)} - {middle}",
        **column_digest(frame, new),
        notes=(ignoring_missing([number]),),
        uses=((frame.var, (group.name, number.name)),),
        cost=0.3,
        board=board.with_column(frame, made_number(new, missing=number.missing)),
    )
