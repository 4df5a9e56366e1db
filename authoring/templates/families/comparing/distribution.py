"""Families about how values are distributed: quartiles, outliers, rows far from their group."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.templates.board import Board, Column, Frame, Slots
from authoring.templates.families.measures import APART, DEVIATIONS, by_nearness, group_and_measure
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
from authoring.templates.names_in_words import code, literal, names
from authoring.templates.phrasebook import ALL_COLUMNS, LINEAR_QUARTILES


def propose_quartiles(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group and a number of enough different values."""
    for frame, group, number in group_and_measure(board, smallest=8):
        if number.about.distinct >= 12 and frame.rows >= 12 * group.about.distinct:
            yield {"frame": frame.var, "group": group.name, "number": number.name, "var": board.free("spread")}


@family(
    theme="distribution",
    knowledge_points=("quantiles by group",),
    idea="Quartiles of {number} for each {group}, as {var}",
    wordings=(
        "Look at the spread, too: for each {group} of {frame} I want the quartiles of {number}: a DataFrame "
        "{var} with {group}, `q1`, `median`, `q3` and `iqr` (`q3` minus `q1`). {linear}",
        "How widely does {number} spread within each {group}? Store {var} with the columns {group}, `q1`, "
        "`median`, `q3` and their interquartile range `iqr`. {linear}",
    ),
    propose=propose_quartiles,
    about=("group", "number"),
)
def quartiles_by_group(board: Board, slots: Slots) -> Task:
    """Store the quartiles of each group."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    group = column_slot(frame, slots, "group", frame.groups())
    number = column_slot(frame, slots, "number", frame.numbers())
    by_group = f"{frame.var}.groupby({lit(group)})[{lit(number)}]"

    def table(low: str = "quantile(0.25)", middle: str = "median()", high: str = "quantile(0.75)") -> str:
        return (
            f'{var} = pd.DataFrame({{\n    "q1": {by_group}.{low},\n    "median": {by_group}.{middle},\n'
            f'    "q3": {by_group}.{high},\n}}).reset_index()\n'
            f'{var}["iqr"] = {var}["q3"] - {var}["q1"]'
        )

    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "var": code(var),
            "linear": LINEAR_QUARTILES(),
        },
        body=table(),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=rounding(number.about.mean),
        uses=((frame.var, (group.name, number.name)),),
        checks=(
            f'{var}["iqr"].min() > 0',
            f"{by_group}.count().min() >= 6",
            f'np.ptp({var}["median"]) + np.ptp({var}["iqr"]) >= {APART} * {at(frame, number)}.std()',
        ),
        mistakes=(
            Mistake(table("min()", "median()", "max()"), "the whole range"),
            Mistake(table(middle="mean()"), "the mean in the place of the median"),
            Mistake(table("quantile(0.1)", "median()", "quantile(0.9)"), "deciles"),
        ),
        others=(
            f'{var} = {by_group}.describe()[["25%", "50%", "75%"]].reset_index()\n'
            f'{var}.columns = [{lit(group)}, "q1", "median", "q3"]\n'
            f'{var} = {var}.assign(iqr=lambda t: t["q3"] - t["q1"])',
        ),
        conventions=1,
        board=board.with_result(
            var, "quartiles", frame=frame.var, group=group.name, number=number.name, typical=number.about.mean
        ),
    )


def propose_outliers(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of quartiles."""
    for table in board.results_of("quartiles"):
        yield {"table": table.var, "var": board.free("unusual")}


