"""Families that ask for a function, judged by test cases, and then use it."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Column, Frame, Slots
from authoring.templates.families.classes import is_short
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
    numbers_slot,
    text_slot,
)
from authoring.templates.names_in_words import code, shown, slug
from authoring.templates.phrasebook import class_of
from authoring.templates.phrases import Joint, Listing
from evaluator.errors import ContentError


def _groups_for(frame: Frame, column: Column, smallest: int) -> list[Column]:
    """Return the groups in which a function of a column can be used."""
    groups = frame.groups(most=10)
    return [g for g in groups if not g.is_related(column) and (g.smallest or smallest) >= smallest]


def propose_grade(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number whose quartiles are known."""
    for frame in board.crosses():
        numbers = [c for c in frame.numbers(distinct=12) if c.about.quantiles and c.made_by == 1]
        for column in sorted(numbers, key=lambda c: c.name != board.focus.measure)[:3]:
            has_classes = any(column.name in c.sources and not c.is_number for c in frame.columns)
            if has_classes or not _groups_for(frame, column, 8):
                continue
            low, high = column.quantile("0.25"), column.quantile("0.75")
            if low is not None and high is not None and low < high and is_short(low) and is_short(high):
                yield {
                    "frame": frame.var,
                    "column": column.name,
                    "edges": [low, high],
                    "var": board.free(f"{slug(column.name, limit=14) or 'value'}_level"),
                }


@family(
    theme="functions",
    knowledge_points=("functions", "conditions", "missing values"),
    idea="A function {var} that names the level of a {column}",
    wordings=(
        "We will name levels of {column} more than once, so write a function `{call}` that returns {classes}, "
        "and None for a missing value (None or NaN). A value on an edge belongs to the lower level.",
        "Write `{call}`: for one {column} it returns {classes}; a value that equals an edge gets the lower "
        "level, and a missing one (None or NaN) gives None.",
    ),
    propose=propose_grade,
    about=("column",),
)
def level_function(board: Board, slots: Slots) -> Task:
    """Define a function that classifies one number."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    column = column_slot(frame, slots, "column", frame.numbers())
    edges = numbers_slot(slots, "edges")
    if len(edges) != 2 or not edges[0] < edges[1]:
        raise ContentError(f"slot 'edges' is {edges!r}", fix="write two rising numbers")
    low, high = (shown(edge) for edge in edges)
    span = edges[1] - edges[0]
    between = round(edges[0] + span / 2, 4)
    labels = ("low", "middle", "high")

    def define(
        first: str = "<=", second: str = "<=", missing: str = "    if pd.isna(value):\n        return None\n"
    ) -> str:
        return (
            f"def {var}(value):\n{missing}"
            f'    if value {first} {low}:\n        return "low"\n'
            f'    return "middle" if value {second} {high} else "high"'
        )

    cases = [[edges[0]], [edges[1]], [between], [column.about.min], [column.about.max], [None]]
    cases += [['`float("nan")`'], [round(edges[0] + span / 1000, 6)], [round(edges[1] + span / 1000, 6)]]
    classes = Listing(
        (
            class_of('"low"', None, low),
            class_of('"middle"', low, high),
            class_of('"high"', high, None),
        ),
        Joint.CLAUSES,
    )
    return Task(
        words={"column": code(column.name), "var": code(var), "call": f"{var}(value)", "classes": classes},
        body=define(),
        look=f"[{var}(one) for one in {at(frame, column)}]",
        validators={"table_test": {"function_name": var, "test_cases": cases}},
        uses=((frame.var, (column.name,)),),
        mistakes=(
            Mistake(define("<", "<="), "the lower edge goes up"),
            Mistake(define("<=", "<"), "the upper edge goes up"),
            Mistake(define(missing=""), "a missing value is called high, or fails"),
        ),
        others=(
            f"{var} = lambda value: (\n    None if value is None or value != value\n"
            f"    else {list(labels)!r}[(value > {low}) + (value > {high})]\n)",
        ),
        conventions=2,
        board=board.with_result(var, "level function", frame=frame.var, column=column.name, labels=labels),
    )


def propose_use_grade(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A function that names levels, and groups to count them in."""
    for function in board.results_of("level function"):
        frame = board.frame(function.facts["frame"])
        column = frame.column(function.facts["column"])
        for group in _groups_for(frame, column, 8)[:3]:
            yield {"function": function.var, "group": group.name, "level": rng.choice(("high", "low"))}


