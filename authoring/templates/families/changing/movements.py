"""Families about how a series moves: the size of its changes, falls from a peak, what comes before what."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Column, Frame, Slots
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    family,
    frame_slot,
    lit,
    rounding,
    text_slot,
)
from authoring.templates.names_in_words import code, names
from authoring.templates.phrasebook import SAMPLE_DEVIATION


def changes_of(board: Board) -> list[Frame]:
    """Return the frame of changes of the main series, if an earlier problem made one."""
    mains = board.mains()
    if not mains or not mains[0].is_series:
        return []
    return [f for f in board.frames.values() if f.made_by > 1 and f.table == mains[0].table and not f.order]


def propose_movement(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Changes of several columns."""
    for frame in changes_of(board):
        if len(frame.numbers()) >= 2:
            yield {"frame": frame.var, "var": board.free("movement")}


@family(
    theme="time",
    knowledge_points=("volatility", "aggregation of columns"),
    idea="How much each column of {frame} moves, as {var}",
    wordings=(
        "Which of them moves most? Store as {var} one row for each column of {frame}, with `column`, `mean` and "
        "`std` of its changes and `rises`, the fraction of rows in which it rose. {deviation}",
        "Describe the changes: {var} shall have the columns `column`, `mean`, `std` and `rises` (the fraction of "
        "changes above 0), one row for each of {columns} in {frame}. {deviation}",
    ),
    propose=propose_movement,
    about=("frame",),
)
def movement_table(board: Board, slots: Slots) -> Task:
    """Store mean, deviation and share of rises of each column of changes."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")

    def table(deviation: str = f"{frame.var}.std()", rises: str = f"({frame.var} > 0).mean()") -> str:
        return (
            f'{var} = pd.DataFrame({{"mean": {frame.var}.mean(), "std": {deviation}, "rises": {rises}}})\n'
            f'{var} = {var}.rename_axis("column").reset_index()'
        )

    return Task(
        words={
            "frame": code(frame.var),
            "columns": names(c.name for c in frame.columns),
            "var": code(var),
            "deviation": SAMPLE_DEVIATION(),
        },
        body=table(),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=6e-4,
        uses=((frame.var, ()),),
        checks=(f'{var}["std"].is_unique', f'{var}["rises"].between(0.02, 0.98).any()'),
        mistakes=(
            Mistake(table(rises=f"({frame.var} > 0).sum()"), "counts"),
            Mistake(table(rises=f"({frame.var} < 0).mean()"), "falls"),
            Mistake(table(deviation=f"{frame.var}.abs().mean()"), "mean sizes"),
        ),
        others=(
            f"_rows = [(n, v.mean(), v.std(ddof=1), (v > 0).sum() / len(v)) for n, v in {frame.var}.items()]\n"
            f'{var} = pd.DataFrame(_rows, columns=["column", "mean", "std", "rises"])',
        ),
        conventions=1,
        board=board.with_result(var, "movement", frame=frame.var),
    )


def propose_restless(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of movements."""
    for table in board.results_of("movement"):
        yield {"table": table.var}


@family(
    theme="time",
    knowledge_points=("extremes of a table", "ratios"),
    idea="The most restless column of {table} against the calmest",
    wordings=(
        "From {table}: which column has the largest `std`, which the smallest, and how many times as large is "
        "the former?",
        "Name the most restless and the calmest column of {table} by `std`, and the ratio of the two deviations.",
    ),
    propose=propose_restless,
    about=("table",),
)
def most_restless(board: Board, slots: Slots) -> Task:
    """Return the columns with the largest and smallest deviation and their ratio."""
    var = board.result(text_slot(slots, "table"), "movement").var
    ordered = f'_ordered = {var}.sort_values("std")\n'
    high, low = '_ordered["column"].iloc[-1]', '_ordered["column"].iloc[0]'
    ratio = '_ordered["std"].iloc[-1] / _ordered["std"].iloc[0]'
    return Task(
        words={"table": code(var)},
        body=ordered.strip(),
        result=f"({high}, {low}, {ratio})",
        form=Form.VALUE,
        rtol=5e-3,
        uses=((var, ()),),
        checks=("len(_ordered) >= 3", '_ordered["std"].iloc[0] > 0', f"{ratio} > 1.02"),
        mistakes=(
            Mistake(f"{ordered}({low}, {high}, {ratio})", "the names change places"),
            Mistake(f"{ordered}({high}, {low}, 1 / ({ratio}))", "upside down"),
        ),
        others=(f'_std = {var}.set_index("column")["std"]\n[_std.idxmax(), _std.idxmin(), _std.max() / _std.min()]',),
        board=board,
    )


