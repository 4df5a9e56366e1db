"""Families that compare groups: who leads, by how much, and what the lead is made of."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds.semantics import Meaning
from authoring.templates.board import Board, Column, Frame, Result, Slots
from authoring.templates.families.measures import group_and_measure
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
from authoring.templates.names_in_words import code, literal, slug
from authoring.templates.phrasebook import (
    KNOWN_ROWS,
    NUMBER_OF_ROWS,
    STATISTICS,
    WITHOUT_NOT_COUNTED,
)
from evaluator.errors import ContentError


def propose_group_table(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group and a number."""
    for frame, group, number in group_and_measure(board, standings=True):
        lead = rng.choice(("mean", "median"))
        yield {
            "frame": frame.var,
            "group": group.name,
            "number": number.name,
            "lead": lead,
            "var": board.free(f"by_{slug(group.name) or 'group'}"),
        }


@family(
    theme="comparison",
    knowledge_points=("group and aggregate", "named aggregation"),
    idea="{number} by {group}: size, mean and median of each group, as {var}",
    wordings=(
        "How does {number} differ by {group}? Store as {var} one row per {group} of {frame}, with the columns "
        "{group}, `n` ({counted}), `mean` and `median` of {number}, the highest {lead} first.",
        "Compare {number} between the values of {group} in {frame}. The result, a DataFrame {var}, has the "
        "columns {group}, `n` ({counted}), `mean` and `median`; sort it by {lead}, highest first.",
        "Build {var}: for each {group} in {frame}, `n` ({counted}) and the `mean` and "
        "`median` of {number}, in falling order of the {lead}.",
    ),
    propose=propose_group_table,
    about=("group", "number"),
    limit=2,
)
def group_table(board: Board, slots: Slots) -> Task:
    """Store size, mean and median of each group."""
    frame = frame_slot(board, slots)
    group = column_slot(frame, slots, "group", frame.groups())
    number, var = column_slot(frame, slots, "number", frame.numbers()), text_slot(slots, "var")
    lead = text_slot(slots, "lead", ("mean", "median"))
    key = lit(number)

    def table(n: str = "count", mean: str = "mean", median: str = "median", *, ascending: bool = False) -> str:
        order = "" if ascending else ", ascending=False"
        return (
            f"{var} = (\n    {frame.var}.groupby({lit(group)}, as_index=False)\n"
            f'    .agg(n=({key}, "{n}"), mean=({key}, "{mean}"), median=({key}, "{median}"))\n'
            f'    .sort_values("{lead}"{order}, ignore_index=True)\n)'
        )

    mistakes = [Mistake(table(mean="median", median="mean"), "mean and median change places")]
    mistakes.append(Mistake(table(ascending=True), "lowest first"))
    mistakes.append(
        Mistake(table(n="size"), "counts rows without a value, too", may_agree=True)
        if number.missing
        else Mistake(table(n="nunique"), "counts different values")
        if number.about.distinct < 0.5 * frame.rows
        else Mistake(table(median="max"), "the largest value in the place of the median")
    )
    rows = f"_rows.append((name, part[{key}].notna().sum(), part[{key}].mean(), part[{key}].median()))"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "var": code(var),
            "lead": STATISTICS[lead],
            "counted": KNOWN_ROWS(rows=noun_of(frame), number=code(number.name))
            if number.missing
            else NUMBER_OF_ROWS(rows=noun_of(frame)),
        },
        body=table(),
        stores=(var,),
        stored_form=Form.RANKING,
        atol=rounding(number.about.mean),
        notes=(WITHOUT_NOT_COUNTED(columns=code(group.name)) if group.missing else None,),
        uses=((frame.var, (group.name, number.name)),),
        checks=(
            f'{var}["n"].min() >= 3',
            f'{var}["{lead}"].round(6).is_unique',
            *_not_the_same(frame, group, number),
        ),
        mistakes=tuple(mistakes),
        others=(
            f"_rows = []\nfor name, part in {frame.var}.groupby({lit(group)}):\n    {rows}\n"
            f'{var} = pd.DataFrame(_rows, columns=[{lit(group)}, "n", "mean", "median"])\n'
            f'{var} = {var}.sort_values("{lead}", ascending=False).reset_index(drop=True)',
        ),
        board=board.with_result(
            var,
            "group table",
            frame=frame.var,
            group=group.name,
            number=number.name,
            lead=lead,
            groups=group.about.distinct,
            typical=number.about.mean,
        ),
    )


