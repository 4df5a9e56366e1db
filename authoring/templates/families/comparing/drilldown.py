"""Families that look behind a comparison: within other groups, and with the mix taken out."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import MEAN_ROWS, Board, Column, Frame, Result, Slots
from authoring.templates.families.comparing.comparison import table_slot
from authoring.templates.families.comparing.inside import other_groups
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
from authoring.templates.phrasebook import KNOWN_FOR_SHARES


def _crossed(board: Board, frame: Frame, table: Result, *, least: int = 2, most: int = 8) -> list[Column]:
    """Return the groups that cross those of the table in cells of enough rows."""
    group = frame.column(table.facts["group"])
    fit = [c for c in other_groups(board, frame, table) if least <= c.about.distinct <= most]
    return [c for c in fit if frame.has_cells(group, c, MEAN_ROWS)]


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
            "known": KNOWN_FOR_SHARES(columns=names([group, second.name, number]))
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
