"""Families about the rows at the top: which they are, and what they have more of than the others."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.templates.board import Board, Result, Slots
from authoring.templates.families.measures import by_nearness
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
from authoring.templates.names_in_words import code, slug
from authoring.templates.phrasebook import WITHOUT_NOT_COUNTED

TOP_SIZES: Final = (20, 30, 50, 100, 200, 500, 1000)  # of what is called the top
MIN_ROWS: Final = 100
KNOWN_BUT: Final = 0.02  # of rows whose values may be missing where what is chosen by them is held against all
MIN_SHARE: Final = 0.02  # of all rows: a group that the top can have too much or too little of


def propose_top_rows(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """The measure of the set, in a table with groups that the top may be made of."""
    for frame in board.crosses():
        if frame.is_series or frame.rows < MIN_ROWS:
            continue
        size = max(size for size in TOP_SIZES if size <= 0.2 * frame.rows)
        for number in by_nearness(board, frame.levels())[:1]:
            if number.about.distinct >= 0.3 * frame.rows and frame.groups(most=8):
                yield {"frame": frame.var, "number": number.name, "count": size, "var": board.free("top")}


@family(
    theme="drill-down",
    knowledge_points=("top rows", "slices kept for later"),
    idea="The {count} {rows} with the highest {number}, as {var}",
    wordings=(
        "Single out the top: {var} shall hold the {count} {rows} of {frame} with the highest {number}, with all "
        "columns. What is the lowest {number} among them?",
        "What {number} does it take to be among the top {count}? Store the {count} {rows} of {frame} with the "
        "highest {number} as a DataFrame {var}, all columns kept, and return the lowest {number} in it.",
    ),
    propose=propose_top_rows,
    prepares=True,
    about=("number",),
)
def top_rows(board: Board, slots: Slots) -> Task:
    """Store the rows with the largest values."""
    frame, var, count = frame_slot(board, slots), text_slot(slots, "var"), count_slot(slots, "count")
    number = column_slot(frame, slots, "number", frame.levels())
    value = at(frame, number)

    def answer(picked: str) -> str:
        return f"{var} = {picked}\n{var}[{lit(number)}].min()"

    return Task(
        words={
            "frame": code(frame.var),
            "number": code(number.name),
            "count": str(count),
            "var": code(var),
            "rows": noun_of(frame),
        },
        body=f"{var} = {frame.var}.nlargest({count}, {lit(number)})",
        result=f"{var}[{lit(number)}].min()",
        form=Form.VALUE,
        stores=(var,),
        stored_form=Form.TABLE,
        atol=rounding(number.about.mean) / 10,
        uses=((frame.var, (number.name,)),),
        checks=(f"({value} >= {value}.nlargest({count}).min()).sum() == {count}",),  # no tie at the edge
        mistakes=(
            Mistake(answer(f"{frame.var}.nsmallest({count}, {lit(number)})"), "the other end"),
            Mistake(answer(f"{frame.var}.head({count})"), "the first rows"),
            Mistake(answer(f"{frame.var}.nlargest({count + 1}, {lit(number)})"), "one too many"),
        ),
        others=(
            f"{var} = {frame.var}[{value}.rank(ascending=False) <= {count}]\n{var}[{lit(number)}].min()",
            f"{var} = {frame.var}.sort_values({lit(number)}, ascending=False).head({count})\n"
            f"{var}[{lit(number)}].iloc[-1]",
        ),
        board=board.with_result(var, "top rows", frame=frame.var, number=number.name, count=count),
    )


def _divided_by(top: Result) -> list[str]:
    """Return the columns that rows at the top, or outliers, must have a value in."""
    return [top.facts["number"], *([top.facts["group"]] if top.facts.get("group") else [])]


def propose_makeup(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Rows at the top or far from their group, and groups that they may have more or less of."""
    for top in board.results_of("top rows", "outliers"):
        frame = board.frame(top.facts["frame"])
        number = frame.column(top.facts["number"])
        if any(frame.column(name).missing > KNOWN_BUT * frame.rows for name in _divided_by(top)):
            continue  # what cannot be at the top would count as rare there
        for group in by_nearness(board, frame.groups(most=8)):
            is_common = (group.smallest or frame.rows) >= MIN_SHARE * frame.rows
            if is_common and group.name != top.facts.get("group") and not frame.are_twins(group, number):
                base = f"{top.var}_by_{slug(group.name) or 'group'}"
                yield {"top": top.var, "group": group.name, "var": board.free(base)}


