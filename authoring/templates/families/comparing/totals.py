"""Families about the largest: rows with names, and who holds how much of the whole."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Slots
from authoring.templates.families.measures import worth_adding
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
from authoring.templates.names_in_words import code, literal, slug
from authoring.templates.phrasebook import EXTREMES


def is_shown(board: Board, number: str) -> bool:
    """Return whether a problem before asked for the rows at the ends of a column."""
    return any(told.facts == {"number": number} for told in board.results_of("rows shown"))


def propose_top(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number and the name of each row."""
    for frame in board.crosses():
        for label in frame.labels()[:1]:
            telling = [c for c in frame.levels() if c.about.distinct >= 0.3 * frame.rows]
            for number in sorted(telling, key=lambda c: (c.made_by == 1, c.name != board.focus.measure))[:2]:
                if is_shown(board, number.name):
                    continue
                kept = any(top.facts["number"] == number.name for top in board.results_of("top rows"))
                which = "min" if kept else rng.choice(("max", "min"))
                for count in rng.sample((3, 4, 5), 3):
                    yield {
                        "frame": frame.var,
                        "label": label.name,
                        "number": number.name,
                        "count": count,
                        "which": which,
                    }


@family(
    theme="distribution",
    knowledge_points=("top rows",),
    idea="The {count} {rows} with the {which} {number}",
    wordings=(
        "Which {count} {rows} of {frame} have the {which} {number}? Give {label} and {number}, the {which} first.",
        "List the {count} {rows} with the {which} {number} in {frame}: {label} and {number}, beginning with the "
        "{which}.",
    ),
    propose=propose_top,
    about=("number", "count"),
)
def extreme_rows(board: Board, slots: Slots) -> Task:
    """Return the rows with the largest or smallest values."""
    frame, count = frame_slot(board, slots), count_slot(slots, "count")
    label, number = column_slot(frame, slots, "label"), column_slot(frame, slots, "number", frame.numbers())
    which = text_slot(slots, "which", tuple(EXTREMES))
    pick, other = ("nlargest", "nsmallest") if which == "max" else ("nsmallest", "nlargest")
    show = literal([label.name, number.name])
    edge = f"{at(frame, number)}.{pick}({count + 1})"
    return Task(
        words={
            "frame": code(frame.var),
            "label": code(label.name),
            "number": code(number.name),
            "count": str(count),
            "which": EXTREMES[which],
            "rows": noun_of(frame),
        },
        result=f"{frame.var}.{pick}({count}, {lit(number)})[{show}].reset_index(drop=True)",
        form=Form.RANKING,
        atol=rounding(number.about.mean),
        uses=((frame.var, (label.name, number.name)),),
        checks=(f"{edge}.round(9).is_unique", f"{edge}.abs().max() > {20 * rounding(number.about.mean)}"),
        mistakes=(
            Mistake(f"{frame.var}.{other}({count}, {lit(number)})[{show}]", "the other end"),
            Mistake(f"{frame.var}.{pick}({count + 1}, {lit(number)})[{show}]", "one too many"),
        ),
        others=(
            f"{frame.var}.sort_values({lit(number)}, ascending={which == 'min'}).head({count})"
            f".set_index({lit(label)})[{lit(number)}]",
        ),
        board=board.with_fact("rows shown", number=number.name),
    )