def _not_the_same(frame: Frame, group: Column, number: Column) -> list[str]:
    """Return the checks that a number does not just follow those that its groups were made of."""
    behind = [c for c in frame.columns if c.name in group.sources and c.is_number]
    return [f'abs({at(frame, one)}.corr({at(frame, number)}, method="spearman")) < 0.8' for one in behind]


def table_slot(board: Board, slots: Slots, kind: str = "group table") -> Result:
    """Return the result that the slot `table` names."""
    return board.result(text_slot(slots, "table"), kind)


def propose_lead(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of groups."""
    for table in board.results_of("group table"):
        if table.facts["groups"] >= 3 and not _may_be_zero(board, table):
            yield {"table": table.var}


def _may_be_zero(board: Board, table: Result) -> bool:
    """Return whether the mean of a group may be near zero or below, so that a lead in percent says nothing."""
    number = board.frame(table.facts["frame"]).column(table.facts["number"])
    low = number.about.min
    return not isinstance(low, int | float) or low < 0


@family(
    theme="comparison",
    knowledge_points=("leader and runner-up", "relative difference"),
    idea="Who leads {table}, and how far ahead of the next",
    wordings=(
        "Who leads in {table} by {lead}, and how far ahead of the runner-up, in percent of the runner-up's "
        "{lead}? Return the {group} and the lead.",
        "By {table}, which {group} has the highest {lead}, and by how many percent does it exceed the second one?",
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
        words={"table": code(var), "group": code(group), "lead": STATISTICS[lead]},
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
        checks=(f"0.001 < {between} / {total} < 1",),
        mistakes=(
            Mistake(f"{known}(({mean} - _known.mean()) ** 2).sum() / {total}", "groups are not weighted"),
            Mistake(f"{known}{mean}.var(ddof=0) / _known.var(ddof=0)", "the groups count alike"),
            Mistake(f"{known}1 - {between} / {total}", "the share within the groups"),
        ),
        others=(
            f"{known}_fitted = "
            f'{at(frame, group)}.map({table.var}.set_index({literal(group)})["mean"])[_known.index]\n'
            f"1 - ((_known - _fitted.astype(float)) ** 2).sum() / {total}",
        ),
        board=board,
    )


def propose_shares(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group, and one value of another whose share may differ between the groups; yes or no first."""
    for frame in board.crosses():
        groups = sorted(frame.groups(), key=lambda c: c.name not in board.focus.columns)
        for group in groups[:3]:
            outcomes = [
                c
                for c in frame.groups(most=4)
                if not c.is_related(group) and c.made_by == 1 and not frame.are_nested(c, group)
            ]
            for second in sorted(outcomes, key=lambda c: (c.means.meaning is not Meaning.FLAG, c.about.distinct))[:2]:
                value = _interesting_value(second)
                if value is not None and not second.missing:
                    yield {
                        "frame": frame.var,
                        "group": group.name,
                        "second": second.name,
                        "value": value,
                        "var": board.free(f"{slug(second.name) or 'share'}_by_{slug(group.name) or 'group'}"),
                    }


def _interesting_value(column: Column) -> Any:
    """Return the value whose share is asked: true of a flag, else one that is neither rare nor nearly all."""
    values = column.values
    if column.means.meaning is Meaning.FLAG:
        told = [value for value in values if value in (True, 1) or str(value).lower() in ("yes", "y", "true")]
        return told[0] if told else (values[0] if values else None)
    return values[1] if len(values) > 1 and isinstance(values[1], str) else None


@family(
    theme="composition",
    knowledge_points=("shares by group",),
    idea="The share of {second} {value} among the {rows} of each {group}",
    wordings=(
        "For each {group} of {frame}, what fraction of the {rows} has {second} {value}? Store as {var} the "
        "columns {group}, `n` (all its {rows}) and `share`.",
        "How common is {second} {value} in each {group}? Make a DataFrame {var} with the columns {group}, `n` "
        "(number of {rows} in {frame}) and `share` (a fraction of these).",
    ),
    propose=propose_shares,
    about=("group", "second"),
    limit=2,
)
def share_by_group(board: Board, slots: Slots) -> Task:
    """Store the share of one value in each group."""
    frame = frame_slot(board, slots)
    group = column_slot(frame, slots, "group", frame.groups())
    second, var = column_slot(frame, slots, "second", frame.groups()), text_slot(slots, "var")
    value = slots.get("value")
    if not isinstance(value, str | int | float | bool):
        raise ContentError(f"slot 'value' is {value!r}", fix=f"write a value of {second.name!r}")
    is_it = f"{at(frame, second)} == {literal(value)}"

    def table(share: str) -> str:
        return (
            f"_is = ({is_it}).groupby({at(frame, group)})\n"
            f'{var} = pd.DataFrame({{"n": _is.size(), "share": {share}}}).reset_index()'
        )

    of_value = f"{frame.var}.loc[{is_it}, {lit(group)}].value_counts()"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "second": code(second.name),
            "value": literal(value),
            "rows": noun_of(frame),
            "var": code(var),
        },
        body=table("_is.mean()"),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=6e-4,
        notes=(WITHOUT_NOT_COUNTED(columns=code(group.name)) if group.missing else None,),
        uses=((frame.var, (group.name, second.name)),),
        checks=(f'{var}["share"].round(3).nunique() >= 2', f'{var}["n"].min() >= 3'),
        mistakes=(
            Mistake(table("_is.sum() / _is.sum().sum()"), "how the value divides among the groups"),
            Mistake(table(f"_is.sum() / len({frame.var})"), "a share of all rows"),
            Mistake(table("1 - _is.mean()"), "the share of all other values"),
        ),
        others=(
            f'{var} = {frame.var}.groupby({lit(group)}).size().rename("n").reset_index()\n'
            f'{var}["share"] = {var}[{lit(group)}].map({of_value}).fillna(0).astype(float) / {var}["n"]',
        ),
        board=board.with_result(
            var,
            "shares",
            frame=frame.var,
            group=group.name,
            second=second.name,
            value=value,
            groups=group.about.distinct,
        ),
    )


