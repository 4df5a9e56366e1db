"""Tasks about text."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds import ColumnProfile
from authoring.templates.board import Board, Slots, made_number
from authoring.templates.families.columns.deriving import new_column, new_slot
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    list_slot,
    text_slot,
)
from authoring.templates.names_in_words import code, literal, names, slug
from authoring.templates.phrasebook import RETURN_COLUMNS, ROWS_WITHOUT_LEFT_OUT, ROWS_WITHOUT_LENGTH, THEIR_NUMBER


def words_of(column: ColumnProfile) -> list[str]:
    """Return words that stand in sample values but are not a whole value, in alphabetical order."""
    values = [str(value) for value in (*column.samples, *(value for value, _ in column.top))]
    found = {word for value in values for word in re.findall(r"[^\W\d_]{3,15}", value) if word != value}
    return sorted(found)


def has_initials(column: ColumnProfile) -> bool:
    """Return whether the known values of a text column begin with different characters."""
    values = [str(value) for value in (*column.samples, *(value for value, _ in column.top))]
    return not column.stray_spaces and len({value[:1].upper() for value in values}) >= 2


def propose_lengths(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column whose values differ in length."""
    for frame in board.mains():
        texts = [c for c in frame.texts() if c.max_length > c.min_length and (c.samples or c.name not in frame.steps)]
        for column in board.ordered(rng, texts)[:3]:
            stem = slug(column.name, limit=16)
            yield {
                "frame": frame.var,
                "text": column.name,
                "new": new_column(frame, f"{stem}_length" if stem else "length"),
            }


@family(
    theme="strings",
    knowledge_points=("strings", "derived columns"),
    idea="The length of {text} in a column {new}",
    wordings=(
        "Add a column {new} to {frame} with the number of characters of {text}. Return a Series with the smallest, "
        "the mean and the largest length, labelled `min`, `mean` and `max` in this order, not rounded.",
        "How long are the values of {text} in {frame}? Store their numbers of characters in a new column {new} "
        "and return the minimum, mean and maximum as a Series with the index `min`, `mean`, `max`.",
    ),
    propose=propose_lengths,
    limit=1,
)
def text_lengths(board: Board, slots: Slots) -> Task:
    """Add the length of each text."""
    frame = frame_slot(board, slots)
    text, new = column_slot(frame, slots, "text", frame.texts(distinct=2)), new_slot(frame, slots)
    made = made_number(new, missing=text.missing, distinct=text.max_length - text.min_length + 1)
    return Task(
        words={"frame": code(frame.var), "text": code(text.name), "new": code(new)},
        body=f"{at(frame, new)} = {at(frame, text)}.str.len()",
        result=f'{at(frame, new)}.agg(["min", "mean", "max"])',
        stores=() if frame.is_big else (frame.var,),
        notes=(ROWS_WITHOUT_LENGTH(column=code(text.name)) if text.missing else None,),
        uses=((frame.var, (text.name,)),),
        cost=0.5,
        board=board.with_column(frame, made),
    )


