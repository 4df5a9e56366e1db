"""Families about things that are observed again and again: one moment of them, steps, and how far they lie apart."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from authoring.seeds.semantics import Meaning
from authoring.templates.board import MANY, Board, Column, Frame, Slots
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    family,
    frame_slot,
    lit,
    noun_of,
    rounding,
    text_slot,
)
from authoring.templates.made_columns import made_number
from authoring.templates.names_in_words import code, free_name, literal, slug
from authoring.templates.phrasebook import FIRST, LINEAR_QUARTILES, THIRD


def panels(board: Board) -> Iterator[tuple[Frame, Column, Column]]:
    """Yield the main frame with its entity and its time, if its rows are one entity at one time each."""
    for frame in board.mains():
        times = [c for c in frame.times() if c.name in frame.order]
        if len(frame.entity) == 1 and times and frame.has(frame.entity[0]):
            entity = frame.column(frame.entity[0])
            if 3 <= entity.about.distinct <= frame.rows / 3 and not entity.missing and frame.is_grid:
                yield frame, entity, times[0]


def propose_snapshot(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A panel of many entities."""
    for frame in board.mains():
        taken = any(f.is_snapshot for f in board.frames.values())
        if frame.is_panel and frame.has_many_entities and frame.is_grid and not taken:
            for time in [c for c in frame.times() if c.name in frame.order][:1]:
                yield {"frame": frame.var, "entity": frame.entity[0], "time": time.name, "var": board.free("latest")}


