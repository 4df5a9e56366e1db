"""Families that ask whether the data are sound, and repair what is not."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnRole
from authoring.seeds.semantics import AddsUp, Meaning
from authoring.templates.board import Board, Column, Slots
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    family,
    frame_slot,
    list_slot,
    lit,
    noun_of,
    text_slot,
)
from authoring.templates.names_in_words import code, literal, names, slug
from authoring.templates.phrasebook import (
    ARE_BOTH_KNOWN,
    ARE_KNOWN,
    DROP_SYMBOLS,
    IS_KNOWN,
    LOWER_CASE,
    STRIP_AND_LOWER,
    STRIP_SPACES,
)
from authoring.templates.phrases import Joint

EXTENTS: Final = frozenset(
    {"mm", "cm", "m", "km", "in", "inch", "ft", "g", "kg", "mg", "lb", "lbs", "t", "ct", "carat"}
)


def propose_gaps(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table with gaps in several columns."""
    for frame in [one for one in board.mains() if one.made_by == 1]:
        if sum(bool(column.missing) for column in frame.columns) >= 2:
            yield {"frame": frame.var, "var": board.free("gaps")}


@family(
    theme="soundness",
    knowledge_points=("missing values",),
    idea="Which columns of {frame} have gaps, and how large they are",
    wordings=(
        "Before we trust {frame}: which columns have gaps? Store as {var} one row for each column with missing "
        "values, with the columns `column`, `missing` (how many) and `share` (of all {rows}, as a fraction).",
        "Make an inventory of the gaps in {frame}: a DataFrame {var} with the columns `column`, `missing` and "
        "`share`, the last one as a fraction of all {rows}. Columns without a gap are left out.",
    ),
    propose=propose_gaps,
    about=(),
)
def missing_inventory(board: Board, slots: Slots) -> Task:
    """Count the missing values of each column that has some."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")

    def table(counts: str, share: str, *, kept: bool = True) -> str:
        body = f'{var} = {counts}.rename_axis("column").reset_index(name="missing")\n'
        body += f'{var} = {var}[{var}["missing"] > 0].reset_index(drop=True)\n' if kept else ""
        return f'{body}{var}["share"] = {share}'

    absent = f"{frame.var}.isna().sum()"
    per_row = f'{var}["missing"] / len({frame.var})'
    return Task(
        words={"frame": code(frame.var), "var": code(var), "rows": noun_of(frame)},
        body=table(absent, per_row),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=6e-4,
        uses=((frame.var, ()),),
        checks=(f"len({var}) >= 2",),
        mistakes=(
            Mistake(table(absent, per_row, kept=False), "complete columns are listed, too"),
            Mistake(
                table(absent, f'{var}["missing"] / {var}["missing"].sum()'), "a share of all gaps, not of the rows"
            ),
        ),
        others=(
            f"_absent = {{name: int({frame.var}[name].isna().sum()) for name in {frame.var}.columns}}\n"
            f"{var} = pd.DataFrame([(name, n, n / {frame.var}.shape[0]) for name, n in _absent.items() if n],\n"
            f'    columns=["column", "missing", "share"])',
        ),
        board=board.with_result(var, "gaps", frame=frame.var),
    )


def propose_gap_pattern(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column with gaps, and groups in which they may differ."""
    for frame in [one for one in board.mains() if one.made_by == 1]:
        lacking = [c for c in frame.usable if c.missing >= 8 and c.missing < 0.9 * frame.rows]
        for column in sorted(lacking, key=lambda c: (c.name not in board.focus.columns, -c.missing))[:3]:
            for group in [g for g in frame.groups() if g.name != column.name and g.missing < 0.2 * frame.rows][:2]:
                yield {"frame": frame.var, "column": column.name, "group": group.name}


