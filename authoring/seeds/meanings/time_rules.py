"""Which columns tell a moment, and how exactly."""

import re
from typing import Final

from authoring.seeds.meanings.column_facts import ColumnFacts
from authoring.seeds.profile import ColumnRole
from authoring.seeds.semantics import ColumnMeaning, Meaning

_STEPS: Final = ((6.95, 7.05, "week"), (28.0, 31.6, "month"), (89.0, 93.0, "quarter"), (364.0, 367.0, "year"))
_PARTS: Final = (  # words, granularity, low, high
    (frozenset({"month", "mnth", "monat", "月", "月份"}), "month", 0, 12),
    (frozenset({"quarter", "quartal", "qtr", "季度"}), "quarter", 1, 4),
    (frozenset({"week", "woche", "weekofyear", "weeknum", "周"}), "week", 0, 53),
    (frozenset({"hour", "stunde", "小时", "时"}), "hour", 0, 24),
    (frozenset({"minute"}), "minute", 0, 59),
    (frozenset({"second"}), "second", 0, 59),
    (frozenset({"day", "tag", "dayofmonth", "mday", "日"}), "day", 0, 31),
    (frozenset({"doy", "yday", "dayofyear"}), "day", 0, 366),
)
_WEEKDAY: Final = frozenset({"weekday", "dow", "dayofweek", "wochentag", "wday", "星期"})
_YEAR: Final = frozenset({"year", "jahr", "yyyy", "vintage", "年", "年份", "season", "anno"})
_OF_A_DAY: Final = frozenset(
    {"departure", "arrival", "start", "end", "begin", "opening", "closing", "scheduled", "crs"}
)
_RUNNING: Final = frozenset({"time", "day", "week", "month", "period", "t", "hour", "minute", "date", "step"})
_SPANS: Final = frozenset(
    {"years", "months", "weeks", "days", "hours", "minutes", "seconds"}
    | {"year", "month", "week", "day", "hour", "minute", "second"}
)
_CLOCK: Final = re.compile(r"([01]?\d|2[0-4]):[0-5]\d(:[0-5]\d)?( ?[AaPp]\.?[Mm]\.?)?")
_MONTH: Final = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_TEXTS: Final = (
    (re.compile(r"(1[5-9]|2[01])\d\d[-/ .]?(0[1-9]|1[0-2])"), "month"),
    (re.compile(rf"{_MONTH}[-/ ,.]+((1[5-9]|2[01])\d\d|\d\d)"), "month"),
    (re.compile(rf"(1[5-9]|2[01])\d\d[-/ ,.]+{_MONTH}"), "month"),
    (re.compile(r"(1[5-9]|2[01])\d\d[- .:]?Q[1-4]|Q[1-4][- /.]?(1[5-9]|2[01])\d\d"), "quarter"),
    (re.compile(r"(1[5-9]|2[01])\d\d-?W[0-5]\d"), "week"),
    (re.compile(r"(1[5-9]|2[01])\d\d[-/](\d\d|(1[5-9]|2[01])\d\d)"), "year"),
    (re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[ T].*"), "minute"),
    (re.compile(r"(1[5-9]|2[01])\d\d年(\d{1,2}月)?"), "month"),
)


def time_meaning(facts: ColumnFacts) -> ColumnMeaning | None:
    """Return the meaning of a column that tells time; None when it does not."""
    if facts.column.role is ColumnRole.DATE:
        return facts.means(Meaning.TIME, "its values are dates", granularity=_date_granularity(facts))
    if facts.is_number:
        return _number_meaning(facts)
    return _text_meaning(facts)


def _date_granularity(facts: ColumnFacts) -> str:
    column = facts.column
    if column.timed:
        return "hour" if _on_the_hour(column.samples) else "minute"
    shown = {str(value)[4:10] for value in (column.min, column.max)}
    if shown == {"-01-01"} and column.days > 2 and facts.name.has(_YEAR):
        return "year"
    if column.days < 4 or not column.span_days:
        return "day"
    step = column.span_days / (column.days - 1)
    for low, high, granularity in _STEPS:
        if low <= step <= high and (granularity == "week" or _same_day_of_month(facts)):
            return granularity
    return "day"


def _on_the_hour(samples: tuple[object, ...]) -> bool:
    times = [re.search(r"\d:([0-5]\d)(?::([0-5]\d))?", str(value)) for value in samples]
    return bool(times) and all(one is not None and one[1] == "00" and one[2] in {None, "00"} for one in times)


def _same_day_of_month(facts: ColumnFacts) -> bool:
    """Return whether the first and last date, as ISO text, both open or both close a month."""
    days = {str(end)[8:10] for end in (facts.column.min, facts.column.max)}
    return days <= {"01"} or days <= {"28", "29", "30", "31"} or len(days) == 1


def _number_meaning(facts: ColumnFacts) -> ColumnMeaning | None:
    name, column = facts.name, facts.column
    if {"day", "of", "year"} <= name.stem_set and column.integer and facts.within(0, 366):
        return facts.means(Meaning.TIME, "days of a year", granularity="day", is_part=True)
    if (name.has(_WEEKDAY) or {"day", "week"} <= name.stem_set) and column.integer and facts.within(0, 7):
        return facts.means(Meaning.ORDINAL, "days of the week as numbers", levels=facts.numeric_levels)
    if _names_a_year(facts):
        return facts.means(Meaning.TIME, "its name and range are those of years", granularity="year")
    if column.integer and _is_year_and_month(facts):
        return facts.means(Meaning.TIME, "whole numbers that write a year and a month", granularity="month")
    if column.integer and (part := _part(facts)) is not None:
        return part
    if column.integer and _is_clock_number(facts):
        return facts.means(
            Meaning.TIME, "times of day written as hours and minutes", granularity="minute", is_part=True
        )
    if name.stems[-1:] and name.stems[-1] in {"time", "date", "t"} and _is_decimal_year(facts):
        return facts.means(Meaning.TIME, "years with a fraction", granularity=_step_of_years(facts))
    if name.stem_set & {"timestamp", "time", "ts", "epoch", "unixtime", "datetime"} and _is_epoch(facts):
        return facts.means(Meaning.TIME, "seconds or milliseconds since 1970", granularity="second")
    lasts = bool(name.stem_set & {"duration", "elapsed", "length"}) or column.distinct > 0.5 * facts.rows
    if column.integer and name.head in _SPANS and not lasts and _orders_things(facts):
        unit = _step_of(name.head)
        return facts.means(Meaning.TIME, "together with another column it names each row", granularity=unit)
    running = column.integer and name.stems and set(name.stems) <= _RUNNING and facts.rows > 3 and column.distinct > 3
    if running and (facts.is_unique or _orders_things(facts) or column.sorted):
        return facts.means(Meaning.TIME, "its name says that it counts time", granularity=_step_of(name.head))
    return None


def _orders_things(facts: ColumnFacts) -> bool:
    """Return whether the column tells when, of each thing that the table observes again and again."""
    return any(len(one) == 2 and one[1] == facts.column.name for one in facts.around.table.unique_together)


def _step_of(word: str) -> str:
    """Return the granularity of a column such as days: day; of a period or a time none is known."""
    step = word.removesuffix("s")
    return step if f"{step}s" in _SPANS else ""


def _names_a_year(facts: ColumnFacts) -> bool:
    stems = facts.name.stems
    if not facts.name.has(_YEAR) or set(stems) & {"per", "since", "previous", "pct", "percent", "change"}:
        return False
    if facts.within(1000, 2200):
        return facts.column.integer or facts.column.decimals >= 1
    if facts.column.integer and facts.name.head == "year" and facts.within(0, 2200) and facts.high > 1500:
        return True
    return facts.column.integer and facts.within(50, 99) and facts.name.head == "year" and facts.column.distinct > 2


def _is_year_and_month(facts: ColumnFacts) -> bool:
    """Return whether numbers such as 202401 are months: both ends must be, and the name must say so."""
    if not facts.within(1500_01, 2200_12) or not facts.name.stem_set & {"month", "date", "period", "yearmonth", "ym"}:
        return False
    return all(1 <= int(end) % 100 <= 12 for end in (facts.low, facts.high))


def _part(facts: ColumnFacts) -> ColumnMeaning | None:
    stems = facts.name.stems
    for words, granularity, low, high in _PARTS:
        first = bool(stems) and stems[0] in words and len(stems) <= 2
        chinese = facts.name.has(frozenset(word for word in words if word >= "\u4e00"))
        whole = set(stems) & {"per", "number", "count", "n", "total", "average"}
        flag = facts.column.distinct == 2 and facts.within(0, 1)
        if (facts.name.head in words or first or chinese) and not whole and not flag and facts.within(low, high):
            return facts.means(
                Meaning.TIME,
                f"the {granularity} alone, without what it is part of",
                granularity=granularity,
                is_part=True,
            )
    return None


def _is_clock_number(facts: ColumnFacts) -> bool:
    """Return whether numbers such as 1745 are times of day; a plain `time` may be a duration."""
    if not facts.within(0, 2400) or facts.high < 100 or "time" not in facts.name.stem_set:
        return False
    shown = [int(value) for value in (*facts.column.samples, facts.low, facts.high) if isinstance(value, int | float)]
    return bool(facts.name.stem_set & _OF_A_DAY) and all(value % 100 < 60 for value in shown)


def _is_decimal_year(facts: ColumnFacts) -> bool:
    return facts.within(1000, 2200) and not facts.column.integer and facts.high > facts.low + 1


def _step_of_years(facts: ColumnFacts) -> str:
    """Return what one step is by how many there are in a year."""
    a_year = (facts.column.distinct - 1) / (facts.high - facts.low)
    known = ((1, "year"), (4, "quarter"), (12, "month"), (52, "week"), (365, "day"))
    return next((name for number, name in known if abs(a_year - number) < 0.05 * number), "")


def _is_epoch(facts: ColumnFacts) -> bool:
    return facts.within(3e8, 4e9) or facts.within(3e11, 4e12)


def _text_meaning(facts: ColumnFacts) -> ColumnMeaning | None:
    shown = [str(value).strip() for value in facts.values]
    if len(shown) < 2 or facts.column.kinds:
        return None
    if all(_CLOCK.fullmatch(one) for one in shown) and not facts.name.stem_set & {"duration", "elapsed"}:
        return facts.means(Meaning.TIME, "times of day", granularity="minute", is_part=True)
    for pattern, granularity in _TEXTS:
        if all(pattern.fullmatch(one) for one in shown) and not all(one.isdigit() for one in shown):
            step = "hour" if granularity == "minute" and _on_the_hour(tuple(shown)) else granularity
            return facts.means(Meaning.TIME, f"text that tells a {step}", granularity=step)
    return None