def propose_totals(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """An amount that adds up, and what it is shared among."""
    for frame in board.mains():
        holders = [*frame.entities(), *frame.groups(least=5)]
        amounts = worth_adding(board, frame)
        for number in sorted(amounts, key=lambda c: c.name != board.focus.measure)[:3]:
            for holder in holders[:3]:
                if (
                    holder.made_by == 1
                    and holder.name != number.name
                    and (not frame.order or holder.name not in frame.order)
                ):
                    yield {"frame": frame.var, "holder": holder.name, "number": number.name} | {
                        "var": board.free(f"{slug(number.name) or 'total'}_by_{slug(holder.name) or 'name'}")
                    }


@family(
    theme="composition",
    knowledge_points=("totals by group", "shares of the whole"),
    idea="How {number} divides among the {holder} values, as {var}",
    wordings=(
        "Who accounts for {number}? Sum it by {holder} over {frame} and store {var} with the columns {holder}, "
        "`total` and `share` (the fraction of the whole), the largest first.",
        "Divide up {number}: for each {holder} its `total` and the `share` of the grand total, as a DataFrame "
        "{var} in falling order, with {holder} as the first column.",
    ),
    propose=propose_totals,
    about=("holder", "number"),
)
def totals_by_holder(board: Board, slots: Slots) -> Task:
    """Store totals and shares."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    holder = column_slot(frame, slots, "holder")
    number = column_slot(frame, slots, "number", frame.amounts())

    def table(how: str = "sum", whole: str = f'{var}["total"].sum()', ascending: str = "False") -> str:
        return (
            f'{var} = (\n    {frame.var}.groupby({lit(holder)}, as_index=False).agg(total=({lit(number)}, "{how}"))\n'
            f'    .sort_values("total", ascending={ascending}, ignore_index=True)\n)\n'
            f'{var}["share"] = {var}["total"] / {whole}'
        )

    return Task(
        words={"frame": code(frame.var), "holder": code(holder.name), "number": code(number.name), "var": code(var)},
        body=table(),
        stores=(var,),
        stored_form=Form.RANKING,
        atol=6e-4,
        uses=((frame.var, (holder.name, number.name)),),
        checks=(f'{var}["total"].is_unique', f"len({var}) >= 5", f'{var}["total"].min() >= 0'),
        mistakes=(
            Mistake(table(how="mean"), "means"),
            Mistake(table(whole=f'{var}["total"].max()'), "shares of the largest"),
            Mistake(table(how="count"), "counts rows"),
        ),
        others=(
            f"_sums = {frame.var}.groupby({lit(holder)})[{lit(number)}].sum().sort_values(ascending=False)\n"
            f'{var} = pd.DataFrame({{"total": _sums, "share": _sums / _sums.sum()}}).reset_index()',
        ),
        board=board.with_result(
            var, "totals", frame=frame.var, holder=holder.name, number=number.name, holders=holder.about.distinct
        ),
    )


def propose_half(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of totals."""
    for table in board.results_of("totals"):
        yield {"table": table.var, "part": rng.choice((50, 80))}


@family(
    theme="comparison",
    knowledge_points=("cumulative shares", "concentration"),
    idea="How many {holder} values make up {part} % in {table}",
    wordings=(
        "How concentrated is the whole? Counting from the largest in {table}, how many {holder} values does it take "
        "to reach at least {part} % of the whole, and which share do they hold together (as a fraction)?",
        "From {table}: the smallest number of {holder} values that together hold {part} % or more of the grand "
        "total, and the fraction that they do hold.",
    ),
    propose=propose_half,
    about=("table",),
)
def concentration(board: Board, slots: Slots) -> Task:
    """Return how many of the largest reach a share, and the share they reach."""
    table, part = board.result(text_slot(slots, "table"), "totals"), count_slot(slots, "part")
    share = part / 100
    line = f'_line = {table.var}["share"].sort_values(ascending=False).cumsum().to_numpy()'
    count = f"int((_line < {share}).sum()) + 1"
    return Task(
        words={"table": code(table.var), "holder": code(table.facts["holder"]), "part": str(part)},
        body=f"{line}\n_count = {count}",
        result="(_count, _line[_count - 1])",
        form=Form.VALUE,
        atol=6e-4,
        uses=((table.var, ()),),
        checks=(f"2 <= _count < len({table.var})", f"abs(_line - {share}).min() > 1e-6"),
        mistakes=(
            Mistake(
                f"{line}\n_count = int((_line < {share}).sum())\n(_count, _line[_count - 1])", "stops one too early"
            ),
            Mistake(
                f"{line.replace('ascending=False', 'ascending=True')}\n_count = {count}\n(_count, _line[_count - 1])",
                "counts from the smallest",
            ),
            Mistake(f"{line}\n_count = {count}\n(_count, _count / len(_line))", "the fraction of the names"),
        ),
        others=(
            "_sum, _n = 0.0, 0\n"
            f'for _one in {table.var}.sort_values("total", ascending=False)["share"]:\n'
            f"    if _sum >= {share}:\n        break\n"
            "    _sum, _n = _sum + _one, _n + 1\n"
            "[_n, _sum]",
        ),
        board=board,
    )
