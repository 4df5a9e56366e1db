"""Families that ask for a function, judged by test cases, and then use it."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.seeds.semantics import Meaning
from authoring.templates.board import Board, Column, Frame, Slots
from authoring.templates.families.classes import is_short
from authoring.templates.families.measures import by_nearness, worth_adding
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
from authoring.templates.phrasebook import LEVELS, WITH_KNOWN, WITHOUT_NOT_COUNTED, class_of
from authoring.templates.phrases import Joint, Listing
from evaluator.errors import ContentError


def _groups_for(frame: Frame, column: Column, smallest: int) -> list[Column]:
    """Return the groups in which a function of a column can be used."""
    groups = frame.groups(most=10)
    able = [g for g in groups if not frame.are_twins(g, column) and (g.smallest or smallest) >= smallest]
    return sorted(able, key=lambda g: -round(frame.tells(g, column), 1))


def propose_grade(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number whose quartiles are known."""
    for frame in board.crosses():
        numbers = [c for c in frame.numbers(distinct=12) if c.about.quantiles and c.made_by == 1]
        for column in sorted(numbers, key=lambda c: c.name != board.focus.measure)[:3]:
            has_classes = any(column.name in c.sources and not c.is_number for c in frame.columns)
            if has_classes or not _groups_for(frame, column, 8):
                continue
            low, high = column.quantile("0.25"), column.quantile("0.75")
            if low is None or high is None or not (is_short(low) and is_short(high)):
                continue
            least, most = column.about.min, column.about.max
            if isinstance(least, int | float) and isinstance(most, int | float) and least < low < high < most:
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
        "From here on we speak of {column} in three levels. Write a function `{call}` for one value that returns "
        "{classes}, and None for a missing value (None or NaN). A value on an edge belongs to the lower level.",
        "We need one rule for low and high {column}: a function `{call}` that returns, for one value, {classes}; a "
        "value that equals an edge gets the lower level, and a missing one (None or NaN) gives None.",
    ),
    propose=propose_grade,
    prepares=True,
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
        "In which {group} is a {level} {column} most common? Apply {function} to {column} of {frame} and give, for "
        "each {group}, the fraction of its {rows}{known} that gets `{level}`, the highest first. {frame} stays as it "
        "is.",
        "With {function}, find out for each {group} of {frame} what fraction of its {rows}{known} has a {level} "
        "{column}, highest first, without changing {frame}.",
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
            "level": LEVELS[level],
            "known": WITH_KNOWN(column=code(column.name)) if column.missing else "",
            "rows": noun_of(frame),
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
        amounts = [] if frame.is_panel else worth_adding(board, frame)
        amounts = [c for c in amounts if c.about.distinct >= 0.2 * frame.rows or c.means.meaning is Meaning.COUNT]
        for column in [c for c in amounts if _groups_for(frame, c, MIN_SHARED)][:2]:  # rates repeat, sums hardly do
            yield {
                "frame": frame.var,
                "column": column.name,
                "percent": rng.choice((10, 20)),
                "var": board.free("top_share"),
            }


MIN_SHARED: Final = 30  # rows of a group of which a tenth is asked for