@family(
    theme="soundness",
    knowledge_points=("missing values by group", "group and aggregate"),
    idea="Whether the gaps in {column} depend on {group}",
    wordings=(
        "Are the gaps in {column} spread evenly, or do they sit with one {group}? For each {group} of {frame}, "
        "give the share of {rows} without {column}, as a fraction, the largest first.",
        "I suspect that {column} is not missing at random. What fraction of the {rows} of each {group} in "
        "{frame} lacks it? Largest fraction first.",
    ),
    propose=propose_gap_pattern,
    about=("column",),
)
def gap_pattern(board: Board, slots: Slots) -> Task:
    """Return the share of missing values for each group."""
    frame = frame_slot(board, slots)
    column, group = column_slot(frame, slots, "column"), column_slot(frame, slots, "group")
    lacks = f"{at(frame, column)}.isna().groupby({at(frame, group)})"
    shares = f"{lacks}.mean()"
    share = literal("share_missing")
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "group": code(group.name),
            "rows": noun_of(frame),
        },
        result=f"{shares}.sort_values(ascending=False).reset_index(name={share})",
        form=Form.RANKING,
        atol=6e-4,
        uses=((frame.var, (column.name, group.name)),),
        checks=(f"{shares}.round(3).is_unique", f"np.ptp({shares}) >= 0.1"),  # they do sit with some
        mistakes=(
            Mistake(f"(1 - {shares}).sort_values().reset_index(name={share})", "the share that is known"),
            Mistake(
                f"({lacks}.sum() / {at(frame, column)}.isna().sum()).sort_values(ascending=False)"
                f".reset_index(name={share})",
                "how the gaps divide among the groups",
            ),
            Mistake(f"{lacks}.sum().sort_values(ascending=False).reset_index(name={share})", "counts"),
        ),
        others=(
            f"(1 - {frame.var}.groupby({lit(group)})[{lit(column)}].count() / "
            f"{frame.var}.groupby({lit(group)}).size())"
            ".sort_values(ascending=False)",
        ),
        board=board,
    )


def propose_complete(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """The columns that most of the set is about, if some of them have gaps."""
    for frame in board.mains():
        about = [c for c in frame.usable if c.name in (board.focus.measure, board.focus.partner, board.focus.group)]
        lacking = [c for c in about if 0 < c.missing <= 0.2 * frame.rows]
        if lacking:
            var = f"with_{slug(lacking[0].name) or 'value'}" if len(lacking) == 1 else "complete"
            yield {"frame": frame.var, "columns": [c.name for c in lacking], "var": board.free(var)}


@family(
    theme="soundness",
    knowledge_points=("dropping incomplete rows",),
    idea="Keep the rows of {frame} in which {columns} are known, as {var}",
    wordings=(
        "From here on I only want {rows} for which {columns} {known}. Store them as a DataFrame {var} and leave "
        "{frame} as it is. How many {rows} does that cost us?",
        "Make {var}, a copy of {frame} without the {rows} that lack {lacking}. {frame} stays untouched. Return "
        "how many {rows} were dropped.",
    ),
    propose=propose_complete,
    about=(),
)
def complete_rows(board: Board, slots: Slots) -> Task:
    """Store the rows without gaps in the columns that matter."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    columns = [frame.column(str(name)) for name in list_slot(slots, "columns")]
    chosen = [c.name for c in columns]
    others = [c for c in frame.columns if c.missing and c.name not in chosen]
    lost = f"len({frame.var}) - len({var})"
    mistakes = [Mistake(f"{var} = {frame.var}.copy()\n{lost}", "nothing is dropped")]
    if others:
        mistakes.append(
            Mistake(f"{var} = {frame.var}.dropna()\n{lost}", "gaps in other columns cost rows, too", may_agree=True)
        )
    if len(chosen) > 1:
        some = f'{var} = {frame.var}.dropna(subset={literal(chosen)}, how="all")\n{lost}'
        mistakes.append(Mistake(some, "only rows that lack all of them are dropped", may_agree=True))
    kept = [replace(c, about=replace(c.about, missing=0)) if c.name in chosen else c for c in frame.columns]
    made = replace(
        frame,
        var=var,
        columns=tuple(replace(c, made_by=board.step) for c in kept),
        rows=frame.rows - max(c.missing for c in columns),
        made_by=board.step,
    )
    return Task(
        words={
            "frame": code(frame.var),
            "columns": names(chosen),
            "lacking": names(chosen, Joint.OR),
            "known": IS_KNOWN if len(chosen) == 1 else ARE_BOTH_KNOWN if len(chosen) == 2 else ARE_KNOWN,
            "var": code(var),
            "rows": noun_of(frame),
        },
        body=f"{var} = {frame.var}.dropna(subset={literal(chosen)})",
        result=lost,
        form=Form.VALUE,
        stores=(var,),
        stored_form=Form.TABLE,
        makes={var: tuple(c.name for c in frame.columns)} if frame.is_big else {},
        uses=((frame.var, tuple(chosen)),),
        checks=(f"0 < {lost} < len({frame.var})",),
        mistakes=tuple(mistakes),
        others=(f"{var} = {frame.var}[{frame.var}[{literal(chosen)}].notna().all(axis=1)].copy()\n{lost}",),
        board=board.with_frame(made, main=True),
    )


def propose_repeats(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table in which equal rows can only be a mistake."""
    for frame in board.mains():
        if 0 < frame.duplicates < 0.5 * frame.rows:
            yield {"frame": frame.var}


@family(
    theme="soundness",
    knowledge_points=("duplicate rows",),
    idea="Drop the rows of {frame} that were entered twice",
    wordings=(
        "Some {rows} were entered more than once. Keep the first of each set of rows that are equal in every "
        "column and drop the others from {frame} itself. How many rows are left?",
        "Clean {frame} of rows that repeat an earlier row in full, and tell me how many remain.",
    ),
    propose=propose_repeats,
    about=(),
)
def drop_repeats(board: Board, slots: Slots) -> Task:
    """Drop repeated rows."""
    frame = frame_slot(board, slots)
    made = replace(frame, rows=frame.rows - frame.duplicates, duplicates=0, made_by=board.step)
    key = next((c for c in frame.columns if c.means.meaning is Meaning.IDENTIFIER and c.missing), None)
    return Task(
        words={"frame": code(frame.var), "rows": noun_of(frame)},
        body=f"{frame.var} = {frame.var}.drop_duplicates(ignore_index=True)",
        result=f"len({frame.var})",
        form=Form.VALUE,
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: tuple(c.name for c in frame.columns)} if frame.is_big else {},
        uses=((frame.var, () if key is None else (key.name,)),),
        checks=(f"len({frame.var}) >= 5",),
        mistakes=(
            Mistake(
                f"{frame.var} = {frame.var}.drop_duplicates(keep=False)\nlen({frame.var})", "drops the first ones, too"
            ),
            Mistake(f"{frame.var} = {frame.var}.dropna()\nlen({frame.var})", "drops incomplete rows")
            if any(c.missing for c in frame.columns)
            else Mistake(f"{frame.var}.duplicated().sum()", "counts them and drops nothing"),
        ),
        others=(f"{frame.var} = {frame.var}[~{frame.var}.duplicated()].copy()\n{frame.var}.shape[0]",),
        board=board.with_frame(made, main=True),
    )