@family(
    theme="distribution",
    knowledge_points=("outliers", "lookup of an earlier result", "boolean masks"),
    idea="The rows that lie outside the fences of {table}, as {var}",
    wordings=(
        "Which {rows} are unusual for their {group}? Using {table}, collect in {var} the {rows} of {frame} whose "
        "{number} lies more than 1.5 times `iqr` below `q1` or above `q3` of their {group}, with all columns and their "
        "index. Return how many each {group} has, leaving out those without any.",
        "Find outliers of {number} within each {group}: {rows} of {frame} more than 1.5 `iqr` outside the "
        "quartiles that {table} has for their {group}. Store them, columns and index kept, as {var}, and count them by "
        "{group} (only where there are any).",
    ),
    propose=propose_outliers,
    about=("table",),
)
def outliers_in_groups(board: Board, slots: Slots) -> Task:
    """Store the rows outside the fences of their group, and count them."""
    table, var = board.result(text_slot(slots, "table"), "quartiles"), text_slot(slots, "var")
    frame = board.frame(table.facts["frame"])
    group, number = frame.column(table.facts["group"]), frame.column(table.facts["number"])
    value = at(frame, number)
    fences = f'_fences = {table.var}.set_index({lit(group)}).loc[:, ["q1", "q3", "iqr"]]\n'
    own = f"_own = _fences.reindex({at(frame, group)}).set_axis({frame.var}.index)\n"

    def pick(reach: str, low: str = '_own["q1"]', high: str = '_own["q3"]') -> str:
        return f"{var} = {frame.var}[({value} < {low} - {reach}) | ({value} > {high} + {reach})]\n"

    counts = f'{var}[{lit(group)}].value_counts().rename_axis({lit(group)}).reset_index(name="n")'
    steps = fences + own
    whole_reach = f"1.5 * ({value}.quantile(0.75) - {value}.quantile(0.25))"
    return Task(
        words={
            "table": code(table.var),
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "var": code(var),
            "rows": noun_of(frame),
        },
        body=(steps + pick('1.5 * _own["iqr"]')).strip(),
        result=counts,
        form=Form.TABLE,
        stores=(var,),
        stored_form=Form.LABELLED,  # by their index later problems leave them out
        stored_rtol=1e-3,
        makes={var: (group.name, number.name)} if frame.is_big else {},
        uses=((table.var, ()), (frame.var, (group.name, number.name))),
        checks=(
            f"2 <= len({var}) <= 0.2 * len({frame.var})",
            f"{var}[{lit(group)}].nunique() >= 2",
        ),
        mistakes=(
            Mistake(
                pick(whole_reach, f"{value}.quantile(0.25)", f"{value}.quantile(0.75)") + counts,
                "fences of all rows together",
                may_agree=True,
            ),
            Mistake(
                steps + f'{var} = {frame.var}[{value} > _own["q3"] + 1.5 * _own["iqr"]]\n{var}.describe()',
                "summarises what was asked to be counted",
            ),
            Mistake(steps + pick('3 * _own["iqr"]') + counts, "three times the range"),
            Mistake(
                steps + pick('1.5 * _own["iqr"]') + f"{var} = {var}.reset_index(drop=True)\n{counts}",
                "the index is lost",
                may_agree=True,
            ),
        ),
        others=(
            f"_parts = []\nfor _own in {table.var}.itertuples():\n"
            f"    _of = {frame.var}[{at(frame, group)} == _own[1]]\n"
            f"    _value, _apart = _of[{lit(number)}], 1.5 * (_own.q3 - _own.q1)\n"
            f"    _parts.append(_of[(_value < _own.q1 - _apart) | (_value > _own.q3 + _apart)])\n"
            f"{var} = pd.concat(_parts)\n{var}[{lit(group)}].value_counts()",
            f'_all = {frame.var}.merge({table.var}, on={lit(group)}, how="left", suffixes=("", "_of_group"))\n'
            f'_low = (_all["q1"] - 1.5 * _all["iqr"]).to_numpy()\n_high = (_all["q3"] + 1.5 * '
            f'_all["iqr"]).to_numpy()\n'
            f"_is = ({value}.to_numpy() < _low) | ({value}.to_numpy() > _high)\n"
            f"{var} = {frame.var}.loc[_is]\n{var}.groupby({lit(group)}).size()",
        )
        if not {"q1", "q3", "iqr", "median"} & {c.name for c in frame.columns}
        else (),
        conventions=1,
        board=board.with_result(
            var, "outliers", frame=frame.var, group=group.name, number=number.name, typical=table.facts["typical"]
        ),
    )