def propose_contrast(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of shares."""
    for table in board.results_of("shares"):
        yield {"table": table.var}


@family(
    theme="comparison",
    knowledge_points=("relative risk", "extremes of a table"),
    idea="The highest share in {table} against the lowest",
    wordings=(
        "Between which two {group} values of {table} is the gap in `share` widest, and how many times as large "
        "is the higher share? Return the {group} with the highest share, the one with the lowest, and that "
        "ratio.",
        "From {table}: which {group} has the highest `share`, which the lowest, and how many times as high is "
        "the former?",
    ),
    propose=propose_contrast,
    about=("table",),
)
def widest_gap(board: Board, slots: Slots) -> Task:
    """Return the groups with the extreme shares, and the ratio of the two."""
    table = table_slot(board, slots, "shares")
    group, var = table.facts["group"], table.var
    ordered = f'_ordered = {var}.sort_values("share")'
    high, low = f"_ordered[{literal(group)}].iloc[-1]", f"_ordered[{literal(group)}].iloc[0]"
    top, bottom = '_ordered["share"].iloc[-1]', '_ordered["share"].iloc[0]'
    return Task(
        words={"table": code(var), "group": code(group)},
        body=ordered,
        result=f"({high}, {low}, {top} / {bottom})",
        form=Form.VALUE,
        atol=6e-3,
        uses=((var, ()),),
        checks=(
            f"{bottom} > 0",
            f"{top} / {bottom} > 1.02",
            f'({var}["share"] == {top}).sum() == 1 and ({var}["share"] == {bottom}).sum() == 1',
        ),
        mistakes=(
            Mistake(f"{ordered}\n({high}, {low}, {top} - {bottom})", "the difference"),
            Mistake(f"{ordered}\n({high}, {low}, {bottom} / {top})", "upside down"),
            Mistake(f"{ordered}\n({low}, {high}, {top} / {bottom})", "the groups change places"),
        ),
        others=(
            f'_shares = {var}.set_index({literal(group)})["share"]\n'
            "[_shares.idxmax(), _shares.idxmin(), _shares.max() / _shares.min()]",
        ),
        board=board,
    )