@family(
    theme="functions",
    knowledge_points=("applying a function", "shares by group"),
    idea="The share of level {level} by {group}, with {function}",
    wordings=(
        "Apply {function} to {column} of {frame}: in each {group}, what fraction of the rows with a known "
        "{column} gets `{level}`? The highest fraction first; {frame} stays as it is.",
        "With {function}, work out for each {group} of {frame} which fraction of the known {column} values is "
        "`{level}`, highest first, without changing {frame}.",
    ),
    propose=propose_use_grade,
    about=("function", "group"),
)
def levels_by_group(board: Board, slots: Slots) -> Task:
    """Apply the function and return shares by group."""
    function = board.result(text_slot(slots, "function"), "level function")
    frame = board.frame(function.facts["frame"])
    column = frame.column(function.facts["column"])
    group, level = column_slot(frame, slots, "group", frame.groups()), text_slot(slots, "level", ("high", "low"))
    other = "low" if level == "high" else "high"
    levels = f"_levels = {at(frame, column)}.dropna().map({function.var})\n"

    def shares(wanted: str) -> str:
        means = f'_levels.eq("{wanted}").groupby({at(frame, group)}).mean()'
        return f'{means}.sort_values(ascending=False).reset_index(name="share")'

    among = (
        f'{frame.var}.loc[_levels.index[_levels == "{level}"], {lit(group)}].value_counts(normalize=True)'
        '.reset_index(name="share")'
    )
    mistakes = [
        Mistake(levels + shares(other), "the other end"),
        Mistake(levels + among, "how the level divides among the groups"),
    ]
    if column.missing:
        everyone = f"_levels = {at(frame, column)}.map({function.var})\n"
        mistakes.append(Mistake(everyone + shares(level), "rows without a value count, too"))
    return Task(
        words={
            "function": code(function.var),
            "frame": code(frame.var),
            "column": code(column.name),
            "group": code(group.name),
            "level": level,
        },
        body=levels.strip(),
        result=shares(level),
        form=Form.RANKING,
        atol=6e-4,
        uses=((function.var, ()), (frame.var, (column.name, group.name))),
        checks=(f'{shares(level)}["share"].round(4).is_unique', f"{at(frame, group)}.value_counts().min() >= 3"),
        mistakes=tuple(mistakes),
        others=(
            f"_known = {frame.var}[{at(frame, column)}.notna()]\n"
            f'_hits = [{function.var}(v) == "{level}" for v in _known[{lit(column)}]]\n'
            f"pd.Series(_hits, index=_known.index).groupby(_known[{lit(group)}]).mean().sort_values(ascending=False)",
        ),
        board=board,
    )


