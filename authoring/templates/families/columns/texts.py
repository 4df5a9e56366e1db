"""Tasks about words, codes and indicator columns."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from authoring.seeds import ColumnProfile, ColumnRole
from authoring.templates.board import Board, Slots, made_aside
from authoring.templates.families.columns.deriving import new_column, new_slot
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    kept,
    text_slot,
)
from authoring.templates.names_in_words import code, is_quotable, literal, shown, slug
from authoring.templates.phrasebook import (
    CODE_FOR,
    MISSING_WITH,
    ROWS_WITHOUT_WORDS,
    ROWS_WITHOUT_ZEROS,
    THEN_MEANS,
    THEN_SUM,
    THEN_VALUES,
    THEN_WORDS,
)
from authoring.templates.phrases import Joint, Listing
from evaluator.errors import ContentError


def _written(column: ColumnProfile) -> list[str]:
    """Return all values of a text column of few values, in the order of their characters; none if some is unknown."""
    values = [value for value, _ in column.top]
    if len(values) != column.distinct or not all(
        isinstance(v, str) and is_quotable(v) and v == v.strip() for v in values
    ):
        return []
    return sorted(map(str, values))


def propose_words(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column of texts of several words."""
    for frame in board.sources(rng)[:2]:
        for column in board.ordered(rng, [c for c in frame.texts() if c.spaced >= 0.3])[:3]:
            yield {"frame": frame.var, "text": column.name, "count": rng.choice([3, 4, 5])}


@family(
    theme="strings",
    knowledge_points=("strings", "splitting", "exploding lists", "frequencies"),
    idea="The {count} most frequent words in {text}",
    wordings=(
        "Split every value of {text} in {frame} into words at white space, in lower case. Which {count} words "
        "occur most often in the whole column? Return a Series of their counts, most frequent first.",
        "Count all words of {text} in {frame}, regardless of letter case; words are separated by white space. "
        "Return the {count} largest counts as a Series indexed by the word in lower case, in descending order.",
    ),
    propose=propose_words,
    limit=1,
)
def common_words(board: Board, slots: Slots) -> Task:
    """Return the most frequent words of a text column."""
    frame, count = frame_slot(board, slots), count_slot(slots, "count")
    text = column_slot(frame, slots, "text", frame.texts(distinct=2))
    counts = f"{at(frame, text)}.str.lower().str.split().explode().value_counts()"
    return Task(
        words={"frame": code(frame.var), "text": code(text.name), "count": str(count)},
        result=f"{counts}.head({count})",
        notes=(ROWS_WITHOUT_WORDS(column=code(text.name)) if text.missing else None,),
        uses=((frame.var, (text.name,)),),
        checks=(f"{counts}.head({count + 1}).is_unique", f"len({counts}) > {count}"),
        cost=2.0,
        board=board,
    )