@family(
    theme="functions",
    knowledge_points=("functions", "shares of the whole"),
    idea="A function {var} for the share that the largest values hold",
    wordings=(
        "Write `{call}`, which tells how concentrated amounts are: the part of the sum of `values` (a Series of "
        "numbers from 0 on) that its largest values hold, where `fraction` says how many of them count (0.1: a tenth "
        "of the values, rounded down, but at least one). Missing values are left out; if the sum is 0, return 0.",
        "I need a function `{call}` that measures concentration. Of the known values in the Series `values` (all 0 or "
        "more) take the given `fraction` that is largest, rounded down to a whole number of values but at least one, "
        "and return their sum divided by the sum of all. Return 0 when that is 0.",
    ),
    propose=propose_top_share,
    prepares=True,
    about=(),
)
def top_share_function(board: Board, slots: Slots) -> Task:
    """Define a function for the share that the largest values hold."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    column, percent = column_slot(frame, slots, "column", frame.amounts()), count_slot(slots, "percent")

    def define(
        pick: str = "known.nlargest(count).sum()",
        count: str = "max(int(len(known) * fraction), 1)",
        known: str = "values.dropna()",
    ) -> str:
        return (
            f"def {var}(values, fraction):\n    known = {known}\n    count = {count}\n"
            f"    return {pick} / known.sum() if known.sum() > 0 else 0"
        )

    cases: list[list[Any]] = [
        ["`pd.Series([5.0, 1.0, 3.0, 1.0])`", 0.25],
        ["`pd.Series([5.0, 1.0, 3.0, 1.0])`", 0.5],
        ["`pd.Series([1.0, 1.0, 5.0, 5.0, 2.0])`", 0.5],
        ["`pd.Series([1.0, 4.0, 4.0, 2.0, 1.0])`", 0.4],
        ["`pd.Series([2.0, np.nan, 6.0, 8.0, np.nan])`", 0.5],
        ["`pd.Series([3.0, 1.0])`", 0.1],
        ["`pd.Series([0.0, 0.0])`", 0.5],
        ["`pd.Series([1, 1, 1, 7], index=[3, 3, 9, 0])`", 0.25],
    ]
    return Task(
        words={"var": code(var), "call": f"{var}(values, fraction)"},
        body=define(),
        look=f"{var}({at(frame, column)}, {percent / 100})",
        validators={"table_test": {"function_name": var, "test_cases": cases}},
        uses=((frame.var, (column.name,)),),
        mistakes=(
            Mistake(define(pick="known.head(count).sum()"), "the first ones, not the largest"),
            Mistake(define(count="max(int(len(values) * fraction), 1)"), "missing values count, too"),
            Mistake(define(count="int(len(known) * fraction)"), "none of a few values"),
            Mistake(define(count="max(round(len(known) * fraction + 0.5), 1)"), "rounded up"),
        ),
        others=(
            f"def {var}(values, fraction):\n    ordered = sorted((float(v) for v in values if v == v), reverse=True)\n"
            "    top = ordered[: max(int(fraction * len(ordered)), 1)]\n"
            "    return sum(top) / sum(ordered) if sum(ordered) else 0.0",
        ),
        conventions=3,
        board=board.with_result(var, "share function", frame=frame.var, column=column.name, percent=percent),
    )


def propose_use_share(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A function for shares, and groups to use it on."""
    for function in board.results_of("share function"):
        frame = board.frame(function.facts["frame"])
        column = frame.column(function.facts["column"])
        for group in _groups_for(frame, column, MIN_SHARED)[:2]:
            yield {"function": function.var, "group": group.name}


@family(
    theme="functions",
    knowledge_points=("applying a function to groups",),
    idea="{function} of {column} within each {group}",
    wordings=(
        "Where do a few {rows} hold most of {column}? Apply {function} to {column} of each {group} in {frame} for the "
        "top {percent} %, the highest share first.",
        "In which {group} is {column} most concentrated? Use {function} with a fraction of {fraction} on the {rows} of "
        "each {group} of {frame}, and put the highest share first.",
    ),
    propose=propose_use_share,
    about=("function", "group"),
)
def shares_by_group(board: Board, slots: Slots) -> Task:
    """Apply the function to each group."""
    function = board.result(text_slot(slots, "function"), "share function")
    frame = board.frame(function.facts["frame"])
    column, percent = frame.column(function.facts["column"]), function.facts["percent"]
    group = column_slot(frame, slots, "group", frame.groups())
    fraction = percent / 100
    grouped = f"{frame.var}.groupby({lit(group)})[{lit(column)}]"
    end = '.sort_values(ascending=False).reset_index(name="share")'
    whole = f"{at(frame, column)}.sum()"
    shares = f"{grouped}.apply(lambda values: {function.var}(values, {fraction}))"
    return Task(
        words={
            "function": code(function.var),
            "frame": code(frame.var),
            "column": code(column.name),
            "group": code(group.name),
            "percent": str(percent),
            "fraction": str(fraction),
            "rows": noun_of(frame),
        },
        result=f"{shares}{end}",
        form=Form.RANKING,
        atol=6e-4,
        uses=((function.var, ()), (frame.var, (column.name, group.name))),
        checks=(
            f"{shares}.round(4).is_unique",
            f"{shares}.max() > {1.5 * fraction}",  # else nothing is concentrated
            f"{grouped}.count().min() >= {MIN_SHARED}",
        ),
        mistakes=(
            Mistake(f"{grouped}.apply(lambda values: {function.var}(values, {fraction / 2})){end}", "half as many"),
            Mistake(
                f"({grouped}.apply(lambda values: {function.var}(values, {fraction}) * values.sum()) / {whole}){end}",
                "shares of all rows",
            ),
        ),
        others=(
            f"_shares = {{name: {function.var}(part, {fraction}) for name, part in {grouped}}}\n"
            "pd.Series(_shares).sort_values(ascending=False)",
        ),
        board=board,
    )


