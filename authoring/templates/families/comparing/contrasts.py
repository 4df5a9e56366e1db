"""Families that follow a table of groups: who leads, how wide the gaps are, how much the groups tell."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Result, Slots
from authoring.templates.families.comparing.comparison import table_slot
from authoring.templates.families.measures import is_interval
from authoring.templates.family import Form, Mistake, Task, at, family, text_slot
from authoring.templates.names_in_words import code, literal
from authoring.templates.phrasebook import STATISTICS


def propose_lead(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of groups."""
    for table in board.results_of("group table"):
        if table.facts["groups"] >= 3 and not _may_be_zero(board, table):
            yield {"table": table.var}


def _may_be_zero(board: Board, table: Result) -> bool:
    """Return whether the mean of a group may be near zero or below, so that a lead in percent says nothing."""
    number = board.frame(table.facts["frame"]).column(table.facts["number"])
    return not number.is_positive or is_interval(number)


@family(
    theme="comparison",
    knowledge_points=("leader and runner-up", "relative difference"),
    idea="Who leads {table}, and how far ahead of the next",
    wordings=(
        "Which {group} has the highest {lead} of {number} in {table}, and how far is it ahead of the next one, in "
        "percent of the {lead} of that one? Return the {group} and the lead.",
        "By {table}, which {group} has the highest {lead} of {number}, and by how many percent does it exceed the "
        "second one?",
    ),
    propose=propose_lead,
    about=("table",),
)
def lead_over_next(board: Board, slots: Slots) -> Task:
    """Return the leading group and its lead in percent."""
    table = table_slot(board, slots)
    group, lead, var = table.facts["group"], table.facts["lead"], table.var
    top = f'{var}.sort_values("{lead}", ascending=False)'
    name = f"_top[{literal(group)}].iloc[0]"
    first, second = f'_top["{lead}"].iloc[0]', f'_top["{lead}"].iloc[1]'
    return Task(
        words={
            "table": code(var),
            "group": code(group),
            "lead": STATISTICS[lead],
            "number": code(table.facts["number"]),
        },
        body=f"_top = {top}",
        result=f"({name}, ({first} / {second} - 1) * 100)",
        form=Form.VALUE,
        atol=0.06,
        uses=((var, ()),),
        checks=(f"{second} > 0", f"({first} / {second} - 1) * 100 > 3"),
        mistakes=(
            Mistake(f"_top = {top}\n({name}, {first} - {second})", "not in percent"),
            Mistake(f"_top = {top}\n({name}, (1 - {second} / {first}) * 100)", "in percent of the leader"),
            Mistake(
                f'_top = {top}\n({name}, ({first} / _top["{lead}"].iloc[-1] - 1) * 100)', "compares with the last one"
            ),
        ),
        others=(
            f'_two = {var}.nlargest(2, "{lead}")\n'
            f'{{"leader": _two[{literal(group)}].iloc[0], "lead": 100 * _two["{lead}"].pct_change(-1).iloc[0]}}',
        ),
        board=board,
    )


