"""Families about things that are observed again and again: countries by year, shops by month."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds.semantics import Meaning
from authoring.templates.board import Board, Result, Slots
from authoring.templates.families.changing.panels import panels
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    column_slot,
    count_slot,
    family,
    frame_slot,
    lit,
    rounding,
    text_slot,
)
from authoring.templates.names_in_words import code, literal
from authoring.templates.phrasebook import CHANGES, EQUAL_SHARE_BEST, EXTREMES


def propose_growth(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """An entity, a time and a number."""
    for frame, entity, time in panels(board):
        for number in sorted(frame.numbers(), key=lambda c: c.name != board.focus.measure)[:2]:
            is_ratio = isinstance(number.about.min, int | float) and number.about.min > 0
            how = "percent" if is_ratio and number.means.meaning is not Meaning.RATE else "difference"
            yield {
                "frame": frame.var,
                "entity": entity.name,
                "time": time.name,
                "number": number.name,
                "how": how,
                "var": board.free("growth"),
            }


@family(
    theme="time",
    knowledge_points=("first and last value per group", "change over time"),
    idea="How much {number} changed for each {entity}, as {var}",
    wordings=(
        "How far has each {entity} come? Compare {number} in its earliest and its latest row of {frame} by "
        "{time}: a DataFrame {var} with the columns {entity}, `first`, `last` and `change`, the change from "
        "first to last {how}.",
        "Build {var}, one row per {entity} of {frame}: `first` and `last`, its {number} at the earliest and the "
        "latest {time} it has a row for, and `change` between the two, {how}.",
    ),
    propose=propose_growth,
    about=("entity", "number"),
)
def change_over_time(board: Board, slots: Slots) -> Task:
    """Store first and last value and the change of each entity."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    entity, time = column_slot(frame, slots, "entity"), column_slot(frame, slots, "time", frame.times())
    number, how = column_slot(frame, slots, "number", frame.numbers()), text_slot(slots, "how", tuple(CHANGES))
    first, last = f'{var}["first"]', f'{var}["last"]'
    percent, plain = f"({last} / {first} - 1) * 100", f"{last} - {first}"
    right, wrong = (percent, plain) if how == "percent" else (plain, percent)

    def table(change: str, opening: str = "first", closing: str = "last") -> str:
        return (
            f"{var} = (\n    {frame.var}.dropna(subset=[{lit(number)}]).sort_values({lit(time)})\n"
            f"    .groupby({lit(entity)}, as_index=False)\n"
            f'    .agg(first=({lit(number)}, "{opening}"), last=({lit(number)}, "{closing}"))\n)\n'
            f'{var}["change"] = {change}'
        )

    unit = 100.0 if how == "percent" else number.about.mean
    return Task(
        words={
            "frame": code(frame.var),
            "entity": code(entity.name),
            "time": code(time.name),
            "number": code(number.name),
            "how": CHANGES[how],
            "var": code(var),
        },
        body=table(right),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=min(rounding(unit), rounding(number.about.mean)),
        uses=((frame.var, (entity.name, time.name, number.name)),),
        checks=(f"len({var}) >= 4", f'np.isfinite({var}["change"]).all()', f'{var}["change"].nunique() > 3'),
        mistakes=(
            Mistake(table(wrong), "in the other unit"),
            Mistake(table(right, "min", "max"), "smallest and largest instead of earliest and latest"),
            Mistake(table(f"({first} / {last} - 1) * 100" if how == "percent" else f"{first} - {last}"), "backwards"),
        ),
        others=(
            f"_rows = []\nfor _name, _part in "
            f"{frame.var}[{frame.var}[{lit(number)}].notna()].groupby({lit(entity)}):\n    _a = "
            f"_part.loc[_part[{lit(time)}].idxmin(), {lit(number)}]\n    _b = "
            f"_part.loc[_part[{lit(time)}].idxmax(), {lit(number)}]\n    _rows.append((_name, _a, _b, "
            f"{'100 * (_b - _a) / _a' if how == 'percent' else '_b - _a'}))\n"
            f'{var} = pd.DataFrame(_rows, columns=[{lit(entity)}, "first", "last", "change"])',
        ),
        board=board.with_result(
            var,
            "growth",
            frame=frame.var,
            entity=entity.name,
            number=number.name,
            how=how,
            entities=entity.about.distinct,
            unit=unit,
        ),
    )