def propose_lag(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Changes of two columns of which one may come first."""
    for frame in changes_of(board):
        numbers = sorted(frame.numbers(), key=lambda c: c.name != board.focus.measure)
        for other in numbers[1:3]:
            yield {"frame": frame.var, "first": other.name, "then": numbers[0].name}


@family(
    theme="time",
    knowledge_points=("lagged correlation",),
    idea="Whether {first} moves before {then}",
    wordings=(
        "Does {first} run ahead of {then}? Give the Pearson correlation of each change of {then} in {frame} with "
        "the change of {first} in the same row, one row before and two rows before, in this order.",
        "Check in {frame} whether {then} follows {first}: the Pearson correlation of {then} with {first} shifted "
        "by 0, 1 and 2 rows, so that {then} is compared with earlier values of {first}.",
    ),
    propose=propose_lag,
    about=("first", "then"),
)
def lagged_correlation(board: Board, slots: Slots) -> Task:
    """Return correlations with earlier changes."""
    frame = frame_slot(board, slots)
    first, then = column_slot(frame, slots, "first"), column_slot(frame, slots, "then")

    def lags(sign: str = "", method: str = "") -> str:
        return f"[{at(frame, then)}.corr({at(frame, first)}.shift({sign}lag){method}) for lag in range(3)]"

    return Task(
        words={"frame": code(frame.var), "first": code(first.name), "then": code(then.name)},
        result=lags(),
        form=Form.VALUES,
        atol=6e-4,
        uses=((frame.var, (first.name, then.name)),),
        checks=(f"np.isfinite({lags()}).all()",),
        mistakes=(
            Mistake(lags("-"), "compares with later values"),
            Mistake(lags(method=', method="spearman"'), "rank correlations"),
            Mistake(
                f"[{at(frame, first)}.corr({at(frame, then)}.shift(lag)) for lag in range(3)]", "the other way round"
            ),
        ),
        others=(
            f"_a, _b = {at(frame, first)}.to_numpy(), {at(frame, then)}.to_numpy()\n"
            "tuple(np.corrcoef(_a[: len(_a) - k], _b[k:])[0, 1] for k in range(3))",
        ),
        board=board,
    )


def _series(board: Board) -> Iterator[tuple[Frame, Column]]:
    for frame in board.mains():
        if frame.is_series and len(frame.order) == 1:
            yield frame, frame.column(frame.order[0])


def propose_drawdown(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A series of positive numbers."""
    for frame, time in _series(board):
        for number in sorted(frame.levels(), key=lambda c: c.name != board.focus.measure)[:2]:
            low = number.about.min
            if number.made_by == 1 and not number.missing and isinstance(low, int | float) and low > 0:
                yield {"frame": frame.var, "time": time.name, "number": number.name}


@family(
    theme="time",
    knowledge_points=("running maximum", "drawdown"),
    idea="The deepest fall of {number} below its earlier peak",
    wordings=(
        "How deep did {number} ever fall below its highest value so far? Go through {frame} in order of {time} "
        "and return the {time} at which it was farthest below its running maximum, and by how many percent of "
        "that maximum.",
        "Find the largest drawdown of {number} in {frame}, in order of {time}: when was it, and how many percent "
        "below the highest value up to then?",
    ),
    propose=propose_drawdown,
    about=("number",),
)
def deepest_drawdown(board: Board, slots: Slots) -> Task:
    """Return when a series was farthest below its running maximum, and by how much."""
    frame = frame_slot(board, slots)
    time, number = column_slot(frame, slots, "time"), column_slot(frame, slots, "number", frame.numbers())
    line = f"_line = {frame.var}.sort_values({lit(time)}).set_index({lit(time)})[{lit(number)}]\n"
    fall = "_fall = (1 - _line / _line.cummax()) * 100\n"
    return Task(
        words={"frame": code(frame.var), "time": code(time.name), "number": code(number.name)},
        body=(line + fall).strip(),
        result="(_fall.idxmax(), _fall.max())",
        form=Form.VALUE,
        atol=0.006,
        uses=((frame.var, (time.name, number.name)),),
        checks=("_fall.max() > 0.1", "(_fall == _fall.max()).sum() == 1"),
        mistakes=(
            Mistake(line + "(_line.idxmin(), (1 - _line.min() / _line.max()) * 100)", "lowest against highest value"),
            Mistake(line + "_step = _line.pct_change() * 100\n(_step.idxmin(), -_step.min())", "the largest step"),
            Mistake(line + "_gap = _line.cummax() - _line\n(_gap.idxmax(), _gap.max())", "not in percent"),
        ),
        others=(
            f"_rows = {frame.var}.sort_values({lit(time)})\n_peak, _worst = -np.inf, (-1.0, None)\n"
            f"for _when, _value in zip(_rows[{lit(time)}], _rows[{lit(number)}]):\n"
            "    _peak = max(_peak, _value)\n"
            "    _worst = max(_worst, ((_peak - _value) / _peak * 100, _when), key=lambda one: one[0])\n"
            "[_worst[1], _worst[0]]",
        ),
        board=board,
    )


def propose_smooth_peak(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A smoothed column that an earlier problem made."""
    for frame, time in _series(board):
        for column in frame.numbers():
            if column.made_by > 1 and len(column.sources) == 1 and column.name.endswith("_smooth"):
                yield {"frame": frame.var, "time": time.name, "smooth": column.name, "raw": column.sources[0]}


@family(
    theme="time",
    knowledge_points=("extreme of a smoothed series", "comparison with the raw values"),
    idea="When {smooth} peaked, and where {raw} stood then",
    wordings=(
        "When did {smooth} of {frame} peak, and how far was {raw} above or (negative) below it in that row? "
        "Return the {time} and the difference.",
        "Return the {time} of the highest {smooth} in {frame}, and {raw} minus {smooth} in the same row.",
    ),
    propose=propose_smooth_peak,
    about=("smooth",),
)
def peak_of_smooth(board: Board, slots: Slots) -> Task:
    """Return when a smoothed column peaked and the raw value's distance."""
    frame = frame_slot(board, slots)
    time, smooth = column_slot(frame, slots, "time"), column_slot(frame, slots, "smooth")
    raw = column_slot(frame, slots, "raw")
    row = f"_row = {frame.var}.loc[{at(frame, smooth)}.idxmax()]"
    gap = f"_row[{lit(raw)}] - _row[{lit(smooth)}]"
    other = f"_row = {frame.var}.loc[{at(frame, raw)}.idxmax()]"
    return Task(
        words={"frame": code(frame.var), "time": code(time.name), "smooth": code(smooth.name), "raw": code(raw.name)},
        body=row,
        result=f"(_row[{lit(time)}], {gap})",
        form=Form.VALUE,
        atol=rounding(raw.about.mean),
        uses=((frame.var, (time.name, smooth.name, raw.name)),),
        checks=(f"({at(frame, smooth)} == {at(frame, smooth)}.max()).sum() == 1", f"abs({gap}) > 1e-6"),
        mistakes=(
            Mistake(f"{other}\n(_row[{lit(time)}], {gap})", "the peak of the raw values", may_agree=True),
            Mistake(f"{row}\n(_row[{lit(time)}], -({gap}))", "the sign the other way round"),
        ),
        others=(
            f"_top = {frame.var}.sort_values({lit(smooth)}, ascending=False).iloc[0]\n"
            f"[_top[{lit(time)}], _top[{lit(raw)}] - _top[{lit(smooth)}]]",
        ),
        board=board,
    )