def propose_explained(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of groups."""
    for table in board.results_of("group table"):
        if table.facts["is_whole"]:
            yield {"table": table.var}


@family(
    theme="comparison",
    knowledge_points=("variance between groups", "weighted sums"),
    idea="How much of the variation of {number} lies between the groups of {table}",
    wordings=(
        "How much of all variation in {number} does {group} account for? Use `n` and `mean` of {table}: the sum "
        "of squares between the groups, each weighted by its `n`, as a fraction of the total sum of squares of "
        "{number} in {frame}.",
        "How much does {group} tell about {number}? Return the share of the variance of {number} that lies "
        "between the groups of {table} (eta squared: sum of squares between groups, weighted by `n`, over the "
        "total sum of squares in {frame}).",
    ),
    propose=propose_explained,
    about=("table",),
)
def variance_explained(board: Board, slots: Slots) -> Task:
    """Return the share of the variance that lies between groups."""
    table = table_slot(board, slots)
    frame = board.frame(table.facts["frame"])
    group, number = table.facts["group"], table.facts["number"]
    known = f"_known = {frame.var}.loc[{at(frame, group)}.notna(), {literal(number)}].dropna()\n"
    n, mean = f'{table.var}["n"]', f'{table.var}["mean"]'
    between = f"({n} * ({mean} - _known.mean()) ** 2).sum()"
    total = "((_known - _known.mean()) ** 2).sum()"
    return Task(
        words={
            "table": code(table.var),
            "frame": code(frame.var),
            "group": code(group),
            "number": code(number),
        },
        body=known.strip(),
        result=f"{between} / {total}",
        form=Form.VALUE,
        atol=6e-4,
        uses=((table.var, ()), (frame.var, (group, number))),
        checks=(f"0.03 < {between} / {total} < 1",),
        mistakes=(
            Mistake(f"{known}(({mean} - _known.mean()) ** 2).sum() / {total}", "groups are not weighted"),
            Mistake(f"{known}{mean}.var(ddof=0) / _known.var(ddof=0)", "the groups count alike", may_agree=True),
            Mistake(
                f"{known}({n} * ({mean} - {mean}.mean()) ** 2).sum() / {total}",
                "distances from the mean of the means",
                may_agree=True,
            ),
            Mistake(f"{known}1 - {between} / {total}", "the share within the groups"),
        ),
        others=(
            f"{known}_fitted = "
            f'{at(frame, group)}.map({table.var}.set_index({literal(group)})["mean"])[_known.index]\n'
            f"1 - ((_known - _fitted.astype(float)) ** 2).sum() / {total}",
        ),
        board=board,
    )


def propose_contrast(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of shares, or of how much more common groups are at the top."""
    for table in board.results_of("shares", "makeup"):
        frame = board.frame(table.facts["frame"])
        if table.kind == "makeup" or frame.has_cells(
            frame.column(table.facts["group"]), frame.column(table.facts["second"]), 1
        ):
            yield {"table": table.var, "column": "lift" if table.kind == "makeup" else "share"}


@family(
    theme="comparison",
    knowledge_points=("relative risk", "extremes of a table"),
    idea="The highest {column} in {table} against the lowest",
    wordings=(
        "In which {group} is the {column} of {table} highest, in which is it lowest, and what is the ratio of the two? "
        "Return the {group} with the higher one first, then the other, then the ratio.",
        "From {table}: which {group} has the highest {column}, which the lowest, and how many times as high is the "
        "former?",
    ),
    propose=propose_contrast,
    about=("table",),
    limit=2,
)
def widest_gap(board: Board, slots: Slots) -> Task:
    """Return the groups with the extreme shares or lifts, and the ratio of the two."""
    column = text_slot(slots, "column", ("share", "lift"))
    table = table_slot(board, slots, "shares" if column == "share" else "makeup")
    group, var = table.facts["group"], table.var
    ordered = f'_ordered = {var}.sort_values("{column}")'
    high, low = f"_ordered[{literal(group)}].iloc[-1]", f"_ordered[{literal(group)}].iloc[0]"
    top, bottom = f'_ordered["{column}"].iloc[-1]', f'_ordered["{column}"].iloc[0]'
    return Task(
        words={"table": code(var), "group": code(group), "column": code(column)},
        body=ordered,
        result=f"({high}, {low}, {top} / {bottom})",
        form=Form.VALUE,
        atol=6e-3,
        uses=((var, ()),),
        checks=(
            f"len({var}) >= 3",
            f"{bottom} > 0",
            f"{top} / {bottom} > 1.02",
            f'({var}["{column}"] == {top}).sum() == 1 and ({var}["{column}"] == {bottom}).sum() == 1',
        ),
        mistakes=(
            Mistake(f"{ordered}\n({high}, {low}, {top} - {bottom})", "the difference"),
            Mistake(f"{ordered}\n({high}, {low}, {bottom} / {top})", "upside down"),
            Mistake(f"{ordered}\n({low}, {high}, {top} / {bottom})", "the groups change places"),
        ),
        others=(
            f'_values = {var}.set_index({literal(group)})["{column}"]\n'
            "[_values.idxmax(), _values.idxmin(), _values.max() / _values.min()]",
        ),
        board=board,
    )
