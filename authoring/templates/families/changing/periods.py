"""Families about change over time: a table of periods, and what can be read off it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnRole
from authoring.seeds.semantics import AddsUp, Meaning
from authoring.templates.board import MEAN_ROWS, Board, Column, Frame, Slots
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    list_slot,
    lit,
    noun_of,
    rounding,
    text_slot,
)
from authoring.templates.made_columns import made_number
from authoring.templates.names_in_words import code, literal, names, slug
from authoring.templates.phrasebook import (
    CHANGES,
    PERIOD_OF,
    PERIODS,
    STATISTICS,
    WRITTEN_PERIODS,
)

TABLES: Final[Mapping[str, str]] = {"year": "yearly", "quarter": "quarterly", "month": "monthly", "day": "daily"}


GRAINS: Final = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")


MIN_PERIODS: Final = 8


@dataclass(frozen=True)
class Periods:
    """How the rows of a frame fall into periods."""

    time: Column
    period: str  # year, quarter, month, day
    count: int  # how many there are, roughly

    def key(self, frame: Frame) -> str:
        """Return the code that gives each row its period."""
        column = at(frame, self.time)
        if self.time.about.role is not ColumnRole.DATE:
            return column
        return {
            "year": f"{column}.dt.year",
            "quarter": f'{column}.dt.to_period("Q").astype(str)',
            "month": f'{column}.dt.strftime("%Y-%m")',
            "day": f"{column}.dt.normalize()",
        }[self.period]


def periods_of(frame: Frame) -> Iterator[Periods]:
    """Yield the periods into which the rows of a frame can be put together, coarse enough to hold several rows each."""
    for time in frame.times():
        about = time.about
        if about.role is not ColumnRole.DATE:
            if MIN_PERIODS <= about.distinct <= frame.rows / 2 and not _has_holes(about.min, about.max, about.distinct):
                yield Periods(time, "year", about.distinct)
            continue
        years = about.span_days / 365.25
        counts = {"day": about.days, "month": about.months, "quarter": round(years * 4), "year": round(years) + 1}
        own = GRAINS.index(time.means.granularity) if time.means.granularity in GRAINS else GRAINS.index("day")
        for period in ("month", "quarter", "year", "day"):
            is_coarser = GRAINS.index(period) >= own
            if time.means.granularity == period == "year" and about.distinct < counts[period]:
                continue  # years are left out
            if is_coarser and MIN_PERIODS <= counts[period] <= min(400, frame.rows / 2):
                yield Periods(time, period, counts[period])


def _has_holes(first: object, last: object, count: int) -> bool:
    """Return whether numbers of years leave some out; every second or fourth year is none."""
    if not isinstance(first, int | float) or not isinstance(last, int | float) or count < 2:
        return False
    return not ((last - first) / (count - 1)).is_integer()


def propose_periods(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number and a time that can be put together by longer periods."""
    for frame in board.mains():
        numbers = sorted(frame.levels(), key=lambda c: c.name != board.focus.measure)
        for periods in periods_of(frame):
            for number in numbers[:3]:
                how = _how(frame, number, periods)
                var = board.free(TABLES[periods.period])
                yield {"frame": frame.var, "time": periods.time.name, "number": number.name, "how": how} | {
                    "period": periods.period,
                    "var": var,
                }


def _how(frame: Frame, number: Column, periods: Periods) -> str:
    """Return how rows of one period are put together: added up only where that says something."""
    adds_up = number.means.adds_up
    same_moment = periods.time.about.role is not ColumnRole.DATE and bool(frame.entity)
    return "sum" if adds_up is AddsUp.YES or (adds_up is AddsUp.AT_ONE_TIME and same_moment) else "mean"


def _whole_ends(sizes: str) -> tuple[str, ...]:
    """Return the check that the first and the last period are no mere parts, whose totals would be too low."""
    return tuple(f"{sizes}.iloc[{end}] >= 0.7 * {sizes}.iloc[{beside}]" for end, beside in ((0, 1), (-1, -2)))


def _even_steps(var: str, column: str, period: str) -> tuple[str, ...]:
    """Return the check that periods follow one another in even steps: every year, every second year.

    Days may be left out, as those without trading are.
    """
    values = f"{var}[{literal(column)}]"
    steps = {
        "year": f"{values}.astype(int)",
        "month": f'pd.Series(pd.PeriodIndex({values}, freq="M").astype("int64"))',
        "quarter": f'pd.Series(pd.PeriodIndex({values}, freq="Q").astype("int64"))',
    }
    return (f"{steps[period]}.diff().dropna().nunique() == 1",) if period in steps else ()


