"""Families that read a table of periods: jumps, seasons, trends, runs, forecasts."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.seeds.semantics import AddsUp
from authoring.templates.board import Board, Result, Slots
from authoring.templates.families.measures import grows
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    count_slot,
    family,
    rounding,
    text_slot,
)
from authoring.templates.names_in_words import code, literal
from authoring.templates.phrasebook import (
    CHANGES,
    EXTREMES,
    JUMPS,
    PERIODS,
    SIDES,
)

HELD: Final = {"quarter": 8, "month": 12, "week": 8, "day": 14, "hour": 24}  # periods that a forecast is tried on
FEWEST_HELD: Final = 5  # of all others, such as years


def period_result(board: Board, slots: Slots) -> Result:
    """Return the table of periods that the slot `table` names."""
    return board.result(text_slot(slots, "table"), "period table")


def propose_jump(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of periods."""
    for table in board.results_of("period table"):
        in_percent = isinstance(table.facts["low"], int | float) and table.facts["low"] > 0
        for direction in rng.sample(["rise", "fall"], 2):
            how = "percent" if in_percent and rng.random() < 0.6 else "difference"
            yield {"table": table.var, "direction": direction, "how": how}


@family(
    theme="time",
    knowledge_points=("change from period to period", "extreme of a series"),
    idea="The largest {direction} from one {period} to the next in {table}",
    wordings=(
        "Find the {period} of {table} with the largest {direction} of `{value}` against the {period} before it, {how}. "
        "Return its {column} and the change.",
        "Which {period} in {table} brought the largest {direction} of `{value}` compared with the one before? Return "
        "its {column} and the change, {how}.",
    ),
    propose=propose_jump,
    about=("table", "direction"),
)
def largest_jump(board: Board, slots: Slots) -> Task:
    """Return the period with the largest change against the one before, and the change."""
    table = period_result(board, slots)
    direction, how = text_slot(slots, "direction", tuple(JUMPS)), text_slot(slots, "how", tuple(CHANGES))
    column, value, var = table.facts["column"], table.facts["value"], table.var
    series = f'{var}.set_index({literal(column)})["{value}"]'
    plain, percent = f"_change = {series}.diff()", f"_change = {series}.pct_change() * 100"
    end, other_end = ("max", "min") if direction == "rise" else ("min", "max")
    body, wrong = (percent, plain) if how == "percent" else (plain, percent)

    def answer(steps: str, which: str) -> str:
        return f"{steps}\n(_change.idx{which}(), _change.{which}())"

    return Task(
        words={
            "table": code(var),
            "period": PERIODS[table.facts["period"]],
            "column": code(column),
            "value": value,
            "direction": JUMPS[direction],
            "how": CHANGES[how],
        },
        body=body,
        result=f"(_change.idx{end}(), _change.{end}())",
        form=Form.VALUE,
        atol=0.06 if how == "percent" else rounding(table.facts["typical"]),
        uses=((var, ()),),
        checks=(
            f"(_change == _change.{end}()).sum() == 1",
            "_change.max() > 0 > _change.min()",
            "np.isfinite(_change.iloc[1:]).all()",
        ),
        mistakes=(
            Mistake(answer(wrong, end), "in the other unit"),
            Mistake(answer(body, other_end), "the change in the other direction"),
            Mistake(answer(f"{body}\n_change = -_change.shift(-1)", other_end), "compares with the next one"),
        ),
        others=(
            f'_values = {var}["{value}"].to_numpy()\n'
            + (
                "_steps = 100 * (_values[1:] / _values[:-1] - 1)\n"
                if how == "percent"
                else "_steps = _values[1:] - _values[:-1]\n"
            )
            + f"_at = int(_steps.arg{end}())\n"
            f'{{"when": {var}[{literal(column)}].iloc[_at + 1], "change": _steps[_at]}}',
        ),
        board=board,
    )