@family(
    theme="soundness",
    knowledge_points=("filtering rows",),
    idea="The rows of {frame} at the latest {time}, as {var}",
    wordings=(
        "To compare one {entity} with another we need a single {time}: store the {rows} of the latest {time} in "
        "{frame} as {var}. How many are there?",
        "From here on let us look at the latest {time} only: {var} shall hold its {rows} of {frame}, so that each "
        "{entity} occurs once. Return their number.",
    ),
    propose=propose_snapshot,
    prepares=True,
    about=(),
)
def latest_rows(board: Board, slots: Slots) -> Task:
    """Store the rows of the last moment of a panel."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    entity, time = column_slot(frame, slots, "entity"), column_slot(frame, slots, "time", frame.times())
    when = at(frame, time)
    count = min(entity.about.distinct, frame.rows)

    def take(condition: str) -> str:
        return f"{var} = {frame.var}[{condition}]\n"

    made = replace(
        frame,
        var=var,
        columns=tuple(
            _at_one_time(c, frame, count, board.step, is_entity=c.name == entity.name) for c in frame.columns
        ),
        rows=count,
        made_by=board.step,
        order=(),
        entity=(),
        noun=_plural(entity.name),
        is_snapshot=True,
        links={pair: replace(link, fewest=link.fewest * count // frame.rows) for pair, link in frame.links.items()},
    )
    return Task(
        words={
            "frame": code(frame.var),
            "entity": code(entity.name),
            "time": code(time.name),
            "var": code(var),
            "rows": noun_of(frame),
        },
        body=take(f"{when} == {when}.max()").strip(),
        result=f"len({var})",
        form=Form.VALUE,
        stores=(var,),
        stored_form=Form.TABLE,
        makes={var: tuple(c.name for c in frame.columns)} if made.is_big else {},
        uses=((frame.var, (entity.name, time.name)),),
        checks=(f"len({var}) >= {MANY}", f"{var}[{lit(entity)}].is_unique"),
        mistakes=(
            Mistake(take(f"{when} == {when}.min()") + f"len({var})", "the earliest"),
            Mistake(
                f"{var} = {frame.var}.groupby({lit(entity)}).first().reset_index()\nlen({var})", "the first row of each"
            ),
        ),
        others=(f"{var} = {frame.var}.loc[{when}.eq(sorted({when}.unique())[-1])].copy()\n{var}.shape[0]",),
        board=board.with_frame(made),
    )


def _plural(name: str) -> str:
    """Return the plural of a plain English word; empty for other names."""
    if not (name.isascii() and name.isalpha() and name.islower()):
        return ""
    return (
        f"{name[:-1]}ies" if name[-1] == "y" and name[-2:-1] not in "aeiou" else name if name[-1] == "s" else f"{name}s"
    )


def _at_one_time(column: Column, frame: Frame, rows: int, step: int, *, is_entity: bool) -> Column:
    """Return a column as it stands in the rows of one moment."""
    about = column.about
    share = rows / max(frame.rows, 1)
    top = tuple((value, max(round(count * share), 1)) for value, count in about.top)
    missing, distinct = round(column.missing * share), min(about.distinct, rows)
    about = replace(about, missing=missing, distinct=distinct, top=top)
    means = replace(column.means, meaning=Meaning.LABEL) if is_entity else column.means
    return Column(about=about, means=means, made_by=step)


def propose_steps(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """An entity, a time and a number whose change from row to row is worth a column."""
    for frame, entity, time in panels(board):
        for number in sorted(frame.numbers(), key=lambda c: c.name != board.focus.measure)[:3]:
            if number.made_by > 1:
                continue
            base = f"{slug(number.name) or 'value'}_change"
            new = free_name(base, {c.name for c in frame.columns})
            yield {"frame": frame.var, "entity": entity.name, "time": time.name, "number": number.name, "new": new}


@family(
    theme="measures",
    knowledge_points=("differences within groups", "order of rows"),
    idea="The change of {number} against the row before of the same {entity}",
    wordings=(
        "Levels hide what happens from one {time} to the next. Add a column {new} to {frame}: {number} minus its "
        "value in the row before of the same {entity}, in order of {time}; it is missing in the first row of "
        "each {entity}.",
        "Add {new} to {frame}, the change of {number} since the previous {time} of the same {entity} (missing "
        "for the first one).",
    ),
    propose=propose_steps,
    prepares=True,
    about=("number",),
)
def change_since_before(board: Board, slots: Slots) -> Task:
    """Add the difference to the row before of the same entity."""
    frame = frame_slot(board, slots)
    entity, time = column_slot(frame, slots, "entity"), column_slot(frame, slots, "time", frame.times())
    number, new = column_slot(frame, slots, "number", frame.numbers()), text_slot(slots, "new")
    target = at(frame, new)
    ordered = f"{frame.var}.sort_values({lit(time)})"
    by_entity = f"{ordered}.groupby({lit(entity)})[{lit(number)}]"
    spread = abs((number.quantile("0.75") or 1.0) - (number.quantile("0.25") or 0.0)) / 10
    made = made_number(
        board, new, Meaning.MEASURE, unit=number.means.unit, missing=frame.rows // 4, typical=spread, of=(number,)
    )
    return Task(
        words={
            "frame": code(frame.var),
            "entity": code(entity.name),
            "time": code(time.name),
            "number": code(number.name),
            "new": code(new),
        },
        body=f"{target} = {by_entity}.diff()",
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: (new,)} if frame.is_big else {},
        atol=rounding(spread) / 10,
        uses=((frame.var, (entity.name, time.name, number.name)),),
        checks=(f"{target}.nunique() >= 5",),
        mistakes=(
            Mistake(f"{target} = {ordered}[{lit(number)}].diff()", "does not keep to one entity"),
            Mistake(f"{target} = {by_entity}.pct_change()", "relative changes"),
            Mistake(f"{target} = {by_entity}.diff().fillna(0)", "0 where nothing stands before"),
        ),
        others=(f"{target} = {at(frame, number)} - {by_entity}.shift(1)",),
        board=board.with_column(frame, made),
    )


MIN_SPREAD: Final = 8  # things whose quartiles say something


def propose_spread(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """An entity, a time and a number that is compared between entities at each time."""
    for frame, entity, time in panels(board):
        for number in sorted(frame.numbers(), key=lambda c: c.name != board.focus.measure)[:3]:
            if number.made_by == 1 and 4 <= time.about.distinct <= 60 and entity.about.distinct >= MIN_SPREAD:
                yield {
                    "frame": frame.var,
                    "entity": entity.name,
                    "time": time.name,
                    "number": number.name,
                    "var": board.free(f"spread_by_{slug(time.name) or 'time'}"),
                }


@family(
    theme="time",
    knowledge_points=("quantiles by group", "convergence"),
    idea="Whether the {entity} values draw together in {number}, as {var}",
    wordings=(
        "Do the {entity} values draw together or apart? Build {var}: for each {time} of {frame} the {low} and "
        "the {high} quartile of {number} over all {entity} values and their difference `iqr`, in order of "
        "{time}, with the columns {time}, `q1`, `q3` and `iqr`. {linear}",
        "How widely does {number} differ from one {entity} to another at each {time}? Store {var} with {time}, `q1`, "
        "`q3` and `iqr` (`q3` minus `q1`). {linear}",
    ),
    propose=propose_spread,
    about=("number",),
)
def spread_over_time(board: Board, slots: Slots) -> Task:
    """Store quartiles and their distance for each time."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    entity, time = column_slot(frame, slots, "entity"), column_slot(frame, slots, "time", frame.times())
    number = column_slot(frame, slots, "number", frame.numbers())
    by_time = f"{frame.var}.groupby({lit(time)})[{lit(number)}]"

    def table(low: str, high: str) -> str:
        return (
            f'{var} = pd.DataFrame({{"q1": {low}, "q3": {high}}}).reset_index()\n'
            f'{var}["iqr"] = {var}["q3"] - {var}["q1"]'
        )

    right = table(f"{by_time}.quantile(0.25)", f"{by_time}.quantile(0.75)")
    return Task(
        words={
            "frame": code(frame.var),
            "entity": code(entity.name),
            "time": code(time.name),
            "number": code(number.name),
            "var": code(var),
            "low": FIRST,
            "high": THIRD,
            "linear": LINEAR_QUARTILES(),
        },
        body=right,
        stores=(var,),
        stored_form=Form.TABLE,
        atol=rounding(number.about.mean),
        uses=((frame.var, (time.name, number.name)),),
        checks=(f'{var}["iqr"].nunique() >= 3', f"{by_time}.count().min() >= 4"),
        mistakes=(
            Mistake(table(f"{by_time}.min()", f"{by_time}.max()"), "the whole range"),
            Mistake(table(f"{by_time}.mean() - {by_time}.std()", f"{by_time}.mean() + {by_time}.std()"), "deviations"),
            Mistake(table(f"{by_time}.quantile(0.1)", f"{by_time}.quantile(0.9)"), "deciles"),
        ),
        others=(
            f"{var} = {frame.var}.groupby({lit(time)}).agg(\n"
            f"    q1=({lit(number)}, lambda v: np.nanpercentile(v, 25)), q3=({lit(number)}, lambda v: "
            f"np.nanpercentile(v, 75))\n"
            ").reset_index()\n"
            f'{var}["iqr"] = {var}.eval("q3 - q1")',
        ),
        conventions=1,
        board=board.with_result(
            var, "spread over time", time=time.name, entity=entity.name, number=number.name, typical=number.about.mean
        ),
    )