def propose_robust(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Outliers that were set aside."""
    for outliers in board.results_of("outliers"):
        yield {"outliers": outliers.var, "var": board.free("without_unusual")}


@family(
    theme="distribution",
    knowledge_points=("anti join by index", "comparison of two aggregates"),
    idea="The mean {number} of each {group} with and without {outliers}",
    wordings=(
        "Do the {rows} in {outliers} matter? For each {group}, compare the mean {number} of {frame} with the mean "
        "when they are left out: store {var} with the columns {group}, `with_all`, `without` and "
        "`shift`, which is `without` minus `with_all`.",
        "Leave the {rows} of {outliers} out of {frame} and see how the mean {number} of each {group} moves: "
        "{var} with {group}, `with_all`, `without` and `shift` (`without` minus `with_all`).",
    ),
    propose=propose_robust,
    about=("outliers",),
)
def means_without_outliers(board: Board, slots: Slots) -> Task:
    """Compare means with and without outliers."""
    outliers, var = board.result(text_slot(slots, "outliers"), "outliers"), text_slot(slots, "var")
    frame = board.frame(outliers.facts["frame"])
    group, number = literal(outliers.facts["group"]), literal(outliers.facts["number"])

    def steps(kept: str, shift: str, how: str = "mean") -> str:
        return (
            f"_kept = {kept}\n"
            f"{var} = pd.DataFrame({{\n"
            f'    "with_all": {frame.var}.groupby({group})[{number}].{how}(),\n'
            f'    "without": _kept.groupby({group})[{number}].{how}(),\n}}).reset_index()\n'
            f'{var}["shift"] = {shift}'
        )

    kept = f"{frame.var}.drop(index={outliers.var}.index)"
    right = f'{var}["without"] - {var}["with_all"]'
    return Task(
        words={
            "outliers": code(outliers.var),
            "frame": code(frame.var),
            "group": code(outliers.facts["group"]),
            "number": code(outliers.facts["number"]),
            "var": code(var),
            "rows": noun_of(frame),
        },
        body=steps(kept, right),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=rounding(outliers.facts["typical"]) / 10,
        uses=((outliers.var, ()), (frame.var, (outliers.facts["group"], outliers.facts["number"]))),
        checks=(f'{var}["shift"].abs().max() > 0', f'{var}["without"].notna().all()', f"{frame.var}.index.is_unique"),
        mistakes=(
            Mistake(steps(outliers.var, right), "the outliers themselves"),
            Mistake(steps(kept, f'{var}["with_all"] - {var}["without"]'), "the other way round"),
            Mistake(steps(kept, right, "median"), "medians"),
        ),
        others=(
            f"_rest = {frame.var}[~{frame.var}.index.isin({outliers.var}.index)]\n"
            f"_a, _b = (one.groupby({group})[{number}].mean() for one in ({frame.var}, _rest))\n"
            f'{var} = pd.concat([_a.rename("with_all"), _b.rename("without"), (_b - _a).rename("shift")], '
            f"axis=1).reset_index()",
        ),
        board=board.with_variable(var),
    )


def standings_of(board: Board) -> Iterator[tuple[Frame, Column]]:
    """Yield the columns that compare rows with their own group, with their frames."""
    for frame in board.crosses():
        yield from ((frame, column) for column in frame.numbers() if column.within)


MOST_SHOWN: Final = 12  # columns that somebody reads who wants to see which rows these are


def propose_unusual(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column that compares rows with their group, and how many rows to name."""
    for frame, column in standings_of(board):
        for count in rng.sample((3, 4, 5), 3):
            yield {"frame": frame.var, "number": column.name, "count": count}


@family(
    theme="distribution",
    knowledge_points=("top rows by absolute value",),
    idea="The {count} {rows} that stand out most by {number}",
    wordings=(
        "Which {count} {rows} of {frame} stand out most by {number}, above or below the others of their {within}? Give "
        "{shown}; the order of rows does not matter.",
        "Show the {count} {rows} of {frame} with the largest {number} in size, whether above or below the others of "
        "their {within}: {shown}, in any order.",
    ),
    propose=propose_unusual,
    about=("number",),
)
def most_unusual(board: Board, slots: Slots) -> Task:
    """Return the rows farthest from the mean of their group."""
    frame, count = frame_slot(board, slots), count_slot(slots, "count")
    number = column_slot(frame, slots, "number", [c for c in frame.numbers() if c.within])
    labels = [c.name for c in frame.labels()[:1]]  # without a label all columns tell which row is meant
    few = labels or (list(number.sources) if len(frame.columns) > MOST_SHOWN else [])
    told = list(dict.fromkeys([*few, number.within, number.name])) if few else [c.name for c in frame.columns]
    order = f"{frame.var}.sort_values({lit(number)}, key=abs, ascending=False)"
    return Task(
        words={
            "frame": code(frame.var),
            "number": code(number.name),
            "within": code(number.within),
            "shown": names(told) if few else ALL_COLUMNS,
            "count": str(count),
            "rows": noun_of(frame),
        },
        result=f"{order}[{literal(told)}].head({count}).reset_index(drop=True)",
        form=Form.TABLE,
        atol=rounding(number.about.mean),
        uses=((frame.var, tuple(told)),),
        checks=(  # no tie at the edge
            f"{at(frame, number)}.abs().nlargest({count}).min() > "
            f"{at(frame, number)}.abs().nlargest({count + 1}).min() + 1e-9",
        ),
        mistakes=(
            Mistake(f"{frame.var}.nlargest({count}, {lit(number)})[{literal(told)}]", "above only", may_agree=True),
            Mistake(f"{order}[{literal(told)}].tail({count})", "the most usual ones"),
        ),
        others=(f"_far = {at(frame, number)}.abs().nlargest({count}).index\n{frame.var}.loc[_far, {literal(told)}]",),
        board=board,
    )


FAR: Final = 1.5  # standard deviations that make a row unusual


def propose_far_share(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Standard scores, and another group in which unusual rows may be more common."""
    for frame, column in standings_of(board):
        groups = [g for g in frame.groups(most=8) if g.name != column.within and not g.is_related(column)]
        known = [g for g in groups if g.name in board.focus.columns] if board.focus.group else groups
        for group in by_nearness(board, known)[:2] if column.means.unit == DEVIATIONS and not column.missing else ():
            if (group.smallest or 15) >= 15:
                yield {"frame": frame.var, "number": column.name, "group": group.name}


@family(
    theme="distribution",
    knowledge_points=("shares by group", "thresholds on both sides"),
    idea="How common {rows} far from the mean of their {within} are in each {group}",
    wordings=(
        "In which {group} are {rows} far from the mean of their {within} most common? For each {group} of {frame}, "
        "give the fraction of its {rows} whose {number} is beyond {far} in either direction, the highest first.",
        "What fraction of the {rows} of each {group} lies more than {far} standard deviations from the mean of its "
        "{within}, above or below (by {number} of {frame})? Highest fraction first.",
    ),
    propose=propose_far_share,
    worth=0.4,
    about=("number", "group"),
)
def unusual_by_group(board: Board, slots: Slots) -> Task:
    """Return the share of rows far from the mean of their own group, by another group."""
    frame = frame_slot(board, slots)
    group = column_slot(frame, slots, "group", frame.groups())
    scores = [c for c in frame.numbers() if c.within and c.means.unit == DEVIATIONS]
    number = column_slot(frame, slots, "number", scores)

    def shares(is_far: str, how: str = "mean()") -> str:
        ordered = f"({is_far}).groupby({at(frame, group)}).{how}.sort_values(ascending=False)"
        return f'{ordered}.reset_index(name="share")'

    far = f"{at(frame, number)}.abs() > {FAR}"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "within": code(number.within),
            "far": str(FAR),
            "rows": noun_of(frame),
        },
        result=shares(far),
        form=Form.RANKING,
        atol=6e-4,
        uses=((frame.var, (group.name, number.name)),),
        checks=(
            f'{shares(far)}["share"].round(4).is_unique',
            f'{shares(far)}["share"].max() > 0.05',
            f"{at(frame, group)}.value_counts().min() >= 15",
            f"{at(frame, number)}.notna().all()",
        ),
        mistakes=(
            Mistake(shares(f"{at(frame, number)} > {FAR}"), "above only", may_agree=True),
            Mistake(shares(far, "sum()"), "counts"),
            Mistake(shares(f"{at(frame, number)}.abs() <= {FAR}"), "the usual ones"),
        ),
        others=(
            f"_far = {frame.var}[({at(frame, number)} > {FAR}) | ({at(frame, number)} < -{FAR})]\n"
            f"_counts = _far.groupby({lit(group)}).size() / {frame.var}.groupby({lit(group)}).size()\n"
            "_counts.fillna(0).sort_values(ascending=False)",
        ),
        conventions=1,
        board=board,
    )
