"""Families about columns of text: the words in them, and what goes with a word."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds import ColumnProfile, ColumnRole
from authoring.seeds.semantics import ColumnMeaning, Meaning
from authoring.templates.board import Board, Column, Slots
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    lit,
    noun_of,
    rounding,
    text_slot,
)
from authoring.templates.names_in_words import code, free_name, literal


def propose_words(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Texts of several words in the Latin alphabet."""
    for frame in board.crosses():
        for column in frame.texts():
            ascii_text = all(isinstance(v, str) and v.isascii() for v in column.about.samples)
            if ascii_text and column.about.distinct >= 20 and not column.missing:
                yield {
                    "frame": frame.var,
                    "column": column.name,
                    "count": rng.choice((8, 10)),
                    "var": board.free("words"),
                }


@family(
    theme="texts",
    knowledge_points=("text methods", "counting words"),
    idea="The most common words in {column}, as {var}",
    wordings=(
        "Which words are common in {column}? Write it in lower case, take runs of four or more letters a to z as "
        "words, and count for each word in how many {rows} of {frame} it occurs (once per row). Store the {count} most "
        "common as {var} with the columns `word` and `n`.",
        "Build {var}, the {count} words that occur in most {rows} of {frame}: a word is a run of four or more letters "
        "a to z in the lower-cased {column}, each counted once per row. Columns `word` and `n`.",
    ),
    propose=propose_words,
    about=("column",),
)
def common_words(board: Board, slots: Slots) -> Task:
    """Store the words that occur in most rows."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    column, count = column_slot(frame, slots, "column"), count_slot(slots, "count")
    lower = f"{at(frame, column)}.str.lower()"

    def table(words: str) -> str:
        return (
            f'_counts = {words}.value_counts()\n{var} = _counts.head({count}).rename_axis("word").reset_index(name="n")'
        )

    sets = f'{lower}.str.findall("[a-z]{{4,}}").map(set).map(sorted).explode().dropna()'
    upper = f'{at(frame, column)}.str.findall("[A-Za-z]{{4,}}").map(set).map(sorted).explode().dropna()'
    mistakes = [
        Mistake(table(upper), "upper and lower case are different words"),
        Mistake(table(f"{lower}.str.split().explode().dropna()"), "splits at spaces only, several times per row"),
    ]
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "count": str(count),
            "var": code(var),
            "rows": noun_of(frame),
        },
        body=table(sets),
        stores=(var,),
        stored_form=Form.TABLE,
        uses=((frame.var, (column.name,)),),
        checks=(
            f"len(_counts) > {count}",
            f"_counts.iloc[{count} - 1] > _counts.iloc[{count}]",
            f"len({var}) == {count}",
        ),
        mistakes=tuple(mistakes),
        others=(
            "import re\nfrom collections import Counter\n\n"
            f'_seen = Counter(w for text in {lower} for w in set(re.findall("[a-z]{{4,}}", text)))\n'
            f'{var} = pd.DataFrame(_seen.most_common({count}), columns=["word", "n"])',
        ),
        conventions=1,
        board=board.with_result(var, "words", frame=frame.var, column=column.name),
    )


def propose_with_word(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Common words and a number that may go with them."""
    for words in board.results_of("words"):
        frame = board.frame(words.facts["frame"])
        for number in sorted(frame.numbers(), key=lambda c: c.name != board.focus.measure)[:3]:
            yield {"words": words.var, "number": number.name}