def propose_effect(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """The measure of the set, and groups to be compared with all others."""
    for frame in board.crosses():
        numbers = [] if frame.is_series else by_nearness(board, frame.levels(distinct=12))
        for column in numbers[:1]:
            if _groups_for(frame, column, MIN_COMPARED):
                yield {"frame": frame.var, "column": column.name, "var": board.free("effect_size")}


MIN_COMPARED: Final = 8  # rows of a group whose deviation is worth a figure


@family(
    theme="functions",
    knowledge_points=("functions", "effect sizes", "pooled variance"),
    idea="A function {var} for the distance of two groups in standard deviations",
    wordings=(
        "A difference of means says little without the spread. Write `{call}`, which returns Cohen's d of two Series: "
        "the mean of `first` minus the mean of `second`, divided by their pooled standard deviation (the sample "
        "variances, `ddof=1`, weighted by their degrees of freedom). Missing values are left out.",
        "Write a function `{call}` for effect sizes (Cohen's d): the difference of the means of two Series, `first` "
        "minus `second`, in units of the pooled standard deviation. Pool the sample variances (`ddof=1`) by degrees "
        "of freedom, and leave missing values out.",
    ),
    propose=propose_effect,
    prepares=True,
    about=(),
)
def effect_function(board: Board, slots: Slots) -> Task:
    """Define a function for Cohen's d."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    column = column_slot(frame, slots, "column", frame.numbers())

    def define(
        pooled: str = "((len(a) - 1) * a.var() + (len(b) - 1) * b.var()) / (len(a) + len(b) - 2)",
        known: str = "first.dropna(), second.dropna()",
        top: str = "a.mean() - b.mean()",
    ) -> str:
        return (
            f"def {var}(first, second):\n    a, b = {known}\n    pooled = {pooled}\n    return ({top}) / pooled ** 0.5"
        )

    cases = [
        ["`pd.Series([5.0, 7.0, 9.0, 6.0])`", "`pd.Series([1.0, 2.0, 6.0])`"],
        ["`pd.Series([1.0, 2.0])`", "`pd.Series([2.0, 4.0, 9.0, 3.0, 1.0])`"],
        ["`pd.Series([3.0, np.nan, 4.0, 8.0])`", "`pd.Series([1.0, 5.0, np.nan, np.nan, 2.0, 2.0])`"],
        ["`pd.Series([10, 12, 14], index=[7, 7, 1])`", "`pd.Series([11, 30, 16, 8])`"],
    ]
    return Task(
        words={"var": code(var), "call": f"{var}(first, second)"},
        body=define(),
        look=f"{var}({at(frame, column)}, {at(frame, column)} * 2)",
        validators={"table_test": {"function_name": var, "test_cases": cases}},
        uses=((frame.var, (column.name,)),),
        mistakes=(
            Mistake(define("(a.var() + b.var()) / 2"), "the two variances count alike"),
            Mistake(define("pd.concat([a, b]).var()"), "the deviation of all values together"),
            Mistake(define(known="first, second"), "missing values are counted"),
            Mistake(define(top="b.mean() - a.mean()"), "the other way round"),
        ),
        others=(
            f"def {var}(first, second):\n"
            "    a, b = (np.asarray(one, dtype=float) for one in (first, second))\n"
            "    a, b = a[~np.isnan(a)], b[~np.isnan(b)]\n"
            "    squares = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()\n"
            "    return float((a.mean() - b.mean()) / np.sqrt(squares / (a.size + b.size - 2)))",
        ),
        conventions=3,
        board=board.with_result(var, "effect function", frame=frame.var, column=column.name),
    )


def propose_effects(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A function for effect sizes, and groups to compare with all others."""
    for function in board.results_of("effect function"):
        frame = board.frame(function.facts["frame"])
        groups = _groups_for(frame, frame.column(function.facts["column"]), MIN_COMPARED)
        for group in [g for g in groups if g.about.distinct >= 3][:3]:
            yield {"function": function.var, "group": group.name}


@family(
    theme="functions",
    knowledge_points=("applying a function to groups", "a group against the rest"),
    idea="{function} of {column} for each {group} against all others",
    wordings=(
        "How far does each {group} stand out from the rest in {column}? For each {group} of {frame}, let {function} "
        "compare its {rows} with all other {rows}, and list the results, highest first.",
        "Compare each {group} with all other {rows} of {frame} by {function} of {column}: its own {rows} are the first "
        "argument, the others the second. Highest value first.",
    ),
    propose=propose_effects,
    about=("function", "group"),
)
def effects_by_group(board: Board, slots: Slots) -> Task:
    """Apply the function to each group and the rest."""
    function = board.result(text_slot(slots, "function"), "effect function")
    frame = board.frame(function.facts["frame"])
    column = frame.column(function.facts["column"])
    group = column_slot(frame, slots, "group", frame.groups())
    of_group, values = at(frame, group), at(frame, column)

    def effects(call: str) -> str:
        return (
            f"_effects = {{\n    name: {call}\n    for name in {of_group}.dropna().unique()\n}}\n"
            f'pd.Series(_effects).sort_values(ascending=False).rename_axis({lit(group)}).reset_index(name="d")'
        )

    right = f"{function.var}({values}[{of_group} == name], {values}[{of_group}.notna() & ({of_group} != name)])"
    return Task(
        words={
            "function": code(function.var),
            "frame": code(frame.var),
            "column": code(column.name),
            "group": code(group.name),
            "rows": noun_of(frame),
        },
        body=effects(right).rsplit("\n", 1)[0],
        result=effects(right).rsplit("\n", 1)[1],
        form=Form.RANKING,
        atol=6e-3,
        notes=(WITHOUT_NOT_COUNTED(columns=code(group.name)) if group.missing else None,),
        uses=((function.var, ()), (frame.var, (column.name, group.name))),
        checks=(
            "pd.Series(_effects).round(3).is_unique",
            "pd.Series(_effects).abs().max() >= 0.2",  # else nothing differs
            f"{frame.var}.groupby({lit(group)})[{lit(column)}].count().min() >= {MIN_COMPARED}",
        ),
        mistakes=(
            Mistake(effects(right.replace(f"{of_group}.notna() & ({of_group} != name)", f"{of_group}.notna()")), "all"),
            Mistake(
                effects(f"{values}[{of_group} == name].mean() - {values}[{of_group} != name].mean()"),
                "plain differences",
            ),
            Mistake(
                effects(f"{function.var}({values}[{of_group} != name], {values}[{of_group} == name])"),
                "the other way round",
            ),
        ),
        others=(
            f"_known = {frame.var}.dropna(subset=[{lit(group)}])\n"
            f"_rows = [(name, {function.var}(part, _known.drop(part.index)[{lit(column)}]))\n"
            f"         for name, part in _known.groupby({lit(group)})[{lit(column)}]]\n"
            f'pd.DataFrame(_rows, columns=[{lit(group)}, "d"]).sort_values("d", ascending=False)',
        ),
        board=board,
    )