def propose_season(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of months or quarters that spans several years."""
    for table in board.results_of("period table"):
        if table.facts["dated"] and table.facts["period"] in ("month", "quarter") and table.facts["count"] >= 36:
            low, number = table.facts["low"], board.frame(table.facts["frame"]).column(table.facts["number"])
            rises = grows(number) and number.means.adds_up is not AddsUp.YES  # prices, populations: no season shows
            if isinstance(low, int | float) and low >= 0 and not rises:
                yield {"table": table.var, "var": board.free("season")}


@family(
    theme="time",
    knowledge_points=("seasonal profile", "relative values"),
    idea="The season in {table}: each calendar {period} against the average",
    wordings=(
        "Is there a season in {table}? Take the mean of `{value}` for each calendar {period} over all years and "
        "divide it by the mean of all rows of {table}. Store it as {var} with the columns `{part}` ({numbers}) "
        "and `factor`.",
        "Work out the seasonal profile of {table}: {var} has one row per calendar {period}, with its number in "
        "`{part}` ({numbers}) and in `factor` the mean of `{value}` in it, over all years, relative to the mean "
        "of `{value}` overall.",
    ),
    propose=propose_season,
    about=("table",),
)
def seasonal_profile(board: Board, slots: Slots) -> Task:
    """Store the mean of each calendar month or quarter relative to the overall mean."""
    table, var = period_result(board, slots), text_slot(slots, "var")
    column, value, period = table.facts["column"], table.facts["value"], table.facts["period"]
    part = f"{table.var}[{literal(column)}].str[-2:].astype(int)" if period == "month" else ""
    part = part or f"{table.var}[{literal(column)}].str[-1].astype(int)"
    source = f'{table.var}["{value}"]'
    named = f'.rename_axis("{period}").rename("factor").reset_index()'
    means = f"{source}.groupby({part}.to_numpy()).mean()"
    return Task(
        words={
            "table": code(table.var),
            "period": PERIODS[period],
            "value": value,
            "part": period,
            "numbers": "1-12" if period == "month" else "1-4",
            "var": code(var),
        },
        body=f"{var} = ({means} / {source}.mean()){named}",
        stores=(var,),
        stored_form=Form.TABLE,
        atol=6e-4,
        uses=((table.var, ()),),
        checks=(f"len({var}) == {12 if period == 'month' else 4}", f'{var}["factor"].round(2).nunique() > 1'),
        mistakes=(
            Mistake(f"{var} = ({means} - {source}.mean()){named}", "differences"),
            Mistake(f"{var} = ({means} / {means}.sum()){named}", "shares of the year"),
            Mistake(f"{var} = ({means.replace('.mean()', '.median()')} / {source}.median()){named}", "medians"),
        ),
        others=(
            f'_parts = {table.var}.assign(**{{"{period}": {part}}}).groupby("{period}", as_index=False)'
            f'.agg(factor=("{value}", "mean"))\n'
            f'_parts["factor"] /= {source}.mean()\n{var} = _parts',
        ),
        board=board.with_result(
            var, "season", table=table.var, period=period, column=column, value=value, typical=table.facts["typical"]
        ),
    )


def propose_adjust(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A seasonal profile."""
    for season in board.results_of("season"):
        yield {"season": season.var, "direction": rng.choice(("max", "min"))}


@family(
    theme="time",
    knowledge_points=("seasonal adjustment", "lookup of an earlier result"),
    idea="{table} without its season: the {direction} {period}",
    wordings=(
        "Take the season out: divide `{value}` of each row of {table} by the factor of its calendar {period} in "
        "{season} and add the result to {table} as `adjusted`. In which {period} is it {direction}? Return that "
        "{period} and its `adjusted`.",
        "Add a column `adjusted` to {table}, `{value}` divided by the `factor` that {season} has for its "
        "calendar {period}. Then return the {period} with the {direction} `adjusted`, and that value.",
    ),
    propose=propose_adjust,
    about=("season",),
)
def seasonally_adjusted(board: Board, slots: Slots) -> Task:
    """Divide by the seasonal factors and return the extreme period."""
    season = board.result(text_slot(slots, "season"), "season")
    which = text_slot(slots, "direction", ("max", "min"))
    table, column, value, period = (season.facts[key] for key in ("table", "column", "value", "period"))
    cut = "[-2:]" if period == "month" else "[-1]"
    part = f"{table}[{literal(column)}].str{cut}.astype(int)"
    factor = f'{part}.map({season.var}.set_index("{period}")["factor"])'
    target = f'{table}["adjusted"]'

    def answer(end: str) -> str:
        row = f"{table}.loc[{target}.idx{end}()]"
        return f'({row}[{literal(column)}], {row}["adjusted"])'

    return Task(
        words={
            "table": code(table),
            "season": code(season.var),
            "period": PERIODS[period],
            "value": value,
            "direction": EXTREMES[which],
        },
        body=f'{target} = {table}["{value}"] / {factor}',
        result=answer(which),
        form=Form.VALUE,
        stores=(table,),
        stored_form=Form.TABLE,
        atol=rounding(season.facts["typical"]),
        uses=((season.var, ()), (table, ())),
        checks=(f"({target} == {target}.{which}()).sum() == 1",),
        mistakes=(
            Mistake(f'{target} = {table}["{value}"] * {factor}\n{answer(which)}', "multiplies by the factor"),
            Mistake(f'{target} = {table}["{value}"] - {factor}\n{answer(which)}', "takes the factor away"),
        ),
        others=(
            f'_factors = dict(zip({season.var}["{period}"], {season.var}["factor"]))\n'
            f"{target} = [v / _factors[int(p{cut})] for p, v in zip({table}[{literal(column)}], "
            f'{table}["{value}"])]\n_row = {table}.sort_values("adjusted", '
            f'ascending={which == "min"}).iloc[0]\n[_row[{literal(column)}], _row["adjusted"]]',
        ),
        board=board.with_variable(table),
    )


def propose_trend(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of periods."""
    for table in board.results_of("period table"):
        yield {"table": table.var}


@family(
    theme="time",
    knowledge_points=("linear trend", "least squares"),
    idea="The trend of {table} per {period}",
    wordings=(
        "Is there a trend? Fit a straight line through `{value}` of {table} by least squares, with the rows "
        "numbered 0, 1, 2, ... in order of time, and return by how much it rises per {period} and the R² of the "
        "fit.",
        "Fit `{value}` of {table} by a straight line over the number of the row (0 for the first {period}). "
        "Return its slope and how much of the variance it explains (R²).",
    ),
    propose=propose_trend,
    about=("table",),
)
def linear_trend(board: Board, slots: Slots) -> Task:
    """Return slope and R² of a straight line through a series."""
    table = period_result(board, slots)
    values = f'_values = {table.var}["{table.facts["value"]}"].to_numpy(dtype=float)\n'
    fit = values + "_slope, _start = np.polyfit(np.arange(len(_values)), _values, 1)\n"
    rest = "_rest = _values - (_start + _slope * np.arange(len(_values)))\n"
    return Task(
        words={
            "table": code(table.var),
            "period": PERIODS[table.facts["period"]],
            "value": table.facts["value"],
        },
        body=(fit + rest).strip(),
        result="(_slope, 1 - (_rest**2).sum() / ((_values - _values.mean()) ** 2).sum())",
        form=Form.VALUE,
        rtol=5e-3,
        uses=((table.var, ()),),
        checks=("0.02 < 1 - (_rest**2).sum() / ((_values - _values.mean()) ** 2).sum() < 0.9999",),
        mistakes=(
            Mistake(
                fit + "(_slope, np.corrcoef(np.arange(len(_values)), _values)[0, 1])", "the correlation, not its square"
            ),
            Mistake(
                values + "((_values[-1] - _values[0]) / (len(_values) - 1),"
                " np.corrcoef(np.arange(len(_values)), _values)[0, 1] ** 2)",
                "the line between first and last value",
            ),
            Mistake(
                fit + "(_start, np.corrcoef(np.arange(len(_values)), _values)[0, 1] ** 2)", "the start of the line"
            ),
        ),
        others=(
            values + "_x = np.arange(len(_values)) - (len(_values) - 1) / 2\n"
            "_b = (_x * _values).sum() / (_x**2).sum()\n"
            '{"slope": _b, "r2": np.corrcoef(_x, _values)[0, 1] ** 2}',
        ),
        board=board,
    )


def propose_run(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of periods."""
    for table in board.results_of("period table"):
        if table.facts["count"] >= 12:
            yield {"table": table.var, "side": rng.choice(("above", "below"))}


@family(
    theme="time",
    knowledge_points=("runs in a series", "cumulative groups"),
    idea="The longest run of periods {side} the mean in {table}",
    wordings=(
        "What is the longest run of consecutive rows of {table} in which `{value}` lies {side} its mean over the "
        "whole table? Return the {column} of its first row and how many rows it has.",
        "What is the longest run of consecutive {period}s in which `{value}` of {table} lies {side} its overall mean? "
        "Return the {column} with which it starts, and its length.",
    ),
    propose=propose_run,
    about=("table",),
)
def longest_run(board: Board, slots: Slots) -> Task:
    """Return the start and the length of the longest run above or below the mean."""
    table = period_result(board, slots)
    side = text_slot(slots, "side", tuple(SIDES))
    column, value = table.facts["column"], table.facts["value"]
    source = f'{table.var}["{value}"]'

    def steps(middle: str, sign: str = ">" if side == "above" else "<") -> str:
        return (
            f"_is = {source} {sign} {source}.{middle}()\n"
            "_run = (_is != _is.shift()).cumsum()\n"
            "_length = _is[_is].groupby(_run[_is]).size()\n"
            f"_first = {table.var}.loc[_run == _length.idxmax(), {literal(column)}].iloc[0]\n"
        )

    return Task(
        words={
            "table": code(table.var),
            "period": PERIODS[table.facts["period"]],
            "value": value,
            "column": code(column),
            "side": SIDES[side],
        },
        body=steps("mean").strip(),
        result="(_first, int(_length.max()))",
        form=Form.VALUE,
        uses=((table.var, ()),),
        checks=(
            "(_length == _length.max()).sum() == 1",
            "len(_length) >= 2",
            f"3 <= _length.max() < 0.9 * len({table.var})",
        ),
        mistakes=(
            Mistake(steps("mean", "<" if side == "above" else ">") + "(_first, int(_length.max()))", "the other side"),
            Mistake(
                f"_is = {source} {'>' if side == 'above' else '<'} {source}.mean()\n"
                f"({table.var}.loc[_is.idxmax(), {literal(column)}], int(_is.sum()))",
                "counts all such rows",
                may_agree=True,
            ),
        ),
        others=(
            f"_mean, _best, _begin = {source}.mean(), (0, None), None\n"
            "_length = 0\n"
            f"for _when, _value in zip({table.var}[{literal(column)}], {source}):\n"
            f"    if _value {'>' if side == 'above' else '<'} _mean:\n"
            "        _begin, _length = (_when, 1) if _length == 0 else (_begin, _length + 1)\n"
            "        _best = max(_best, (_length, _begin), key=lambda one: one[0])\n"
            "    else:\n"
            "        _length = 0\n"
            "[_best[1], _best[0]]",
        ),
        board=board,
    )


def propose_forecast(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of enough periods to hold some back."""
    for table in board.results_of("period table"):
        count, number = table.facts["count"], board.frame(table.facts["frame"]).column(table.facts["number"])
        if count >= 15 and not grows(number):  # no mean of the past foretells what rises all the time
            yield {"table": table.var, "held": min(HELD.get(table.facts["period"], FEWEST_HELD), count // 4)}


@family(
    theme="time",
    knowledge_points=("forecast error", "holding back the last periods"),
    idea="Two simple forecasts of the last {held} periods of {table}",
    wordings=(
        "How far would simple forecasts of {table} be off? Hold back the last {held} rows. Forecast `{value}` "
        "for each of them once by the last value before them and once by the mean of all rows before them. "
        "Return the two mean absolute errors in this order.",
        "Before anybody builds a model for {table}: forecast its last {held} rows from the rows before them, "
        "first by repeating the last known `{value}`, then by their mean `{value}`, and give me the mean "
        "absolute error of each.",
    ),
    propose=propose_forecast,
    about=("table",),
)
def naive_forecasts(board: Board, slots: Slots) -> Task:
    """Return the errors of two forecasts that need no model."""
    table, held = period_result(board, slots), count_slot(slots, "held")
    value = table.facts["value"]
    parts = f'_known, _held = {table.var}["{value}"].iloc[:-{held}], {table.var}["{value}"].iloc[-{held}:]\n'
    errors = "(_held - _known.iloc[-1]).abs().mean(), (_held - _known.mean()).abs().mean()"
    return Task(
        words={"table": code(table.var), "held": str(held), "value": value},
        body=parts.strip(),
        result=f"({errors})",
        form=Form.VALUES,
        rtol=5e-3,
        uses=((table.var, ()),),
        checks=(f"len({table.var}) >= {held} + 8",),
        mistakes=(
            Mistake(
                parts
                + "(((_held - _known.iloc[-1]) ** 2).mean() ** 0.5, ((_held - _known.mean()) ** 2).mean() ** 0.5)",
                "root mean squared errors",
            ),
            Mistake(
                parts + "(abs((_held - _known.iloc[-1]).mean()), abs((_held - _known.mean()).mean()))",
                "mean errors",
                may_agree=True,
            ),
            Mistake(
                parts + f'(_held.diff().abs().mean(), (_held - {table.var}["{value}"].mean()).abs().mean())',
                "looks at the rows that are held back",
            ),
        ),
        others=(
            f'_all = {table.var}["{value}"].to_numpy(dtype=float)\n_old, _new = np.split(_all, [len(_all) - '
            f"{held}])\n"
            "[np.abs(_new - _old[-1]).mean(), np.abs(_new - _old.mean()).mean()]",
        ),
        board=board,
    )
