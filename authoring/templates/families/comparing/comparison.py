"""Families that compare groups: a measure in each, and how common something is in each."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.seeds.semantics import Meaning
from authoring.templates.board import MEAN_ROWS, TWINS, Board, Column, Frame, Result, Slots
from authoring.templates.families.measures import APART, FAINT, group_and_measure
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
from authoring.templates.phrasebook import (
    KNOWN_ROWS,
    NUMBER_OF_ROWS,
    SMALL_LEFT_OUT,
    STATISTICS,
    WITHOUT_NOT_COUNTED,
)
from evaluator.errors import ContentError

MANY_ROWS: Final = 40  # rows of a table that must have groups so large


def propose_group_table(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group and a number; groups of few rows are left out where enough others remain."""
    for frame, group, number in group_and_measure(board):
        told = board.results_of("means told", "quartiles")
        if any((one.facts["group"], one.facts["number"]) == (group.name, number.name) for one in told):
            continue
        lead = rng.choice(("mean", "median"))
        slots: dict[str, Any] = {"frame": frame.var, "group": group.name, "number": number.name, "lead": lead}
        var = f"by_{slug(group.name) or 'group'}"
        if board.free(var) != var:  # another measure by the same group
            var = f"{slug(number.name, limit=16) or 'value'}_{var}"
        if 0 < group.smallest < (MEAN_ROWS if frame.made_by == 1 else 2 * MEAN_ROWS):
            if sum(count >= 2 * MEAN_ROWS for _, count in group.about.top) < 2:
                continue
            slots["least"] = MEAN_ROWS
        yield {**slots, "var": board.free(var)}


@family(
    theme="comparison",
    knowledge_points=("group and aggregate", "named aggregation"),
    idea="{number} by {group}: size, mean and median of each group, as {var}",
    wordings=(
        "How does {number} differ by {group}? Store as {var} one row per {group} of {frame}, with the columns "
        "{group}, `n` ({counted}), `mean` and `median` of {number}, the highest {lead} first.",
        "Does {number} depend on {group}? Summarise {frame} in a DataFrame {var} with the columns {group}, `n` "
        "({counted}), `mean` and `median` of {number}; sort it by {lead}, highest first.",
        "I want to compare the {rows} of {frame} by {group}: for each one `n` ({counted}) and the `mean` and "
        "`median` of {number}, in falling order of the {lead}, stored as a DataFrame {var}.",
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
    least = count_slot(slots, "least") if "least" in slots else 0
    key = lit(number)

    def table(
        n: str = "count", mean: str = "mean", median: str = "median", least: int = least, *, ascending: bool = False
    ) -> str:
        order = "" if ascending else ", ascending=False"
        enough = f'    .loc[lambda t: t["n"] >= {least}]\n' if least else ""
        return (
            f"{var} = (\n    {frame.var}.groupby({lit(group)}, as_index=False)\n"
            f'    .agg(n=({key}, "{n}"), mean=({key}, "{mean}"), median=({key}, "{median}"))\n{enough}'
            f'    .sort_values("{lead}"{order}, ignore_index=True)\n)'
        )

    mistakes = [Mistake(table(mean="median", median="mean"), "mean and median change places")]
    mistakes.append(Mistake(table(ascending=True), "lowest first"))
    if least:
        mistakes.append(Mistake(table(least=0), "keeps small groups"))
        mistakes.append(Mistake(table(least=least + 1), "more than was asked", may_agree=True))
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
            "rows": noun_of(frame),
            "counted": KNOWN_ROWS(rows=noun_of(frame), number=code(number.name))
            if number.missing
            else NUMBER_OF_ROWS(rows=noun_of(frame)),
        },
        body=table(),
        stores=(var,),
        stored_form=Form.RANKING,
        atol=rounding(number.about.mean),
        notes=(
            WITHOUT_NOT_COUNTED(columns=code(group.name)) if group.missing else None,
            SMALL_LEFT_OUT(group=code(group.name), least=str(least), rows=noun_of(frame)) if least else None,
        ),
        uses=((frame.var, (group.name, number.name)),),
        checks=(
            f'{var}["n"].min() >= {MEAN_ROWS if frame.rows >= MANY_ROWS else 3}',
            f"len({var}) >= 2",
            f'{var}["{lead}"].round(6).is_unique',
            f'np.ptp({var}["mean"]) >= {APART} * {at(frame, number)}.std()',
            *_not_the_same(frame, group, number),
        ),
        mistakes=tuple(mistakes),
        others=(
            f"_rows = []\nfor name, part in {frame.var}.groupby({lit(group)}):\n    {rows}\n"
            f'{var} = pd.DataFrame(_rows, columns=[{lit(group)}, "n", "mean", "median"])\n'
            + (f'{var} = {var}[{var}["n"] >= {least}]\n' if least else "")
            + f'{var} = {var}.sort_values("{lead}", ascending=False).reset_index(drop=True)',
        ),
        conventions=int(bool(least)),
        board=board.with_result(
            var,
            "group table",
            frame=frame.var,
            group=group.name,
            number=number.name,
            lead=lead,
            is_whole=not least,
            groups=sum(count >= least for _, count in group.about.top) if least else group.about.distinct,
            typical=number.about.mean,
        ),
    )


def _not_the_same(frame: Frame, group: Column, number: Column) -> list[str]:
    """Return the checks that a number does not just follow those that its groups were made of."""
    behind = [c for c in frame.columns if c.name in group.sources and c.is_number]
    return [f'abs({at(frame, one)}.corr({at(frame, number)}, method="spearman")) < {TWINS}' for one in behind]


def table_slot(board: Board, slots: Slots, kind: str = "group table") -> Result:
    """Return the result that the slot `table` names."""
    return board.result(text_slot(slots, "table"), kind)


def propose_shares(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group, and one value of another whose share may differ between the groups; yes or no first."""
    for frame in board.crosses():
        groups = sorted(frame.groups(), key=lambda c: c.name not in board.focus.columns)
        for group in groups[:3]:
            outcomes = [
                c
                for c in frame.groups(most=4)
                if c.made_by == 1
                and not frame.are_twins(c, group)
                and not frame.are_nested(c, group)
                and frame.tells(c, group) >= FAINT
            ]
            for second in sorted(outcomes, key=lambda c: (c.means.meaning is not Meaning.FLAG, -frame.tells(c, group)))[
                :2
            ]:
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
    prepares=True,
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