def propose_initials(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column with several values."""
    for frame in board.sources(rng)[:2]:
        for column in board.ordered(rng, [c for c in frame.texts(distinct=4) if has_initials(c)])[:3]:
            yield {"frame": frame.var, "text": column.name}


@family(
    theme="strings",
    knowledge_points=("strings", "frequencies"),
    idea="Rows by the first character of {text}",
    wordings=(
        "Count the rows of {frame} by the first character of {text}, in upper case. Return a Series of counts "
        "sorted by that character.",
        "With what characters do the values of {text} in {frame} begin? Turn the first characters into upper "
        "case and return the number of rows for each, as a Series sorted by its index.",
    ),
    propose=propose_initials,
)
def initials(board: Board, slots: Slots) -> Task:
    """Count rows by the first letter of a text."""
    frame = frame_slot(board, slots)
    text = column_slot(frame, slots, "text", frame.texts(distinct=2))
    initials = f"{at(frame, text)}.str[0].str.upper()"
    return Task(
        words={"frame": code(frame.var), "text": code(text.name)},
        result=f"{initials}.value_counts().sort_index()",
        notes=(ROWS_WITHOUT_LEFT_OUT(column=code(text.name)) if text.missing else None,),
        uses=((frame.var, (text.name,)),),
        checks=(f"{initials}.nunique() >= 2",),
        cost=0.8,
        board=board,
    )


def propose_contains(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column and a word in it."""
    for frame in board.sources(rng)[:2]:
        for column in board.ordered(rng, frame.texts())[:3]:
            words = words_of(column)
            labels = [c.name for c in frame.labels([column.name])[:2]]
            for word in rng.sample(words, min(2, len(words))):
                yield {"frame": frame.var, "text": column.name, "word": word, "show": [column.name, *labels]}


@family(
    theme="strings",
    knowledge_points=("strings", "substring search", "boolean filtering"),
    idea="Rows whose {text} contains {word}",
    wordings=(
        "Find the rows of {frame} whose {text} contains {word}, whatever the letter case and also inside a "
        "longer word. {wish}",
        "Which rows of {frame} mention {word} in {text}? Ignore upper and lower case, and count matches within "
        "words too. {wish}",
    ),
    propose=propose_contains,
)
def contains_word(board: Board, slots: Slots) -> Task:
    """Return the rows whose text contains a word."""
    frame = frame_slot(board, slots)
    text, word = column_slot(frame, slots, "text", frame.texts(distinct=2)), text_slot(slots, "word")
    show = [frame.column(str(name)).name for name in list_slot(slots, "show")]
    mask = f"{at(frame, text)}.str.contains({literal(word)}, case=False, regex=False, na=False)"
    return Task(
        words={
            "frame": code(frame.var),
            "text": code(text.name),
            "word": f'"{word}"',
            "wish": THEIR_NUMBER() if frame.is_big else RETURN_COLUMNS(columns=names(show)),
        },
        result=f"({mask}).sum()" if frame.is_big else f"{frame.var}.loc[{mask}, {literal(show)}]",
        uses=((frame.var, (text.name, *show)),),
        checks=(f"0 < ({mask}).sum() < len({frame.var})",),
        cost=0.5,
        board=board,
    )


def propose_first_words(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column of texts of several words."""
    for frame in board.sources(rng)[:2]:
        for column in board.ordered(rng, [c for c in frame.texts() if c.spaced >= 0.3])[:3]:
            yield {"frame": frame.var, "text": column.name, "least": rng.choice([2, 3])}


@family(
    theme="strings",
    knowledge_points=("strings", "splitting", "frequencies"),
    idea="First words of {text} that occur at least {least} times",
    wordings=(
        "Take the first word of each {text} in {frame} (words are separated by white space) and count how often "
        "each occurs. Return the counts of those that occur at least {least} times, as a Series sorted by word.",
        "Split {text} in {frame} at white space and look at the first piece only. Which first pieces occur "
        "{least} times or more? Return a Series of their counts, sorted by its index.",
    ),
    propose=propose_first_words,
    limit=1,
)
def first_words(board: Board, slots: Slots) -> Task:
    """Count the first words of a text that occur several times."""
    frame = frame_slot(board, slots)
    text, least = column_slot(frame, slots, "text", frame.texts(distinct=2)), count_slot(slots, "least")
    counts = f"{at(frame, text)}.str.split().str[0].value_counts()"
    return Task(
        words={"frame": code(frame.var), "text": code(text.name), "least": str(least)},
        result=f"{counts}.loc[lambda counts: counts >= {least}].sort_index()",
        notes=(ROWS_WITHOUT_LEFT_OUT(column=code(text.name)) if text.missing else None,),
        uses=((frame.var, (text.name,)),),
        checks=(f"({counts} >= {least}).sum() >= 2",),
        cost=1.5,
        board=board,
    )


def propose_repeats(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column some of whose values repeat."""
    for frame in board.sources(rng)[:2]:
        repeating = [c for c in frame.texts(distinct=5) if c.distinct < frame.rows - c.missing]
        for column in board.ordered(rng, repeating)[:3]:
            counts = [count for _, count in column.top]
            fit = [n for n in (3, 4, 5) if n < len(counts) and len(set(counts[: n + 1])) == n + 1]
            for count in rng.sample(fit, min(len(fit), 1)):
                yield {"frame": frame.var, "text": column.name, "count": count}


@family(
    theme="strings",
    knowledge_points=("frequencies", "top-k"),
    idea="The {count} most frequent values of {text}",
    wordings=(
        "Which are the {count} most frequent values of {text} in {frame}? Return a Series of their numbers of "
        "rows, most frequent first.",
        "Count the values of {text} in {frame} and return the {count} largest counts as a Series indexed by "
        "value, in descending order.",
    ),
    propose=propose_repeats,
)
def frequent_values(board: Board, slots: Slots) -> Task:
    """Return the most frequent values of a text column."""
    frame = frame_slot(board, slots)
    text, count = column_slot(frame, slots, "text", frame.texts(distinct=2)), count_slot(slots, "count")
    counts = f"{at(frame, text)}.value_counts()"
    return Task(
        words={"frame": code(frame.var), "text": code(text.name), "count": str(count)},
        result=f"{counts}.head({count})",
        uses=((frame.var, (text.name,)),),
        checks=(f"{counts}.head({count + 1}).is_unique", f"{at(frame, text)}.nunique() > {count}"),
        cost=0.4,
        board=board,
    )