def propose_spelling(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Texts that divide the rows and are written in more than one way."""
    for frame in board.mains():
        for column in frame.usable:
            about = column.about
            if (about.stray_spaces or about.case_variants) and about.distinct <= 40 and about.max_length:
                yield {"frame": frame.var, "column": column.name}


@family(
    theme="soundness",
    knowledge_points=("text cleaning", "value counts"),
    idea="Write the values of {column} in one way",
    wordings=(
        "{column} in {frame} is written in several ways. {repair} Change {frame} itself. How often does each "
        "value occur then?",
        "The same {column} appears under different spellings in {frame}. {repair} Do it in {frame}, then count "
        "how often each value occurs.",
    ),
    propose=propose_spelling,
    about=("column",),
)
def one_spelling(board: Board, slots: Slots) -> Task:
    """Strip stray spaces and write in lower case, as far as either is needed; then count."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column")
    about, text = column.about, at(frame, column)
    steps = [".str.strip()"] if about.stray_spaces else []
    steps += [".str.lower()"] if about.case_variants else []
    said = STRIP_AND_LOWER if len(steps) > 1 else STRIP_SPACES if about.stray_spaces else LOWER_CASE
    counts = f'{text}.value_counts().rename_axis({lit(column)}).reset_index(name="n")'
    mistakes = [Mistake(counts, "the texts stay as they are")]
    mistakes += [Mistake(f"{text} = {text}{step}\n{counts}", "half of the repair") for step in steps if len(steps) > 1]
    distinct = max(about.distinct - about.case_variants - min(about.stray_spaces, about.distinct // 3), 2)
    changed = replace(
        column, made_by=board.step, about=replace(about, stray_spaces=0, case_variants=0, distinct=distinct, top=())
    )
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "repair": said},
        body=f"{text} = {text}{''.join(steps)}",
        result=counts,
        form=Form.TABLE,
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: (column.name,)} if frame.is_big else {},
        uses=((frame.var, (column.name,)),),
        checks=(f"{text}.nunique() >= 2",),
        mistakes=tuple(mistakes),
        others=(
            f"{text} = [v if pd.isna(v) else v{''.join(steps).replace('.str.', '.')} for v in {text}]\n"
            f"{frame.var}.groupby({lit(column)}).size()",
        ),
        board=board.with_column(frame, changed),
    )