def propose_convergence(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of spreads over time."""
    for table in board.results_of("spread over time"):
        yield {"table": table.var}


@family(
    theme="time",
    knowledge_points=("relative change", "extremes of a series"),
    idea="Where the spread in {table} was widest, and how it ended",
    wordings=(
        "At which {time} is `iqr` in {table} widest, and by how many percent does the last `iqr` differ from the "
        "first one?",
        "From {table}: return the {time} with the largest `iqr`, and the change of `iqr` from the first to the "
        "last {time}, in percent.",
    ),
    propose=propose_convergence,
    about=("table",),
)
def widest_spread(board: Board, slots: Slots) -> Task:
    """Return when the spread was widest and how it changed."""
    table = board.result(text_slot(slots, "table"), "spread over time")
    time, var = table.facts["time"], table.var
    ordered = f"_line = {var}.sort_values({literal(time)})"
    when = f'_line.loc[_line["iqr"].idxmax(), {literal(time)}]'
    first, last = '_line["iqr"].iloc[0]', '_line["iqr"].iloc[-1]'
    return Task(
        words={"table": code(var), "time": code(time)},
        body=ordered,
        result=f"({when}, ({last} / {first} - 1) * 100)",
        form=Form.VALUE,
        atol=0.06,
        uses=((var, ()),),
        checks=(
            f"{first} > 0",
            '(_line["iqr"] == _line["iqr"].max()).sum() == 1',
            f"abs({last} / {first} - 1) > 0.005",
        ),
        mistakes=(
            Mistake(f"{ordered}\n({when}, {last} - {first})", "a plain difference"),
            Mistake(f"{ordered}\n({when}, ({first} / {last} - 1) * 100)", "backwards"),
        ),
        others=(
            f'_by_time = {var}.set_index({literal(time)})["iqr"].sort_index()\n'
            "[_by_time.idxmax(), 100 * (_by_time.iloc[-1] - _by_time.iloc[0]) / _by_time.iloc[0]]",
        ),
        board=board,
    )