def propose_first_part(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column of texts of several words."""
    for frame in board.mains():
        for column in board.ordered(rng, [c for c in frame.texts() if c.spaced >= 0.3])[:3]:
            stem = slug(column.name, limit=14)
            new = new_column(frame, f"{stem}_first" if stem else "first_word")
            yield {"frame": frame.var, "text": column.name, "new": new}


@family(
    theme="strings",
    knowledge_points=("strings", "splitting", "derived columns"),
    idea="The first word of {text} in a column {new}",
    wordings=(
        "Add a column {new} to {frame} with the first word of {text}: everything before the first white space.",
        "Split {text} of {frame} at white space and keep the first piece of each value in a new column {new}.",
    ),
    propose=propose_first_part,
    limit=1,
)
def first_part(board: Board, slots: Slots) -> Task:
    """Add the first word of each text."""
    frame, new = frame_slot(board, slots), new_slot(frame_slot(board, slots), slots)
    text = column_slot(frame, slots, "text", frame.texts(distinct=2))
    words = THEN_WORDS(column=code(new))
    made = replace(made_aside(new), dtype="str", missing=text.missing)
    return Task(
        words={"frame": code(frame.var), "text": code(text.name), "new": code(new)},
        body=f"{at(frame, new)} = {at(frame, text)}.str.split().str[0]",
        **kept(frame, f"({at(frame, new)}.nunique(), {at(frame, new)}.str.len().max())", words, always=True),
        notes=(MISSING_WITH(column=code(text.name)) if text.missing else None,),
        uses=((frame.var, (text.name,)),),
        checks=(f"{at(frame, new)}.nunique() > 1",),
        cost=1.0,
        board=board.with_column(frame, made),
    )


def propose_codes(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column of few values."""
    for frame in board.mains():
        groups = [
            c for c in frame.groups(most=6) if c.role is ColumnRole.CATEGORY and _written(c) and not c.fixed_categories
        ]
        for column in board.ordered(rng, groups)[:3]:
            stem = slug(column.name, limit=16)
            new = new_column(frame, f"{stem}_code" if stem else "code")
            yield {"frame": frame.var, "text": column.name, "start": rng.choice([0, 1]), "new": new}


@family(
    theme="deriving",
    knowledge_points=("mapping", "encoding categories", "derived columns"),
    idea="Numbers for the values of {text} in a column {new}",
    wordings=(
        "Encode {text} of {frame} as numbers in a new column {new}: {rule}.",
        "Add a numeric column {new} to {frame} that stands for {text}, with {rule}.",
    ),
    propose=propose_codes,
    limit=1,
)
def codes(board: Board, slots: Slots) -> Task:
    """Add numbers in place of a category's values."""
    frame, start = frame_slot(board, slots), count_slot(slots, "start")
    text, new = column_slot(frame, slots, "text", frame.groups(most=50)), new_slot(frame, slots)
    values = _written(text)
    if not values:
        raise ContentError(f"column {text.name!r} has values that cannot be listed", fix="choose another column")
    mapping = {value: number for number, value in enumerate(values, start)}
    pairs = ", ".join(f"{literal(value)}: {number}" for value, number in mapping.items())
    made = replace(made_aside(new), missing=text.missing)
    return Task(
        words={
            "frame": code(frame.var),
            "text": code(text.name),
            "new": code(new),
            "rule": Listing(
                tuple(CODE_FOR(number=str(number), value=shown(value)) for value, number in mapping.items()),
                Joint.CLAUSES,
            ),
        },
        body=f"{at(frame, new)} = {at(frame, text)}.map({{{pairs}}})",
        **kept(frame, f"{at(frame, new)}.sum()", THEN_SUM(column=code(new))),
        notes=(MISSING_WITH(column=code(text.name)) if text.missing else None,),
        uses=((frame.var, (text.name,)),),
        checks=(f"{at(frame, new)}.isna().sum() == {at(frame, text)}.isna().sum()",),
        board=board.with_column(frame, made),
    )


def propose_indicators(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column of few values."""
    for frame in board.sources(rng)[:1]:
        groups = [
            c for c in frame.groups(most=8) if c.role is ColumnRole.CATEGORY and _written(c) and not c.fixed_categories
        ]
        for column in board.ordered(rng, groups)[:3]:
            yield {"frame": frame.var, "text": column.name, "var": board.free("indicators")}


@family(
    theme="reshaping",
    knowledge_points=("indicator columns", "encoding categories"),
    idea="Indicator columns for {text}, stored as {var}",
    wordings=(
        "Make a DataFrame {var} of indicators for {text} in {frame}: one column for each of its values, named like "
        "the value and in ascending order, holding 1 where the row has that value and 0 elsewhere. It keeps the "
        "index of {frame}.",
        "One-hot encode {text} of {frame} and store the result as {var}: integer columns of 0 and 1, one per value "
        "and named after it, sorted ascending, with the index of {frame}.",
    ),
    propose=propose_indicators,
    limit=1,
)
def indicators(board: Board, slots: Slots) -> Task:
    """Store one column of zeros and ones for each value of a category."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    text = column_slot(frame, slots, "text", frame.groups(most=50))
    return Task(
        words={"frame": code(frame.var), "text": code(text.name), "var": code(var)},
        body=f"{var} = pd.get_dummies({at(frame, text)}, dtype=int)",
        **kept(frame, f"{var}.mean()", THEN_MEANS(frame=code(var)), var=var),
        loose=("ignore_dtypes", "ignore_names"),
        notes=(ROWS_WITHOUT_ZEROS(column=code(text.name)) if text.missing else None,),
        uses=((frame.var, (text.name,)),),
        board=board.with_variable(var),
    )


def propose_joined(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two text columns without gaps."""
    for frame in board.mains():
        texts = [c for c in frame.texts(distinct=2) if not c.missing and not c.stray_spaces and c.max_length <= 40]
        texts = [c for c in texts if c.dtype in ("str", "object", "string")]
        chosen = board.ordered(rng, texts)
        if len(chosen) >= 2:
            sides = {"first": chosen[0].name, "second": chosen[1].name}
            yield {"frame": frame.var, **sides, "new": new_column(frame, rng.choice(["label", "full_label"]))}


@family(
    theme="strings",
    knowledge_points=("strings", "concatenation", "derived columns"),
    idea="{first} and {second} together in a column {new}",
    wordings=(
        'Add a text column {new} to {frame}: the value of {first}, then " / " (a slash between two spaces), then '
        "the value of {second}.",
        'Join {first} and {second} of {frame}, in this order and separated by " / ", into a new column {new}.',
    ),
    propose=propose_joined,
    limit=1,
)
def joined_text(board: Board, slots: Slots) -> Task:
    """Add a column that joins two texts."""
    frame, new = frame_slot(board, slots), new_slot(frame_slot(board, slots), slots)
    first, second = (column_slot(frame, slots, key, frame.texts(distinct=2)) for key in ("first", "second"))
    words = THEN_VALUES(column=code(new))
    return Task(
        words={"frame": code(frame.var), "first": code(first.name), "second": code(second.name), "new": code(new)},
        body=f'{at(frame, new)} = {at(frame, first)} + " / " + {at(frame, second)}',
        **kept(frame, f"({at(frame, new)}.nunique(), {at(frame, new)}.str.len().max())", words, always=True),
        uses=((frame.var, (first.name, second.name)),),
        cost=0.8,
        board=board.with_column(frame, replace(made_aside(new), dtype="str")),
    )
