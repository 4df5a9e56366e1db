"""Families that look behind a comparison: inside a group, within other groups, with the mix taken out."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.templates.board import Board, Column, Frame, Result, Slots
from authoring.templates.families.comparing.comparison import table_slot
from authoring.templates.families.measures import is_interval
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    family,
    lit,
    noun_of,
    rounding,
    text_slot,
)
from authoring.templates.names_in_words import code, literal, names
from authoring.templates.phrasebook import ALL_KNOWN, HIGHEST, KNOWN_ROWS, NUMBER_OF_ROWS, STATISTICS


def propose_inside(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of groups, and another group to look inside the leading one."""
    for table in board.results_of("group table"):
        frame = board.frame(table.facts["frame"])
        group = frame.column(table.facts["group"])
        seconds = [c for c in _others(board, frame, table) if frame.has_cells(group, c, ENOUGH_IN_CELL)]
        for second in seconds[:2]:
            which = rng.choice(("max", "max", "min"))
            yield {
                "table": table.var,
                "second": second.name,
                "which": which,
                "var": board.free(f"inside_{'top' if which == 'max' else 'last'}"),
            }


def _others(board: Board, frame: Frame, table: Result) -> list[Column]:
    """Return the groups of a frame that the table is not about, that of the set first."""
    group, number = frame.column(table.facts["group"]), frame.column(table.facts["number"])
    found = [
        c
        for c in frame.groups(most=8)
        if not (frame.are_twins(c, group) or frame.are_twins(c, number) or frame.are_nested(c, group))
    ]
    return sorted(found, key=lambda c: (c.name != board.focus.second, -frame.tells(c, number)))


def _crossed(board: Board, frame: Frame, table: Result, *, least: int = 2, most: int = 8) -> list[Column]:
    """Return the groups that cross those of the table in cells of enough rows."""
    group = frame.column(table.facts["group"])
    fit = [c for c in _others(board, frame, table) if least <= c.about.distinct <= most]
    return [c for c in fit if frame.has_cells(group, c, ENOUGH_IN_CELL)]


ENOUGH_IN_CELL: Final = 5  # rows whose mean is worth comparing


@family(
    theme="drill-down",
    knowledge_points=("filtering by an earlier result", "group and aggregate"),
    idea="Inside the {group} with the {which} {lead}: {number} by {second}",
    wordings=(
        "Stay with the {group} that has the {which} {lead} in {table}. Within it, how does {number} differ by "
        "{second}? Store as {var} the columns {second}, `n` ({counted}) and `mean` of {number}.",
        "Look into the {group} with the {which} {lead} of {table}: for each {second} found there, `n` ({counted}) and "
        "the mean of {number} (`mean`), as a DataFrame {var} with the columns {second}, `n` and `mean`.",
    ),
    propose=propose_inside,
    about=("table", "second"),
)
def inside_leader(board: Board, slots: Slots) -> Task:
    """Break the leading group down by another one."""
    table = table_slot(board, slots)
    frame = board.frame(table.facts["frame"])
    group, number, lead = table.facts["group"], table.facts["number"], table.facts["lead"]
    second = column_slot(frame, slots, "second", frame.groups(most=8))
    which, var = text_slot(slots, "which", tuple(HIGHEST)), text_slot(slots, "var")
    source = frame.var
    size = "count" if frame.column(number).missing else "size"

    def steps(chosen: str, rows: str = size) -> str:
        return (
            f"{chosen}\n"
            f"_inside = {source}[{at(frame, group)} == _chosen]\n"
            f"{var} = (\n    _inside.groupby({lit(second)}, as_index=False)\n"
            f'    .agg(n=({literal(number)}, "{rows}"), mean=({literal(number)}, "mean"))\n)'
        )

    best = f'_chosen = {table.var}.loc[{table.var}["{lead}"].idx{which}(), {literal(group)}]'
    worst = (
        f'_chosen = {table.var}.loc[{table.var}["{lead}"].idx{"min" if which == "max" else "max"}(), {literal(group)}]'
    )
    everything = (
        f"{var} = {source}.groupby({lit(second)}, as_index=False)"
        f'.agg(n=({literal(number)}, "{size}"), mean=({literal(number)}, "mean"))'
    )
    order = f'sort_values("{lead}", ascending={which == "min"})'
    return Task(
        words={
            "table": code(table.var),
            "group": code(group),
            "which": HIGHEST[which],
            "lead": STATISTICS[lead],
            "number": code(number),
            "second": code(second.name),
            "var": code(var),
            "counted": KNOWN_ROWS(rows=noun_of(frame), number=code(number))
            if frame.column(number).missing
            else NUMBER_OF_ROWS(rows=noun_of(frame)),
        },
        body=steps(best),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=rounding(table.facts["typical"]),
        uses=((table.var, ()), (source, (group, number, second.name))),
        checks=(f"len({var}) >= 2", f'{var}["mean"].notna().all()', f'{var}["n"].min() >= {ENOUGH_IN_CELL}'),
        mistakes=(
            Mistake(steps(worst), "the other end of the table"),
            Mistake(everything, "all rows"),
            Mistake(steps(best).replace('"mean")', '"sum")'), "sums", may_agree=True),
        ),
        others=(
            f"_name = {table.var}.{order}[{literal(group)}].iloc[0]\n"
            f'_part = {source}.query("`{group}` == @_name").groupby({lit(second)})[{literal(number)}]\n'
            f'{var} = pd.DataFrame({{"n": _part.{size}(), "mean": _part.mean()}}).reset_index()',
        )
        if group.isascii() and "'" not in group
        else (),
        board=board.with_result(
            var,
            "inside",
            frame=source,
            group=second.name,
            groups=second.about.distinct,
            number=number,
            typical=table.facts["typical"],
            low=frame.column(number).about.min,
        ),
    )


