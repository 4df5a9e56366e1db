"""Tasks about distributions and relations that take more than one step."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.templates.board import Board, Slots
from authoring.templates.families.analysis.grouping import group_and_number
from authoring.templates.families.columns.deriving import positive
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    list_slot,
    pairs,
    text_slot,
)
from authoring.templates.names_in_words import code, ignoring_missing, literal, names
from authoring.templates.phrasebook import ALL_VALUES, BOTH_KNOWN, KNOWN_VALUES, MEASURES, PAIRS_KNOWN

MAX_RESAMPLED: Final = 2_000  # values: five hundred times as many are drawn


def propose_matrix(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Three numbers."""
    for frame in board.sources(rng)[:2]:
        numbers = board.ordered(rng, frame.numbers(distinct=6))[:3]
        if len(numbers) == 3:
            order = [c.name for c in frame.columns]
            yield {"frame": frame.var, "columns": sorted((c.name for c in numbers), key=order.index)}


@family(
    theme="statistics",
    knowledge_points=("correlation", "correlation matrix"),
    idea="How {columns} go together",
    wordings=(
        "Return the matrix of Pearson correlations between {columns} in {frame}: a DataFrame whose index and "
        "columns are these names in this order, not rounded.",
        "How closely do {columns} in {frame} go together? Return the unrounded Pearson correlation of each pair as "
        "a square DataFrame, rows and columns labelled by column name in the order given.",
    ),
    propose=propose_matrix,
    limit=1,
)
def correlation_matrix(board: Board, slots: Slots) -> Task:
    """Return the correlations of several columns with each other."""
    frame = frame_slot(board, slots)
    columns = [
        column_slot(frame, {"one": name}, "one", frame.numbers(distinct=2)) for name in list_slot(slots, "columns")
    ]
    lacking = any(c.missing for c in columns)
    return Task(
        words={"frame": code(frame.var), "columns": names(c.name for c in columns)},
        result=f"{frame.var}[{literal([c.name for c in columns])}].corr()",
        notes=(PAIRS_KNOWN() if lacking else None,),
        uses=((frame.var, tuple(c.name for c in columns)),),
        cost=0.4,
        board=board,
    )


def propose_line(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two numbers."""
    for frame in board.sources(rng)[:1]:
        numbers = board.ordered(rng, frame.numbers(distinct=8))
        for first, second in pairs(numbers[:4], numbers[:4], 4):
            yield {"frame": frame.var, "x": first.name, "y": second.name}


@family(
    theme="statistics",
    knowledge_points=("linear regression", "least squares"),
    idea="A straight line through {x} and {y}",
    wordings=(
        "Fit a straight line by ordinary least squares that predicts {y} from {x} in {frame}. Return the tuple "
        "(slope, intercept) of two floats, not rounded.",
        "Which line describes {y} as a function of {x} in {frame} best, in the sense of least squares? Return its "
        "slope and its intercept as a tuple of floats without rounding.",
    ),
    propose=propose_line,
    limit=1,
)
def fitted_line(board: Board, slots: Slots) -> Task:
    """Return slope and intercept of the least-squares line."""
    frame = frame_slot(board, slots)
    x, y = (column_slot(frame, slots, key, frame.numbers(distinct=2)) for key in ("x", "y"))
    known = f"{frame.var}.dropna(subset={literal([x.name, y.name])})" if x.missing or y.missing else frame.var
    first, second = f"{known}[{literal(x.name)}]", f"{known}[{literal(y.name)}]"
    return Task(
        words={"frame": code(frame.var), "x": code(x.name), "y": code(y.name)},
        result=f"tuple(np.polyfit({first}, {second}, 1).tolist())",
        notes=(BOTH_KNOWN() if x.missing or y.missing else None,),
        uses=((frame.var, (x.name, y.name)),),
        checks=(f"1e-6 < abs({first}.corr({second})) < 0.9999999", f"abs({first}).max() < 1e7"),
        cost=0.4,
        board=board,
    )


def propose_trimmed(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number of many values."""
    for frame in board.sources(rng)[:2]:
        for column in board.ordered(rng, frame.numbers(distinct=15))[:3]:
            yield {"frame": frame.var, "column": column.name, "levels": rng.choice([[0.05, 0.95], [0.1, 0.9]])}


@family(
    theme="statistics",
    knowledge_points=("quantiles", "trimmed mean", "boolean filtering"),
    idea="The mean of {column} without its extreme values",
    wordings=(
        "Return the mean of those values of {column} in {frame} that lie between its {low} and its {high} "
        "quantile, both ends included (linear interpolation). Do not round.",
        "Leave out the extreme values of {column} in {frame}: keep values from the {low} quantile to the {high} "
        "quantile, both inclusive and with linear interpolation. What is the mean of the values kept? Return one "
        "number, not rounded.",
    ),
    propose=propose_trimmed,
    limit=1,
)
def trimmed_mean(board: Board, slots: Slots) -> Task:
    """Return the mean of the values between two quantiles."""
    frame, levels = frame_slot(board, slots), list_slot(slots, "levels")
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    values = at(frame, column)
    mask = f"{values}.between({values}.quantile({levels[0]}), {values}.quantile({levels[1]}))"
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "low": f"{levels[0]:g}",
            "high": f"{levels[1]:g}",
        },
        result=f"{values}[{mask}].mean()",
        notes=(ignoring_missing([column]),),
        uses=((frame.var, (column.name,)),),
        checks=(f"3 <= ({mask}).sum() < {values}.notna().sum()", f"{values}[{mask}].mean() != {values}.mean()"),
        cost=0.4,
        board=board,
    )