@family(
    theme="time",
    knowledge_points=("grouping by period", "dates"),
    idea="The {how} of {number} by {period}, as {var}",
    wordings=(
        "How did {number} develop? Build {var}, one row per {period} that occurs in {frame}, in order of time, "
        "with the columns {column}{written} and `{how_name}`, the {how} of {number} in that {period}.",
        "Put the {rows} of {frame} together by {by}: a DataFrame {var}, sorted by time, with {column}{written} and "
        "the {how} of {number} as `{how_name}`.",
    ),
    propose=propose_periods,
    about=("number", "period"),
)
def period_table(board: Board, slots: Slots) -> Task:
    """Store one number for each period."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    number = column_slot(frame, slots, "number", frame.numbers())
    how, period = text_slot(slots, "how", ("sum", "mean")), text_slot(slots, "period", tuple(TABLES))
    time = column_slot(frame, slots, "time", frame.times())
    periods = next((p for p in periods_of(frame) if p.time.name == time.name and p.period == period), None)
    key = (periods or Periods(time, period, MIN_PERIODS)).key(frame)
    name = f"{'total' if how == 'sum' else 'mean'}_{slug(number.name) or 'value'}"
    dated = time.about.role is ColumnRole.DATE
    column = period if dated else time.name

    def table(grouped: str, statistic: str) -> str:
        by = f"{grouped}.rename({literal(column)})"
        return (
            f"{var} = (\n    {frame.var}.groupby({by})[{lit(number)}].{statistic}()\n"
            f"    .rename({literal(name)}).reset_index().sort_values({literal(column)}, ignore_index=True)\n)"
        )

    wrong = "mean" if how == "sum" else "sum"
    mistakes = [Mistake(table(key, wrong), f"the {wrong} of each {period}"), Mistake(table(key, "max"), "the maximum")]
    if dated and period == "month":
        mistakes.append(Mistake(table(f"{at(frame, time)}.dt.month", how), "months of all years fall together"))
    typical = (number.about.mean or 1.0) * (
        frame.rows / max((periods.count if periods else 1), 1) if how == "sum" else 1
    )
    written = WRITTEN_PERIODS[period]() if dated and period in WRITTEN_PERIODS else ""
    drop = f"{frame.var}.dropna(subset=[{lit(time)}])"
    return Task(
        words={
            "frame": code(frame.var),
            "number": code(number.name),
            "by": PERIOD_OF(period=PERIODS[period], time=code(time.name)) if dated else code(time.name),
            "period": PERIODS[period],
            "how": STATISTICS[how],
            "how_name": name,
            "column": code(column),
            "written": written,
            "var": code(var),
            "rows": noun_of(frame),
        },
        body=table(key, how),
        stores=(var,),
        stored_form=Form.RANKING,
        atol=rounding(typical),
        uses=((frame.var, (number.name, time.name)),),
        checks=(
            f"len({var}) >= {MIN_PERIODS}",
            f'{var}["{name}"].notna().all()',
            *_even_steps(var, column, period),
            *(_whole_ends(f"{frame.var}.groupby({key}).size()") if how == "sum" else ()),
            *(
                ()
                if frame.is_series or frame.is_panel
                else (f"{frame.var}.groupby({key}).size().min() >= {MEAN_ROWS}",)
            ),
        ),
        mistakes=tuple(mistakes),
        others=(
            f"_copy = {drop}.assign(**{{{literal(column)}: {key}}})\n"
            f"{var} = _copy.pivot_table(index={literal(column)}, values={lit(number)}, "
            f"aggfunc={literal(how)}).reset_index()\n{var}.columns = [{literal(column)}, {literal(name)}]",
        ),
        board=board.with_result(
            var,
            "period table",
            frame=frame.var,
            number=number.name,
            period=period,
            column=column,
            value=name,
            typical=typical,
            count=periods.count if periods else MIN_PERIODS,
            low=number.about.min,
            dated=dated,
        ),
    )


def propose_own_series(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table with one row for each period already."""
    for frame in board.mains():
        for time in [c for c in frame.times() if c.name in frame.order][:1]:
            if not frame.is_series or time.missing or frame.rows < 3 * MIN_PERIODS:
                continue
            for number in sorted(frame.levels(), key=lambda c: c.name != board.focus.measure)[:2]:
                if number.missing <= 0.1 * frame.rows:
                    yield {
                        "frame": frame.var,
                        "time": time.name,
                        "number": number.name,
                        "window": _window(time),
                        "new": f"{slug(number.name) or 'value'}_smooth",
                    }