def propose_consistency(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of groups, and another group in each of which the lead may change."""
    for table in board.results_of("group table"):
        frame = board.frame(table.facts["frame"])
        for second in _crossed(board, frame, table, least=3)[:2]:
            yield {"table": table.var, "second": second.name, "var": board.free("leaders")}


@family(
    theme="drill-down",
    knowledge_points=("row of the maximum per group", "comparison with an earlier result"),
    idea="Whether the lead in {table} holds within each {second}",
    wordings=(
        "Does the lead in {table} hold everywhere? For each {second}, find the {group} with the highest mean "
        "{number} and whether it is also the one with the highest mean in {table}. Store it as {var} with the "
        "columns {second}, {group}, `mean` and `same` (True or False).",
        "Check {table} against {second}: a DataFrame {var} with one row per {second}, holding the {group} whose "
        "mean {number} is highest there, that `mean`, and in `same` whether that {group} also has the highest "
        "mean in {table}.",
    ),
    propose=propose_consistency,
    about=("table", "second"),
)
def lead_within(board: Board, slots: Slots) -> Task:
    """Find the leading group within each value of another group."""
    table = table_slot(board, slots)
    frame = board.frame(table.facts["frame"])
    group, number = table.facts["group"], table.facts["number"]
    second, var = column_slot(frame, slots, "second", frame.groups(most=8)), text_slot(slots, "var")

    def steps(measure: str = "mean", extreme: str = "max", same: str = "idxmax") -> str:
        return (
            f"_cells = {frame.var}.groupby([{lit(second)}, {literal(group)}], as_index=False)"
            f'.agg(mean=({literal(number)}, "{measure}")).dropna()\n'
            f'{var} = _cells.loc[_cells.groupby({lit(second)})["mean"].idx{extreme}()].reset_index(drop=True)\n'
            f'_leader = {table.var}.loc[{table.var}["mean"].{same}(), {literal(group)}]\n'
            f'{var}["same"] = {var}[{literal(group)}] == _leader'
        )

    cells = f"{frame.var}.groupby([{lit(second)}, {literal(group)}])[{literal(number)}]"
    best = f'_cells.groupby({lit(second)})["mean"].transform("max")'
    return Task(
        words={
            "table": code(table.var),
            "group": code(group),
            "number": code(number),
            "second": code(second.name),
            "var": code(var),
        },
        body=steps(),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=rounding(table.facts["typical"]),
        uses=((table.var, ()), (frame.var, (group, number, second.name))),
        checks=(
            f"len({var}) >= 3",
            f'(abs(_cells["mean"] - {best}) <= 1e-9 * abs({best})).sum() == len({var})',
            f"{cells}.count().min() >= 5",
            f"_cells.groupby({lit(second)}).size().min() >= 2",
        ),
        mistakes=(
            Mistake(steps(measure="median"), "medians"),
            Mistake(steps(extreme="min"), "lowest means"),
            Mistake(steps(same="idxmin"), "compares with the last one of the table"),
        ),
        others=(
            f"_wide = {frame.var}.pivot_table(\n"
            f"    index={lit(second)}, columns={literal(group)}, values={literal(number)}\n)\n"
            f'{var} = pd.DataFrame({{{literal(group)}: _wide.idxmax(axis=1), "mean": _wide.max(axis=1)}})\n'
            f"{var} = {var}.reset_index()\n"
            f'_first = {table.var}.sort_values("mean", ascending=False)[{literal(group)}].iloc[0]\n'
            f'{var}["same"] = [name == _first for name in {var}[{literal(group)}]]',
        ),
        board=board.with_result(var, "leaders", frame=frame.var, group=second.name, leader=group),
    )


def propose_adjusted(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of groups, and another group that is spread unevenly over them."""
    for table in board.results_of("group table"):
        frame = board.frame(table.facts["frame"])
        seconds = _crossed(board, frame, table, most=5) if table.facts["is_whole"] else []
        for second in seconds[:2]:
            yield {"table": table.var, "second": second.name, "var": board.free("standardised")}


@family(
    theme="drill-down",
    knowledge_points=("direct standardisation", "weighted means", "comparison with an earlier result"),
    idea="{table}, adjusted for the mix of {second}",
    wordings=(
        "Part of the difference in {table} may come from a different mix of {second}. What would the mean "
        "{number} of each {group} be if every one had the same shares of {second} as {frame} as a whole? Store "
        "as {var} the columns {group}, `adjusted` and `change`, which is `adjusted` minus the `mean` of {table}. "
        "{known}",
        "Standardise {table} by {second}: weight the mean {number} of each {second} within one {group} by the share "
        "that this {second} has among all {rows} of {frame}. The DataFrame {var} has the columns {group}, "
        "`adjusted` and `change` (`adjusted` minus `mean` of {table}). {known}",
    ),
    propose=propose_adjusted,
    about=("table", "second"),
)
def mix_adjusted(board: Board, slots: Slots) -> Task:
    """Standardise the means of groups directly by another group."""
    table = table_slot(board, slots)
    frame = board.frame(table.facts["frame"])
    group, number = table.facts["group"], table.facts["number"]
    second, var = column_slot(frame, slots, "second", frame.groups(most=8)), text_slot(slots, "var")
    known = f"_known = {frame.var}.dropna(subset=[{literal(group)}, {lit(second)}, {literal(number)}])\n"
    cells = (
        f"_cells = _known.pivot_table(index={literal(group)}, columns={lit(second)}, values={literal(number)}, "
        'aggfunc="mean")\n'
    )
    merged = (
        f'{var} = _adjusted.rename("adjusted").reset_index()\n'
        f'_plain = {table.var}.set_index({literal(group)})["mean"]\n'
    )
    change = f'{var}["change"] = {var}["adjusted"] - {var}[{literal(group)}].map(_plain)'
    backwards = f'{var}["change"] = {var}[{literal(group)}].map(_plain) - {var}["adjusted"]'
    weights = f"_shares = _known[{lit(second)}].value_counts(normalize=True)\n"
    weighed = "_adjusted = (_cells * _shares).sum(axis=1)\n"
    plain = "_adjusted = _cells.mean(axis=1)\n"
    return Task(
        words={
            "table": code(table.var),
            "frame": code(frame.var),
            "group": code(group),
            "number": code(number),
            "second": code(second.name),
            "var": code(var),
            "rows": noun_of(frame),
            "known": ALL_KNOWN(columns=names([group, second.name, number]))
            if _lacks(frame, group, second.name, number)
            else "",
        },
        body=known + cells + weights + weighed + merged + change,
        stores=(var,),
        stored_form=Form.TABLE,
        atol=rounding(table.facts["typical"]) / 10,
        uses=((table.var, ()), (frame.var, (group, number, second.name))),
        checks=(
            "_cells.notna().all().all()",
            f"_known.groupby([{literal(group)}, {lit(second)}]).size().min() >= 5",
            f'{var}["change"].abs().max() >= 0.05 * np.ptp({table.var}["mean"])',
        ),
        mistakes=(
            Mistake(known + cells + plain + merged + change, "every kind counts alike"),
            Mistake(known + cells + weights + weighed + merged + backwards, "the change the other way round"),
            Mistake(
                f'{var} = {table.var}[[{literal(group)}, "mean"]].rename(columns={{"mean": "adjusted"}})\n'
                f'{var}["change"] = 0.0',
                "adjusts nothing",
            ),
        ),
        others=(
            known
            + weights
            + f"_long = _known.groupby([{literal(group)}, {lit(second)}])[{literal(number)}].mean()\n"
            + '_long = _long.rename("m").reset_index()\n'
            f'_long["part"] = _long["m"] * _long[{lit(second)}].map(_shares).astype(float)\n'
            f"{var} = _long.groupby({literal(group)}, "
            f'as_index=False)["part"].sum().rename(columns={{"part": "adjusted"}})\n{var} = '
            f'{var}.merge({table.var}[[{literal(group)}, "mean"]], on={literal(group)})\n{var}["change"] = '
            f'{var}["adjusted"] - {var}.pop("mean")',
        ),
        conventions=1,
        board=board.with_result(var, "adjusted", frame=frame.var, group=group, number=number, table=table.var),
    )


def _lacks(frame: Frame, *names: str) -> bool:
    return any(frame.column(name).missing for name in names)


def propose_inside_gap(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of what is inside a group."""
    for inside in board.results_of("inside"):
        if inside.facts["groups"] >= 3:
            yield {"inside": inside.var}


@family(
    theme="drill-down",
    knowledge_points=("extremes of a table", "weighted mean"),
    idea="How far the {group} values of {inside} lie apart",
    wordings=(
        "In {inside}, which {group} has the highest `mean`, which the lowest, and how far are the two apart?",
        "Sum up {inside}: the {group} with the highest `mean`, the one with the lowest, and the distance between "
        "these two means.",
    ),
    propose=propose_inside_gap,
    about=("inside",),
)
def gap_inside(board: Board, slots: Slots) -> Task:
    """Return the extreme groups inside a group and the distance of their means."""
    inside = board.result(text_slot(slots, "inside"), "inside")
    var, group = inside.var, literal(inside.facts["group"])
    mean = f'{var}["mean"]'
    high, low = f"{var}.loc[{mean}.idxmax(), {group}]", f"{var}.loc[{mean}.idxmin(), {group}]"
    spread = f"{mean}.max() - {mean}.min()"
    return Task(
        words={"inside": code(var), "group": code(inside.facts["group"])},
        result=f"({high}, {low}, {spread})",
        form=Form.VALUE,
        atol=rounding(inside.facts["typical"]),
        uses=((var, ()),),
        checks=(f"{spread} > 0", f"{mean}.round(9).is_unique"),
        mistakes=(
            Mistake(f"({low}, {high}, {spread})", "the two change places"),
            Mistake(f"({high}, {low}, {mean}.max() / {mean}.min())", "a ratio"),
            Mistake(f"({high}, {low}, {mean}.max() - {mean}.mean())", "the distance from the middle"),
        ),
        others=(
            f'_line = {var}.sort_values("mean")\n'
            f"_low, _high = _line.iloc[0], _line.iloc[-1]\n"
            f'[_high[{group}], _low[{group}], _high["mean"] - _low["mean"]]',
        ),
        board=board,
    )


def propose_inside_lead(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of two groups inside a group, of a number that is never below 0."""
    for inside in board.results_of("inside"):
        low = inside.facts["low"]
        if is_interval(board.frame(inside.facts["frame"]).column(inside.facts["number"])):
            continue
        if inside.facts["groups"] == 2 and isinstance(low, int | float) and low >= 0:
            yield {"inside": inside.var}


@family(
    theme="drill-down",
    knowledge_points=("comparison of two groups", "relative difference"),
    idea="Which {group} of {inside} is ahead, and by how many percent",
    wordings=(
        "In {inside}, which {group} has the higher `mean`, and by how many percent does it exceed the other?",
        "By how many percent does the `mean` of the two {group} values in {inside} differ, relative to the lower one, "
        "and which one is ahead? Return the {group} that is ahead first, then the percentage.",
    ),
    propose=propose_inside_lead,
    about=("inside",),
)
def lead_inside(board: Board, slots: Slots) -> Task:
    """Return which of two groups inside a group is ahead, and by how many percent."""
    inside = board.result(text_slot(slots, "inside"), "inside")
    var, group = inside.var, literal(inside.facts["group"])
    high = f'{var}.loc[{var}["mean"].idxmax(), {group}]'
    lead = f'({var}["mean"].max() / {var}["mean"].min() - 1) * 100'
    return Task(
        words={"inside": code(var), "group": code(inside.facts["group"])},
        result=f"({high}, {lead})",
        form=Form.VALUE,
        atol=0.06,
        uses=((var, ()),),
        checks=(f"len({var}) == 2", f'{var}["mean"].min() > 0', f"{lead} > 1"),
        mistakes=(
            Mistake(f'({high}, {var}["mean"].max() - {var}["mean"].min())', "not in percent"),
            Mistake(f'({high}, (1 - {var}["mean"].min() / {var}["mean"].max()) * 100)', "in percent of the higher one"),
            Mistake(f'({var}.loc[{var}["mean"].idxmin(), {group}], {lead})', "the other one"),
        ),
        others=(
            f'_line = {var}.sort_values("mean", ascending=False)["mean"].to_numpy()\n'
            f'[{var}.sort_values("mean")[{group}].iloc[-1], 100 * (_line[0] - _line[1]) / _line[1]]',
        ),
        board=board,
    )


def propose_after_adjusting(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Adjusted means beside the table that they rest on."""
    for adjusted in board.results_of("adjusted"):
        frame = board.frame(adjusted.facts["frame"])
        if frame.column(adjusted.facts["group"]).about.distinct < 3:  # two means change by about the same
            continue
        yield {"adjusted": adjusted.var}


@family(
    theme="drill-down",
    knowledge_points=("comparison of two results", "spread of a column"),
    idea="What is left of the differences in {table} after {adjusted}",
    wordings=(
        "How does the adjustment change the spread between the {group} values? Return the range (largest minus "
        "smallest) of `adjusted` in {adjusted} divided by the range of `mean` in {table}, and the {group} that moved "
        "most.",
        "Put {adjusted} beside {table}: what is the ratio of the range of `adjusted` to the range of `mean`, and which "
        "{group} has the largest `change` in size?",
    ),
    propose=propose_after_adjusting,
    about=("adjusted",),
)
def range_after_adjusting(board: Board, slots: Slots) -> Task:
    """Return which part of the range is left and which group moved most."""
    adjusted = board.result(text_slot(slots, "adjusted"), "adjusted")
    table, group, var = adjusted.facts["table"], adjusted.facts["group"], adjusted.var
    new, old = f'np.ptp({var}["adjusted"])', f'np.ptp({table}["mean"])'
    name = f'{var}.loc[{var}["change"].abs().idxmax(), {literal(group)}]'
    return Task(
        words={"adjusted": code(var), "table": code(table), "group": code(group)},
        result=f"({new} / {old}, {name})",
        form=Form.VALUE,
        atol=6e-4,
        uses=((var, ()), (table, ())),
        checks=(
            f'{var}["change"].abs().nlargest(2).round(9).is_unique',
            f"{new} > 0",
            f"abs({new} / {old} - 1) > 0.002",
        ),
        mistakes=(
            Mistake(f"({old} / {new}, {name})", "upside down"),
            Mistake(f"({new} - {old}, {name})", "a difference"),
            Mistake(f'({new} / {old}, {var}.loc[{var}["change"].abs().idxmin(), {literal(group)}])', "moved least"),
        ),
        others=(
            f'_spreads = [one.max() - one.min() for one in ({var}["adjusted"], {table}["mean"])]\n'
            f'_moved = {var}.sort_values("change", key=abs)[{literal(group)}].iloc[-1]\n'
            '{"left": _spreads[0] / _spreads[1], "moved": _moved}',
        ),
        board=board,
    )


def propose_coverage(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of leaders within other groups."""
    for leaders in board.results_of("leaders"):
        yield {"leaders": leaders.var}


@family(
    theme="drill-down",
    knowledge_points=("filtering by an earlier result", "shares"),
    idea="Which share of the rows lies where the lead holds in {leaders}",
    wordings=(
        "What fraction of the {rows} of {frame} is in a {group} whose leading {leader} is the overall one (`same` is "
        "True in {leaders})?",
        "In {leaders}, `same` tells in which {group} the {leader} that leads overall leads, too. What fraction of the "
        "{rows} of {frame} belongs to these {group} values?",
    ),
    propose=propose_coverage,
    about=("leaders",),
)
def coverage_of_lead(board: Board, slots: Slots) -> Task:
    """Return the share of rows in groups where the overall leader leads."""
    leaders = board.result(text_slot(slots, "leaders"), "leaders")
    frame, var = board.frame(leaders.facts["frame"]), leaders.var
    group = frame.column(leaders.facts["group"])
    holds = f'{var}.loc[{var}["same"], {lit(group)}]'
    fails = f'{var}.loc[~{var}["same"], {lit(group)}]'
    return Task(
        words={
            "leaders": code(var),
            "frame": code(frame.var),
            "group": code(group.name),
            "leader": code(leaders.facts["leader"]),
            "rows": noun_of(frame),
        },
        result=f"{at(frame, group)}.isin({holds}).mean()",
        form=Form.VALUE,
        atol=6e-4,
        uses=((var, ()), (frame.var, (group.name,))),
        checks=(f"0.02 < {at(frame, group)}.isin({holds}).mean() < 0.98",),
        mistakes=(
            Mistake(f'{var}["same"].mean()', "the share of the groups, not of the rows"),
            Mistake(f"{at(frame, group)}.isin({fails}).mean()", "where it does not hold"),
        ),
        others=(
            f'_kept = {frame.var}.merge({var}[{var}["same"]][[{lit(group)}]], on={lit(group)})\nlen(_kept) / '
            f"len({frame.var})",
        ),
        board=board,
    )