def propose_numbers(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Texts that are numbers."""
    for frame in board.mains():
        for column in frame.usable:
            if column.about.number_text and column.about.distinct >= 5:
                yield {"frame": frame.var, "column": column.name}


@family(
    theme="soundness",
    knowledge_points=("text to numbers",),
    idea="Turn {column} into numbers",
    wordings=(
        "{column} in {frame} holds numbers as text. Turn it into numbers in {frame} itself{symbols}; what is no "
        "number becomes missing. What are the smallest, the median and the largest value?",
        "Make {column} of {frame} numeric{symbols}. Entries that are no numbers become missing. Then give me "
        "minimum, median and maximum.",
    ),
    propose=propose_numbers,
    about=("column",),
)
def text_to_numbers(board: Board, slots: Slots) -> Task:
    """Turn a column of texts into numbers."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column")
    text = at(frame, column)
    has_symbols = column.about.number_text == "symbols"
    stripped = f'{text}.str.replace(r"[^0-9.eE+-]", "", regex=True)' if has_symbols else text
    numeric = f'pd.to_numeric({stripped}, errors="coerce")'
    three = f"({text}.min(), {text}.median(), {text}.max())"
    about = replace(
        column.about,
        role=ColumnRole.NUMBER,
        dtype="float64",
        number_text="",
        missing=column.missing + column.about.not_numbers,
        top=(),
        max_length=0,
    )
    meaning = column.means.meaning if column.means.meaning in (Meaning.MONEY, Meaning.COUNT, Meaning.RATE) else None
    means = replace(column.means, meaning=meaning or Meaning.MEASURE, adds_up=column.means.adds_up or AddsUp.NO)
    mistakes = [Mistake(f"({text}.min(), {text}.max(), {text}.nunique())", "compares texts")]
    if has_symbols:
        lost = f'{text} = pd.to_numeric({text}, errors="coerce")\n{three}'
        mistakes.append(Mistake(lost, "every number with a symbol is lost"))
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "symbols": DROP_SYMBOLS if has_symbols else ""},
        body=f"{text} = {numeric}",
        result=three,
        form=Form.VALUE,
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: (column.name,)} if frame.is_big else {},
        uses=((frame.var, (column.name,)),),
        checks=(f"{text}.notna().sum() >= 5",),
        mistakes=tuple(mistakes),
        board=board.with_column(frame, Column(about=about, means=means, made_by=board.step)),
    )


def propose_zeros(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Lengths and weights with a smallest value of 0 that is rare."""
    for frame in board.mains():
        for column in frame.numbers():
            low = column.quantile("0.05")
            is_extent = column.means.unit.lower() in EXTENTS or _names_an_extent(column.name)
            if is_extent and column.about.min == 0 and low is not None and low > 0:
                yield {"frame": frame.var, "column": column.name}


def _names_an_extent(name: str) -> bool:
    words = ("length", "width", "height", "depth", "weight", "mass", "diameter", "radius", "thickness")
    return any(word in name.lower() for word in words)


@family(
    theme="soundness",
    knowledge_points=("implausible values", "conditional replacement"),
    idea="Treat a {column} of 0 as missing",
    wordings=(
        "A {column} of 0 cannot be right: somebody wrote 0 for unknown. Make these values missing in {frame} "
        "itself and tell me how many there were and what the mean {column} is now.",
        "In {frame}, {column} is 0 where it was not measured. Replace these zeros by missing values, in {frame} "
        "itself, and return how many you replaced and the mean of {column} afterwards.",
    ),
    propose=propose_zeros,
    about=("column",),
)
def zeros_to_missing(board: Board, slots: Slots) -> Task:
    """Turn zeros that cannot be into missing values."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers())
    number = at(frame, column)
    count = f"_zeros = int(({number} == 0).sum())"
    changed = replace(column, made_by=board.step, about=replace(column.about, missing=column.missing + 1))
    return Task(
        words={"frame": code(frame.var), "column": code(column.name)},
        body=f"{count}\n{number} = {number}.where({number} != 0)",
        result=f"(_zeros, {number}.mean())",
        form=Form.VALUE,
        atol=1e-6,
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: (column.name,)} if frame.is_big else {},
        uses=((frame.var, (column.name,)),),
        checks=("0 < _zeros", f"_zeros < 0.05 * len({frame.var})"),
        mistakes=(
            Mistake(
                f"{count}\n{frame.var} = {frame.var}[{number} != 0]\n(_zeros, {number}.mean())",
                "drops the rows instead",
            ),
            Mistake(f"{count}\n(_zeros, {number}.mean())", "leaves the zeros in place"),
        ),
        others=(
            f"_zeros = int({number}.eq(0).sum())\n{number} = {number}.replace(0, np.nan)\n[_zeros, {number}.mean()]",
        ),
        board=board.with_column(frame, changed),
    )