@family(
    theme="drill-down",
    knowledge_points=("shares of a selection", "comparison with the whole"),
    idea="What {top} has more of than {frame}, by {group}",
    wordings=(
        "What is over-represented in {top}, by {group}? Store as {var} one row per {group} of {frame} with the columns "
        "{group}, `share` (its fraction of all {rows} in {frame}), {part} (its fraction of the {rows} in {top}, 0 if "
        "it has none there) and `lift`, which is {part} divided by `share`.",
        "Does the make-up of {top} differ from that of all {rows}? For each {group} of {frame} I want its fraction of "
        "{frame} (`share`), its fraction of {top} ({part}; 0 where it does not occur) and the quotient of the "
        "two, {part} over `share`, as `lift`: a DataFrame {var} with {group} as the first column.",
    ),
    propose=propose_makeup,
    about=("top", "group"),
    limit=2,
)
def makeup_of_top(board: Board, slots: Slots) -> Task:
    """Store how the make-up of the top differs from that of all rows."""
    name, var = text_slot(slots, "top"), text_slot(slots, "var")
    kinds = {one.var: one.kind for one in board.results_of("top rows", "outliers")}
    top = board.result(name, kinds.get(name, "top rows"))
    part = f"{top.var}_share"
    frame = board.frame(top.facts["frame"])
    group = column_slot(frame, slots, "group", frame.groups())

    def shares(source: str, normalize: str = "True") -> str:
        return f"{source}[{lit(group)}].value_counts(normalize={normalize})"

    def table(share_of_top: str, lift: str = '{var}["{part}"] / {var}["share"]') -> str:
        told = f'{{"share": {shares(frame.var)}, "{part}": {share_of_top}}}'
        return (
            f"{var} = pd.DataFrame({told}).fillna(0).rename_axis({lit(group)}).reset_index()\n"
            f'{var}["lift"] = {lift.format(var=var, part=part)}'
        )

    of_all = f"{shares(top.var, 'False')} / {shares(frame.var, 'False')}"
    return Task(
        words={
            "top": code(top.var),
            "frame": code(frame.var),
            "group": code(group.name),
            "var": code(var),
            "part": code(part),
            "rows": noun_of(frame),
        },
        body=table(shares(top.var)),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=6e-4,
        notes=(WITHOUT_NOT_COUNTED(columns=code(group.name)) if group.missing else None,),
        uses=((top.var, ()), (frame.var, (group.name,))),
        checks=(
            f'{var}["lift"].max() >= 1.25',
            f"len({top.var}) >= 10",
            f"len({var}) >= 2",
            f"{frame.var}[{lit(group)}].value_counts().min() >= 5",
        ),
        mistakes=(
            Mistake(table(of_all), "how much of each group is at the top"),
            Mistake(table(shares(top.var), '{var}["share"] / {var}["{part}"]'), "upside down"),
            Mistake(table(shares(top.var), '{var}["{part}"] - {var}["share"]'), "a difference"),
        ),
        others=(
            f"{var} = {frame.var}.groupby({lit(group)}).size().rename('share').reset_index()\n"
            f'{var}["share"] = {var}["share"] / {var}["share"].sum()\n'
            f"_counts = {top.var}.groupby({lit(group)}).size()\n"
            f'{var}["{part}"] = [_counts.get(one, 0) / _counts.sum() for one in {var}[{lit(group)}]]\n'
            f'{var} = {var}.assign(lift=lambda t: t["{part}"].div(t["share"]))',
        ),
        board=board.with_result(var, "makeup", frame=frame.var, group=group.name),
    )