def propose_changes(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A series of several numbers whose changes can be compared where their levels cannot."""
    for frame in board.mains():
        times = [c for c in frame.times() if c.name in frame.order]
        numbers = [c for c in frame.numbers(distinct=12) if c.made_by == 1 and not c.missing]
        if frame.is_series and times and len(numbers) >= 2:
            positive = all(isinstance(c.about.min, int | float) and c.about.min > 0 for c in numbers[:6])
            yield {
                "frame": frame.var,
                "time": times[0].name,
                "numbers": [c.name for c in numbers[:6]],
                "how": "percent" if positive else "difference",
                "var": board.free("changes"),
            }


@family(
    theme="measures",
    knowledge_points=("changes between rows", "order of rows"),
    idea="The changes of {numbers} from row to row, as {var}",
    wordings=(
        "Levels that both rise look related even when they are not, so let us work with changes: {var} shall "
        "hold, for {numbers}, the change of each row of {frame} against the row before in order of {time}, "
        "{how}, without the first row, which has none.",
        "Make a DataFrame {var} with the columns {numbers}: how much each changed since the row before it in "
        "{frame}, in order of {time} and {how}. Leave out the first row, for which there is no change.",
    ),
    propose=propose_changes,
    prepares=True,
    about=(),
)
def changes_of_series(board: Board, slots: Slots) -> Task:
    """Store the changes of several columns of a series."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    time, how = column_slot(frame, slots, "time", frame.times()), text_slot(slots, "how", tuple(CHANGES))
    numbers = [frame.column(str(name)) for name in list_slot(slots, "numbers")]
    chosen = literal([c.name for c in numbers])
    ordered = f"{frame.var}.sort_values({_order(frame, time)})[{chosen}]"
    percent, plain = f"{ordered}.pct_change() * 100", f"{ordered}.diff()"
    right, wrong = (percent, plain) if how == "percent" else (plain, percent)

    def table(change: str) -> str:
        return f"{var} = ({change}).iloc[1:].reset_index(drop=True)"

    columns = [made_number(board, c.name, Meaning.MEASURE, typical=1.0) for c in numbers]
    made = Frame(var=var, columns=tuple(columns), rows=frame.rows - 1, table=frame.table, made_by=board.step)
    same = f"np.log({ordered}).diff().apply(np.expm1) * 100" if how == "percent" else f"{ordered} - {ordered}.shift(1)"
    return Task(
        words={
            "frame": code(frame.var),
            "time": names(frame.order or [time.name]),
            "numbers": names(c.name for c in numbers),
            "how": CHANGES[how],
            "var": code(var),
        },
        body=table(right),
        stores=(var,),
        stored_form=Form.RANKING,
        atol=6e-3 if how == "percent" else rounding(*(abs(c.about.mean or 1) / 100 for c in numbers)),
        uses=((frame.var, (time.name, *(c.name for c in numbers))),),
        checks=(f"np.isfinite({var}.to_numpy()).all()", f"{var}.nunique().min() >= 8"),
        mistakes=(
            Mistake(table(wrong), "in the other unit"),
            Mistake(f"{var} = ({right}).fillna(0).reset_index(drop=True)", "keeps the first row as 0"),
            Mistake(table(f"-({right})"), "the sign the other way round"),
        ),
        others=(f"{var} = ({same}).dropna().reset_index(drop=True)",),
        board=board.with_frame(made),
    )


def _order(frame: Frame, time: Column) -> str:
    """Return the code that names the columns by which the rows of a series are ordered."""
    return literal(list(frame.order)) if len(frame.order) > 1 else lit(time)


def _window(time: Column) -> int:
    return {"year": 5, "quarter": 4, "month": 12, "week": 4, "day": 7, "hour": 24}.get(time.means.granularity, 5)


@family(
    theme="time",
    knowledge_points=("rolling means", "order of rows"),
    idea="A trailing mean of {number} over {window} rows",
    wordings=(
        "Single values of {number} jump about. Add a column {new} to {frame}: the mean of {number} over the last "
        "{window} {rows} in order of {time}, the current one included; it is missing for the first {lacking}.",
        "Smooth {number}: add a column {new} to {frame} with the mean of each row and the {lacking} before it in order "
        "of {time}. Where there are fewer it stays missing.",
    ),
    propose=propose_own_series,
    prepares=True,
    about=("number",),
)
def trailing_mean(board: Board, slots: Slots) -> Task:
    """Add a rolling mean to a table that is a series."""
    frame = frame_slot(board, slots)
    number = column_slot(frame, slots, "number", frame.numbers())
    time, new = column_slot(frame, slots, "time", frame.times()), text_slot(slots, "new")
    window = count_slot(slots, "window")
    ordered = f"{frame.var}.sort_values({_order(frame, time)})[{lit(number)}]"
    target = at(frame, new)
    made = made_number(board, new, number.means.meaning, unit=number.means.unit, missing=window - 1, of=(number,))
    return Task(
        words={
            "frame": code(frame.var),
            "number": code(number.name),
            "time": names(frame.order or [time.name]),
            "new": code(new),
            "window": str(window),
            "lacking": str(window - 1),
            "rows": noun_of(frame),
        },
        body=f"{target} = {ordered}.rolling({window}).mean()",
        stores=(frame.var,),
        stored_form=Form.TABLE,
        atol=rounding(number.about.mean) / 10,
        uses=((frame.var, (number.name, time.name)),),
        checks=(f"{target}.notna().sum() >= {MIN_PERIODS}",),
        mistakes=(
            Mistake(f"{target} = {ordered}.rolling({window}, min_periods=1).mean()", "begins with fewer values"),
            Mistake(f"{target} = {ordered}.rolling({window}, center=True).mean()", "a centred mean"),
            Mistake(f"{target} = {ordered}.shift(1).rolling({window}).mean()", "leaves the current value out"),
        ),
        others=(
            f"_line = {frame.var}.sort_values({_order(frame, time)})[{lit(number)}]\n"
            f"{target} = sum(_line.shift(lag) for lag in range({window})) / {window}",
        )
        if not number.missing
        else (),
        conventions=1,
        board=board.with_column(frame, made),
    )