def _growth(board: Board, slots: Slots) -> Result:
    return board.result(text_slot(slots, "table"), "growth")


def propose_movers(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of changes of many entities."""
    for table in board.results_of("growth"):
        if table.facts["entities"] >= 8:
            yield {"table": table.var, "count": rng.choice((3, 5)), "which": rng.choice(("max", "min"))}


@family(
    theme="time",
    knowledge_points=("top rows", "sorting"),
    idea="The {count} {entity} values with the {which} change in {table}",
    wordings=(
        "Which {count} {entity} values have the {which} `change` in {table}? Return them with their `change`, the "
        "{which} first.",
        "In which {count} {entity} values is `change` of {table} {which}? List them in order, with it.",
    ),
    propose=propose_movers,
    about=("table", "which"),
)
def biggest_movers(board: Board, slots: Slots) -> Task:
    """Return the entities with the largest or smallest changes."""
    table, count = _growth(board, slots), count_slot(slots, "count")
    which = text_slot(slots, "which", tuple(EXTREMES))
    entity, var = table.facts["entity"], table.var
    show = literal([entity, "change"])
    pick, other = ("nlargest", "nsmallest") if which == "max" else ("nsmallest", "nlargest")
    edge = f'{var}["change"].{pick}({count + 1})'
    return Task(
        words={"table": code(var), "entity": code(entity), "count": str(count), "which": EXTREMES[which]},
        result=f'{var}.{pick}({count}, "change")[{show}].reset_index(drop=True)',
        form=Form.RANKING,
        atol=rounding(table.facts["unit"]),
        uses=((var, ()),),
        checks=(f"{edge}.round(6).is_unique",),
        mistakes=(
            Mistake(f'{var}.{other}({count}, "change")[{show}]', "the other end"),
            Mistake(f'{var}.{pick}({count}, "last")[{show}]', "by the last value"),
        ),
        others=(
            f'{var}.sort_values("change", ascending={which == "min"}).head({count})'
            f'.set_index({literal(entity)})["change"]',
        ),
        board=board,
    )


def propose_climber(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of changes of many entities."""
    for table in board.results_of("growth"):
        if table.facts["entities"] >= 8:
            yield {"table": table.var}


@family(
    theme="time",
    knowledge_points=("ranks", "comparison of two orders"),
    idea="Who climbed most places between first and last in {table}",
    wordings=(
        "Who moved past the others? Rank all rows of {table} by `first` and by `last`, "
        "largest value first. Which {entity} climbed most places, and from which place to which? {ties}",
        "Rank {table} once by `first` and once by `last`, 1 for the largest. Return the {entity} that gained "
        "most places, its rank by `first` and its rank by `last`. {ties}",
    ),
    propose=propose_climber,
    about=("table",),
)
def biggest_climber(board: Board, slots: Slots) -> Task:
    """Return the entity that gained most ranks."""
    table = _growth(board, slots)
    entity, var = table.facts["entity"], table.var

    def steps(ascending: str = "ascending=False") -> str:
        return (
            f'_old = {var}["first"].rank({ascending}, method="min")\n'
            f'_new = {var}["last"].rank({ascending}, method="min")\n'
            "_gain = _old - _new\n"
        )

    def answer(at_row: str) -> str:
        return f"({var}.loc[{at_row}, {literal(entity)}], int(_old[{at_row}]), int(_new[{at_row}]))"

    return Task(
        words={"table": code(var), "entity": code(entity), "ties": EQUAL_SHARE_BEST()},
        body=steps().strip(),
        result=answer("_gain.idxmax()"),
        form=Form.VALUE,
        uses=((var, ()),),
        checks=("(_gain == _gain.max()).sum() == 1", "_gain.max() >= 1"),
        mistakes=(
            Mistake(steps() + answer("_gain.idxmin()"), "lost most places"),
            Mistake(steps("ascending=True") + answer("_gain.idxmin()"), "ranks from the smallest"),
        ),
        others=(
            f'_a = [1 + int(({var}["first"] > v).sum()) for v in {var}["first"]]\n'
            f'_b = [1 + int(({var}["last"] > v).sum()) for v in {var}["last"]]\n'
            "_i = int(np.argmax(np.array(_a) - np.array(_b)))\n"
            f"[{var}[{literal(entity)}].iloc[_i], _a[_i], _b[_i]]",
        ),
        conventions=1,
        board=board,
    )


def propose_growth_by_group(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of changes, and a group that each entity belongs to."""
    for table in board.results_of("growth"):
        frame = board.frame(table.facts["frame"])
        for group in frame.groups():
            if group.name != table.facts["entity"] and (table.facts["entity"], group.name) in frame.decided:
                yield {"table": table.var, "group": group.name, "var": board.free("growth_by_group")}


@family(
    theme="time",
    knowledge_points=("lookup of an attribute", "group and aggregate"),
    idea="The median change in {table} by {group}",
    wordings=(
        "Do the changes in {table} go with {group}? Look up the {group} of each {entity} in {frame} (it is "
        "always the same one) and store as {var} the columns {group}, `n` (how many {entity} values) and "
        "`median`, the median `change`, the highest first.",
        "Summarise {table} by {group}, which {frame} has for each {entity}: {var} with {group}, the number `n` "
        "of {entity} values and the `median` of `change`, in falling order of `median`.",
    ),
    propose=propose_growth_by_group,
    about=("table", "group"),
)
def growth_by_group(board: Board, slots: Slots) -> Task:
    """Summarise changes by an attribute of the entities."""
    table, var = _growth(board, slots), text_slot(slots, "var")
    frame = board.frame(table.facts["frame"])
    group = column_slot(frame, slots, "group", frame.groups())
    entity = table.facts["entity"]
    known = f"{frame.var}[[{literal(entity)}, {lit(group)}]].drop_duplicates()"

    def steps(lookup: str = known, how: str = "median") -> str:
        return (
            f"_with_group = {table.var}.merge({lookup}, on={literal(entity)})\n"
            f"{var} = (\n    _with_group.groupby({lit(group)}, as_index=False)\n"
            f'    .agg(n=({literal(entity)}, "size"), median=("change", "{how}"))\n'
            f'    .sort_values("median", ascending=False, ignore_index=True)\n)'
        )

    return Task(
        words={
            "table": code(table.var),
            "frame": code(frame.var),
            "entity": code(entity),
            "group": code(group.name),
            "var": code(var),
        },
        body=steps(),
        stores=(var,),
        stored_form=Form.RANKING,
        atol=rounding(table.facts["unit"]),
        uses=((table.var, ()), (frame.var, (entity, group.name))),
        checks=(f"not {known}[{literal(entity)}].duplicated().any()", f'{var}["median"].round(6).is_unique'),
        mistakes=(
            Mistake(steps(how="mean"), "means"),
            Mistake(
                steps(lookup=f"{frame.var}[[{literal(entity)}, {lit(group)}]]"), "an entity counts once for each row"
            ),
        ),
        others=(
            f"_of = dict(zip({frame.var}[{literal(entity)}], {frame.var}[{lit(group)}]))\n"
            f'_parts = {table.var}.groupby({table.var}[{literal(entity)}].map(_of).rename({lit(group)}))["change"]\n'
            f'{var} = pd.DataFrame({{"n": _parts.size(), "median": _parts.median()}})'
            '.sort_values("median", ascending=False).reset_index()',
        ),
        board=board.with_result(var, "growth groups", frame=frame.var, group=group.name),
    )