def propose_top_share(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Amounts that add up."""
    for frame in board.crosses():
        for column in [c for c in frame.amounts() if _groups_for(frame, c, 15)][:2]:
            yield {
                "frame": frame.var,
                "column": column.name,
                "count": rng.choice((3, 5)),
                "var": board.free("top_share"),
            }


@family(
    theme="functions",
    knowledge_points=("functions", "shares of the whole"),
    idea="A function {var} for the share that the largest values hold",
    wordings=(
        "Write `{call}`, which tells how concentrated a column is: the fraction of the sum of `values` (a Series "
        "of numbers that are 0 or more) that its `n` largest make up. Missing values do not count; if nothing "
        "adds up to more than 0, return 0.",
        "I need a function `{call}`: given a Series `values` of numbers from 0 on and a count `n`, it returns "
        "which fraction of their sum the `n` largest ones hold. Ignore missing values, and return 0 when the sum "
        "is 0.",
    ),
    propose=propose_top_share,
    about=(),
)
def top_share_function(board: Board, slots: Slots) -> Task:
    """Define a function for the share that the largest values hold."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    column, count = column_slot(frame, slots, "column", frame.amounts()), count_slot(slots, "count")

    def define(
        pick: str = "known.nlargest(n).sum()", whole: str = "known.sum()", known: str = "values.dropna()"
    ) -> str:
        return (
            f"def {var}(values, n):\n    known = {known}\n    whole = {whole}\n"
            f"    return {pick} / whole if whole > 0 else 0"
        )

    cases = [
        ["`pd.Series([5.0, 1.0, 3.0, 1.0])`", 1],
        ["`pd.Series([5.0, 1.0, 3.0, 1.0])`", 2],
        ["`pd.Series([4.0, 4.0, 2.0])`", 2],
        ["`pd.Series([2.0, np.nan, 6.0, 8.0])`", 2],
        ["`pd.Series([1.0, 2.0])`", 5],
        ["`pd.Series([0.0, 0.0])`", 1],
        ["`pd.Series([7, 1, 1, 1], index=[3, 3, 9, 0])`", 2],
    ]
    return Task(
        words={"var": code(var), "call": f"{var}(values, n)"},
        body=define(),
        look=f"{var}({at(frame, column)}, {count})",
        validators={"table_test": {"function_name": var, "test_cases": cases}},
        uses=((frame.var, (column.name,)),),
        mistakes=(
            Mistake(define(pick="known.head(n).sum()"), "the first ones, not the largest"),
            Mistake(define(pick="known.drop_duplicates().nlargest(n).sum()"), "equal values count once"),
            Mistake(
                f"def {var}(values, n):\n    return values.nlargest(n).sum() / values.sum()", "fails where the sum is 0"
            ),
        ),
        others=(
            f"def {var}(values, n):\n    ordered = sorted((float(v) for v in values if v == v), reverse=True)\n"
            "    return sum(ordered[:n]) / sum(ordered) if sum(ordered) else 0.0",
        ),
        conventions=2,
        board=board.with_result(var, "share function", frame=frame.var, column=column.name, count=count),
    )


def propose_use_share(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A function for shares, and groups to use it on."""
    for function in board.results_of("share function"):
        frame = board.frame(function.facts["frame"])
        column = frame.column(function.facts["column"])
        for group in _groups_for(frame, column, 15)[:2]:
            yield {"function": function.var, "group": group.name}


@family(
    theme="functions",
    knowledge_points=("applying a function to groups",),
    idea="{function} of {column} within each {group}",
    wordings=(
        "In which {group} do a few {rows} hold most of {column}? Apply {function} with n = {count} to {column} "
        "of each {group} in {frame}, the highest share first.",
        "Use {function} on {column} of {frame}, separately for each {group} and with n = {count}, and sort the "
        "result from most to least concentrated.",
    ),
    propose=propose_use_share,
    about=("function", "group"),
)
def shares_by_group(board: Board, slots: Slots) -> Task:
    """Apply the function to each group."""
    function = board.result(text_slot(slots, "function"), "share function")
    frame = board.frame(function.facts["frame"])
    column, count = frame.column(function.facts["column"]), function.facts["count"]
    group = column_slot(frame, slots, "group", frame.groups())
    grouped = f"{frame.var}.groupby({lit(group)})[{lit(column)}]"
    end = '.sort_values(ascending=False).reset_index(name="share")'
    whole = f"{at(frame, column)}.sum()"
    return Task(
        words={
            "function": code(function.var),
            "frame": code(frame.var),
            "column": code(column.name),
            "group": code(group.name),
            "count": str(count),
            "rows": noun_of(frame),
        },
        result=f"{grouped}.apply(lambda values: {function.var}(values, {count})){end}",
        form=Form.RANKING,
        atol=6e-4,
        uses=((function.var, ()), (frame.var, (column.name, group.name))),
        checks=(
            f"{grouped}.apply(lambda values: {function.var}(values, {count})).round(4).is_unique",
            f"{grouped}.count().min() >= {4 * count}",
            f"{grouped}.count().max() < 3 * {grouped}.count().min()",  # else it tells sizes only
        ),
        mistakes=(
            Mistake(f"{grouped}.apply(lambda values: {function.var}(values, 1)){end}", "the largest one only"),
            Mistake(
                f"({grouped}.apply(lambda values: values.nlargest({count}).sum()) / {whole}){end}", "shares of all rows"
            ),
        ),
        others=(
            f"_shares = {{name: {function.var}(part, {count}) for name, part in {grouped}}}\n"
            "pd.Series(_shares).sort_values(ascending=False)",
        ),
        board=board,
    )