@family(
    theme="texts",
    knowledge_points=("matching texts", "comparison with an earlier result"),
    idea="The median {number} of rows with each of the {words}",
    wordings=(
        "Does a word in {column} go with a different {number}? For each word of {words}, the median {number} of "
        "the {rows} of {frame} that contain it (as a whole word, as counted above), the highest first.",
        "For every word in {words}: what is the median {number} of the {rows} of {frame} whose {column} has that "
        "word? Whole words as before, highest median first.",
    ),
    propose=propose_with_word,
    about=("words", "number"),
)
def median_by_word(board: Board, slots: Slots) -> Task:
    """Return the median of a number for rows with each common word."""
    words = board.result(text_slot(slots, "words"), "words")
    frame = board.frame(words.facts["frame"])
    number, column = column_slot(frame, slots, "number", frame.numbers()), frame.column(words.facts["column"])
    lower = f"{at(frame, column)}.str.lower()"

    def table(has: str, how: str = "median") -> str:
        return (
            f'_found = {{\n    word: {at(frame, number)}[{has}].{how}()\n    for word in {words.var}["word"]\n}}\n'
            'pd.Series(_found).sort_values(ascending=False).rename_axis("word").reset_index(name="median")'
        )

    whole = f'{lower}.str.findall("[a-z]+").map(lambda found, word=word: word in found)'
    body, _, result = table(whole).rpartition("\n")
    return Task(
        words={
            "frame": code(frame.var),
            "words": code(words.var),
            "number": code(number.name),
            "column": code(column.name),
            "rows": noun_of(frame),
        },
        body=body,
        result=result,
        form=Form.RANKING,
        atol=rounding(number.about.mean),
        uses=((words.var, ()), (frame.var, (number.name, column.name))),
        checks=("pd.Series(_found).round(6).is_unique", "pd.Series(_found).notna().all()"),
        mistakes=(
            Mistake(table(whole, "mean"), "means"),
            Mistake(table(whole).replace("ascending=False", "ascending=True"), "lowest first"),
        ),
        others=(
            f'_long = {frame.var}.assign(word={lower}.str.findall("[a-z]+").map(set).map(list)).explode("word")\n'
            f'_long = _long[_long["word"].isin({words.var}["word"])]\n'
            f'_long.groupby("word")[{lit(number)}].median().sort_values(ascending=False)',
        ),
        board=board,
    )


def propose_first_word(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Names whose first word divides the rows."""
    for frame in board.crosses():
        for column in frame.texts():
            about = column.about
            first = [str(v).split(" ")[0] for v in about.samples if isinstance(v, str)]
            is_name = column.means.meaning is Meaning.LABEL and about.distinct >= 20 and not column.missing
            if is_name and about.spaced >= 0.9 and len(first) >= 3 and about.max_length <= 60:
                new = free_name("first_word", {c.name for c in frame.columns})
                yield {"frame": frame.var, "column": column.name, "new": new, "count": 5}


@family(
    theme="texts",
    knowledge_points=("splitting texts", "value counts"),
    idea="The first word of {column} as a column",
    wordings=(
        "The first word of {column} groups the {rows}. Add it to {frame} as {new}, in lower case, and tell me "
        "the {count} most frequent ones with their counts, most frequent first.",
        "Split the first word (up to the first space) off {column}: {new} in {frame} holds it in lower case, "
        "{column} stays. Which {count} occur most, and how often?",
    ),
    propose=propose_first_word,
    prepares=True,
    about=("column",),
)
def first_word(board: Board, slots: Slots) -> Task:
    """Add the first word of a name."""
    frame, new = frame_slot(board, slots), text_slot(slots, "new")
    column, count = column_slot(frame, slots, "column"), count_slot(slots, "count")
    target, source = at(frame, new), at(frame, column)
    words = f'{target} = {source}.str.split(" ").str[0].str.lower()\n'
    counts = f'{target}.value_counts().head({count}).rename_axis({literal(new)}).reset_index(name="n")'
    about = ColumnProfile(
        name=new,
        dtype="str",
        role=ColumnRole.TEXT,
        missing=0,
        distinct=max(column.about.distinct // 3, 8),
        max_length=20,
    )
    made = Column(about=about, means=ColumnMeaning(name=new, meaning=Meaning.CATEGORY), made_by=board.step)
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "new": code(new),
            "count": str(count),
            "rows": noun_of(frame),
        },
        body=words.strip(),
        result=counts,
        form=Form.RANKING,
        stores=(frame.var,),
        stored_form=Form.TABLE,
        uses=((frame.var, (column.name,)),),
        checks=(
            f"{target}.value_counts().head({count + 1}).is_unique",
            f"{target}.nunique() >= {count + 1}",
            f"{target}.value_counts().iloc[{count - 1}] >= 3",
        ),
        mistakes=(
            Mistake(f'{target} = {source}.str.split(" ").str[0]\n{counts}', "keeps capitals"),
            Mistake(f'{target} = {source}.str.split(" ").str[-1].str.lower()\n{counts}', "the last word"),
        ),
        others=(
            f'{target} = [text.lower().split(" ")[0] for text in {source}]\n'
            f"{frame.var}.groupby({literal(new)}).size().nlargest({count})",
        ),
        board=board.with_column(frame, made),
    )