def propose_group_outliers(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column and a number of many values."""
    for var, group, number in group_and_number(board, rng):
        if number.distinct >= 5 * group.distinct and group.distinct <= 8:
            yield {"frame": var, "group": group.name, "number": number.name}


@family(
    theme="statistics",
    knowledge_points=("outliers", "quantiles", "group transform"),
    idea="Unusually large {number} within each {group}",
    wordings=(
        "Call a {number} unusually large if it is greater than Q3 + 1.5 IQR, where Q3 (third quartile) and IQR "
        "(third minus first quartile) are computed with linear interpolation over the rows of {frame} with the "
        "same {group}. Return a Series with the number of such rows for every {group}, 0 included, sorted by its "
        "index.",
        "For each {group} in {frame}, count the rows whose {number} lies above the upper box plot fence of that "
        "{group}: third quartile plus 1.5 times the interquartile range, quartiles with linear interpolation. "
        "Return the counts as a Series in ascending order of {group}, groups with none included as 0.",
    ),
    propose=propose_group_outliers,
    limit=1,
)
def outliers_by_group(board: Board, slots: Slots) -> Task:
    """Count the values of each group that lie above its upper fence."""
    frame = frame_slot(board, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    grouped = f"{frame.var}.groupby({literal(group.name)})[{literal(number.name)}]"
    fences = f'2.5 * {grouped}.transform("quantile", 0.75) - 1.5 * {grouped}.transform("quantile", 0.25)'
    counts = f"({at(frame, number)} > {fences}).groupby({at(frame, group)}).sum()"
    return Task(
        words={"frame": code(frame.var), "group": code(group.name), "number": code(number.name)},
        result=counts,
        notes=(ignoring_missing([group, number]),),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{counts}.sum() >= 2", f"{grouped}.count().min() >= 4"),
        cost=0.8,
        board=board,
    )


def propose_variation(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column and a positive number."""
    for var, group, number in group_and_number(board, rng):
        if positive(number) and number.distinct >= 2 * group.distinct:
            yield {"frame": var, "group": group.name, "number": number.name}


@family(
    theme="statistics",
    knowledge_points=("coefficient of variation", "group and aggregate", "sorting"),
    idea="In which {group} {number} varies most for its size",
    wordings=(
        "For each {group} in {frame}, divide the sample standard deviation (`ddof=1`) of {number} by its mean. "
        "Return a Series indexed by {group}, from the largest ratio to the smallest, not rounded.",
        "Compute the coefficient of variation of {number} per {group} of {frame}, that is, sample standard "
        "deviation (`ddof=1`) over mean, and return an unrounded Series in descending order of value.",
    ),
    propose=propose_variation,
    limit=1,
)
def relative_spread(board: Board, slots: Slots) -> Task:
    """Return the coefficient of variation of each group, largest first."""
    frame = frame_slot(board, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    grouped = f"{frame.var}.groupby({literal(group.name)})[{literal(number.name)}]"
    values = f"({grouped}.std(ddof=1) / {grouped}.mean())"
    return Task(
        words={"frame": code(frame.var), "group": code(group.name), "number": code(number.name)},
        result=f"{values}.sort_values(ascending=False)",
        notes=(ignoring_missing([group, number]),),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{values}.round(9).is_unique", f"{values}.min() > 0", f"{values}.notna().all()"),
        cost=0.4,
        board=board,
    )


def propose_resampling(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number in a table of moderate size."""
    for frame in board.sources(rng)[:1]:
        for column in board.ordered(rng, frame.numbers(distinct=10))[:3] if frame.rows <= MAX_RESAMPLED else []:
            statistic = rng.choice(["mean", "median"])
            yield {"frame": frame.var, "column": column.name, "state": rng.randint(1, 99), "how": statistic}


@family(
    theme="sampling",
    knowledge_points=("bootstrap", "fixed random state", "quantiles"),
    idea="A bootstrap interval for the {how} of {column}",
    wordings=(
        "Estimate how sure we can be of the {how} of {column} in {frame}. Take {known} in row order, say n "
        "of them, draw positions with `numpy.random.default_rng({state}).integers(0, n, size=(500, n))`, and "
        "compute the {how} of each of the 500 resamples. Return their 0.025 and 0.975 quantiles (linear "
        "interpolation) as a list of two floats, not rounded.",
        "Bootstrap the {how} of {column} in {frame} with 500 resamples: the positions (among {known}, n in "
        "number, in row order) come from `numpy.random.default_rng({state}).integers(0, n, size=(500, n))`, one "
        "resample per row. Return the list of the 0.025 and 0.975 quantiles (linear interpolation) of the 500 "
        "results, unrounded.",
    ),
    propose=propose_resampling,
    limit=1,
)
def bootstrap_interval(board: Board, slots: Slots) -> Task:
    """Return a bootstrap interval with a fixed generator."""
    frame, state = frame_slot(board, slots), count_slot(slots, "state")
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    how = text_slot(slots, "how", ("mean", "median"))
    values, places = board.free("known_values"), board.free("places")
    dropped = f"{at(frame, column)}.dropna()" if column.missing else at(frame, column)
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "state": str(state),
            "how": MEASURES[how],
            "known": (KNOWN_VALUES if column.missing else ALL_VALUES)(column=code(column.name)),
        },
        body=(
            f"{values} = {dropped}.to_numpy()\n"
            f"{places} = np.random.default_rng({state}).integers(0, len({values}), size=(500, len({values})))"
        ),
        result=f"np.quantile(np.{how}({values}[{places}], axis=1), [0.025, 0.975]).tolist()",
        uses=((frame.var, (column.name,)),),
        checks=(f"np.{how}({values}[{places}], axis=1).std() > 0",),
        cost=40,
        board=board.with_variable(values, places),
    )
