"""What a column of numbers means; a measure unless something says otherwise."""

from collections.abc import Callable
from typing import Final

from authoring.seeds.meanings import word_lists as words
from authoring.seeds.meanings.column_facts import ColumnFacts
from authoring.seeds.meanings.unit_words import DURATIONS, MONEY_UNITS, RATE_UNITS
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning

FEW: Final = 12  # distinct whole numbers that may be levels
_TIED: Final = 0.98  # share of distinct values of an identifier with slips
_LAT: Final = frozenset({"latitude", "breitengrad", "纬度"})
_LON: Final = frozenset({"longitude", "längengrad", "经度"})
_PURE_CODES: Final = words.CODES - {"ip", "hash"}
_NAMING_CODES: Final = _PURE_CODES - {
    "phone",
    "telephone",
    "tel",
    "zip",
    "zipcode",
    "postcode",
    "postal",
    "plz",
    "flight",
}


def number_meaning(facts: ColumnFacts) -> ColumnMeaning:
    """Return what a numeric column means."""
    for rule in _RULES:
        if (found := rule(facts)) is not None:
            return found
    return _measure(facts)


def _place(facts: ColumnFacts) -> ColumnMeaning | None:
    stems, decimal = facts.name.stem_set, not facts.column.integer
    if stems & _LAT and facts.within(-90, 90):
        return facts.means(Meaning.PLACE, "a latitude", unit="°")
    both = facts.around.stems & _LAT
    if (stems & _LON or ("long" in stems and both and decimal)) and facts.within(-180, 360):
        return facts.means(Meaning.PLACE, "a longitude", unit="°")
    return None


def _code(facts: ColumnFacts) -> ColumnMeaning | None:
    codes = _PURE_CODES - _NAMING_CODES if facts.is_unique else _PURE_CODES
    if facts.column.integer and (
        facts.name.stem_set & codes or (facts.name.words[-1:] and facts.name.words[-1].endswith("fips"))
    ):
        return facts.means(Meaning.CODE, "its name says that the numbers stand for something")
    return None


def _identifier(facts: ColumnFacts) -> ColumnMeaning | None:
    if not facts.column.integer:
        return None
    named = names_an_identifier(facts)
    if facts.is_unique:
        if named or facts.name.stem_set & _NAMING_CODES or facts.name.text.lower().startswith("unnamed"):
            return facts.means(Meaning.IDENTIFIER, _unique_reason(facts))
        if (
            facts.name.head in words.PLACES | words.CODED_CATEGORIES - {"method", "status"}
            and facts.column.distinct > FEW
        ):
            return facts.means(Meaning.IDENTIFIER, "numbers of which none repeats stand for something")
        quantity = facts.unit or facts.name.has(words.SIZES | words.MONEY | words.SUMMABLE | words.RATES)
        if (
            _counts_the_rows(facts)
            and not quantity
            and not _is_count_name(facts)
            and not facts.name.has(words.ORDINALS)
        ):
            return facts.means(Meaning.IDENTIFIER, "it numbers the rows")
        return None
    if named and facts.column.distinct >= _TIED * max(facts.filled, 1) and facts.filled > 20:
        return facts.means(Meaning.IDENTIFIER, "its name says so and nearly all its values differ")
    counted = facts.name.head in {"number", "no", "num"} and _is_count_name(facts)
    if named and not counted:
        return facts.means(Meaning.CODE, "its name says that it names something, and its values repeat")
    return None


def _unique_reason(facts: ColumnFacts) -> str:
    if facts.column.candidate_key:
        return "its name says so and no value repeats"
    return "its name says so and a value repeats only where a whole row does"


def names_an_identifier(facts: ColumnFacts) -> bool:
    """Return whether a name ends in id, no, number and the like, or says that it is a row's number."""
    name = facts.name
    if name.text.lower().startswith("unnamed:") or name.text.lower() in {
        "rownames",
        "row",
        "obs",
        "case",
        "subject",
        "x1",
    }:
        return True
    head = name.words[-1] if name.words else ""
    if head in words.IDENTIFYING and head not in {"index", "number", "no", "n"}:
        return True
    if head in {"number", "no", "num"} and len(name.words) > 1 and "of" not in name.words:
        return not set(name.stems[:-1]) & (
            words.THINGS - {"order", "case", "patient", "member", "ticket", "seat", "room", "unit"}
        )
    if head == "index":
        return name.words == ("index",) and facts.is_unique
    if name.has(frozenset({"编号", "序号", "订单号"})) or head.endswith("nummer"):
        return True
    if head in {"no", "number", "num"}:
        return facts.is_unique
    return head.endswith("id") and len(head) > 4 and head[:-2] in {"order", "user", "customer", "product", "passenger"}


def _counts_the_rows(facts: ColumnFacts) -> bool:
    """Return whether the values are 0 or 1 to the number of rows, in order or not."""
    return facts.rows > 4 and facts.low in {0, 1} and facts.high - facts.low == facts.rows - 1


def _flag(facts: ColumnFacts) -> ColumnMeaning | None:
    only_these = facts.column.integer and facts.column.distinct == 2 and facts.within(0, 1)
    if only_these and (not facts.name.has(words.THINGS) or facts.rows > 30):
        return facts.means(Meaning.FLAG, "only 0 and 1")
    return None


def _weight(facts: ColumnFacts) -> ColumnMeaning | None:
    stems = facts.name.stem_set
    body = stems & {"body", "birth", "brain", "pre", "post", "kg", "lb", "gross", "net"}
    if stems & words.WEIGHTS or ({"weight", "wt"} & stems and stems & words.WEIGHT_COMPANY and not body):
        return facts.means(Meaning.WEIGHT, "its name is that of a survey weight")
    said = "weight" in stems and ("survey weight" in facts.around.text or "sampling weight" in facts.around.text)
    return facts.means(Meaning.WEIGHT, "the description speaks of survey weights") if said and not body else None


def _coded(facts: ColumnFacts) -> ColumnMeaning | None:
    """Whole numbers of few values that stand for kinds."""
    if not facts.column.integer or facts.name.has(words.ORDINALS - {"class"}):
        return None
    last = facts.name.words[-1] if facts.name.words else ""
    several = last.endswith("s") and last != facts.name.stems[-1]
    stands_for = (
        not several
        and len(facts.name.stems) <= 2
        and facts.name.head
        in (words.PLACES | words.CODED_CATEGORIES)
        - {
            "class",
            "status",
            "label",
            "kind",
        }
    )
    if facts.column.distinct > FEW and stands_for and not facts.unit:
        return facts.means(Meaning.CODE, "whole numbers that stand for something")
    if facts.column.distinct > FEW or several:
        return None
    if facts.name.head in words.CODED_CATEGORIES - {"class"} or (facts.name.head == "class" and facts.low == 0):
        return facts.means(Meaning.CATEGORY, "few whole numbers that stand for kinds")
    return None


def _ordinal(facts: ColumnFacts) -> ColumnMeaning | None:
    column = facts.column
    if not column.integer or column.distinct > FEW or column.distinct < 2 or _is_count_name(facts):
        if column.integer and facts.name.head in {"rank", "ranking", "position", "rang", "排名"}:
            return facts.means(Meaning.ORDINAL, "a rank")
        return None
    levels = facts.numeric_levels
    if facts.name.has(words.ORDINALS) and "score" not in facts.name.stem_set and facts.high < 100:
        return facts.means(Meaning.ORDINAL, "few whole numbers, and its name is that of levels", levels=levels)
    if (facts.low, facts.high) in facts.around.answer_ranges and not facts.unit:
        return facts.means(Meaning.ORDINAL, "answers on one scale, as in other columns", levels=levels)
    return None


def _observed(facts: ColumnFacts) -> ColumnMeaning | None:
    """Numbers that name what is observed again and again: together with a time they name each row."""
    plain = facts.column.integer and not facts.unit and not facts.name.has(words.SIZES | words.SUMMABLE | words.MONEY)
    for together in facts.around.table.unique_together if plain else ():
        if len(together) == 2 and together[0] == facts.column.name and 2 < facts.column.distinct <= facts.rows / 3:
            return facts.means(Meaning.CODE, f"together with {together[1]} it names each row")
    return None


def _few_unnamed(facts: ColumnFacts) -> ColumnMeaning | None:
    """Few whole numbers whose name says nothing."""
    few = facts.column.integer and 2 <= facts.column.distinct <= 6 and facts.rows >= 5 * facts.column.distinct
    if few and not facts.unit and facts.low >= 0 and facts.high <= 12 and not facts.name.has(words.SIZES | words.MONEY):
        levels = facts.numeric_levels
        return facts.means(Meaning.ORDINAL, "few small whole numbers", levels=levels)
    return None


def _rate(facts: ColumnFacts) -> ColumnMeaning | None:
    if facts.unit == "mpg":
        return None
    if facts.unit in RATE_UNITS:
        return facts.means(Meaning.RATE, f"in {facts.unit}", unit=facts.unit)
    named = facts.name.has(words.RATES - {"index"}) or (facts.name.head == "index" and not facts.column.integer)
    if "urban" in facts.name.stem_set and facts.within(0, 100):
        return facts.means(Meaning.RATE, "a share of those who live in towns", unit="%")
    if "per" in facts.name.stems[:1] or facts.name.has(frozenset({"exchange"})):
        named = named and "capita" in facts.name.stem_set
    large = facts.column.integer and facts.high > 1000 and not facts.unit
    deaths = large and facts.name.has(frozenset({"mortality", "fertility", "unemployment"}))
    if named and not deaths and not (large and _is_count_name(facts)):
        bounded = facts.unit or ("%" if facts.name.stem_set & {"percent", "percentage", "%", "pct"} else "")
        return facts.means(Meaning.RATE, "its name is that of a rate or share", unit=bounded)
    ratio = len(facts.name.stems) > 2 and facts.name.stems[-2] == "to" and not facts.name.stem_set & {"time", "days"}
    if ratio and not facts.column.integer:
        return facts.means(Meaning.RATE, "its name is that of a ratio")
    share = not facts.column.integer and facts.within(0, 1) and facts.column.decimals >= 2 and facts.high > 0.2
    if share and not facts.unit and not facts.name.has(words.SIZES | words.MONEY):
        return facts.means(Meaning.RATE, "all values lie between 0 and 1")
    return None


def _money(facts: ColumnFacts) -> ColumnMeaning | None:
    stems = facts.name.stem_set
    if facts.column.integer and facts.name.stems == ("sale",) and _is_count_name(facts):
        return None
    priced = facts.around.is_price_table and stems & {"open", "high", "low", "close"}
    scaled = facts.unit in {"million", "billion", "thousand"}
    measured = (facts.unit and not scaled and facts.unit not in MONEY_UNITS and not priced) or stems & (
        words.SIZES - {"frequency"}
    )
    named = facts.name.has(words.MONEY) and not stems & {"rate", "date", "id", "number", "count", "quantity"}
    if measured or not (named or facts.unit in MONEY_UNITS or priced):
        return None
    if "amount" in stems and facts.column.integer and facts.high < 200 and not facts.unit:  # cigarettes, not money
        return None
    return facts.means(
        Meaning.MONEY,
        "prices of a day" if priced else "its name or unit is that of money",
        unit=facts.unit,
        adds_up=_money_adds_up(facts),
    )


def _money_adds_up(facts: ColumnFacts) -> AddsUp:
    name = facts.name
    if facts.around.is_price_table or name.has(words.UNIT_PRICES | words.STATISTICS) or "per" in name.stem_set:
        return AddsUp.NO
    return AddsUp.AT_ONE_TIME if name.has(words.LEVELS_AT_A_TIME) else AddsUp.YES


def _is_count_name(facts: ColumnFacts) -> bool:
    name = facts.name
    if name.head == "room" and "rooms" not in name.words:  # leg room
        return False
    if name.has(words.STATISTICS) or name.stem_set & {"per"}:
        return False
    if _names_things(facts):
        return True
    if name.stems == ("sale",) and "volume" in facts.around.stems:  # houses sold, beside what they cost
        return True
    if name.stems[:1] == ("n",) and len(name.stems) > 1 and name.stems[1].isdigit():
        return False
    if name.stems == ("total",):
        return True
    counted = name.stems[:1] in {("number",), ("n",), ("nb",), ("count",)} or name.head in words.COUNTED - {
        "number",
        "n",
    }
    return (
        counted or name.stems == ("n",) or "quantity" in name.stem_set or name.has(frozenset({"数量", "人数", "次数"}))
    )


def _names_things(facts: ColumnFacts) -> bool:
    """Return whether a plural in the name is of things that are counted; a singular may be anything: stack loss."""
    known = words.THINGS | words.LEVELS_AT_A_TIME - {"gdp", "debt", "balance", "capital", "asset", "area", "land"}
    name = facts.name
    pairs = zip(name.stems, name.words, strict=True)
    many = {stem for stem, word in pairs if word != stem and word.endswith(("s", "n", "e"))}
    chinese = frozenset(word for word in known if word >= "\u4e00")
    if many & known or name.has(chinese) or name.stem_set & words.ALWAYS_COUNTED:
        return True
    told = {"n", "number", "num", "count", "total", "nb"}
    return bool(name.stem_set & known) and bool({name.stems[0], name.stems[-1]} & told)


def _count(facts: ColumnFacts) -> ColumnMeaning | None:
    whole = facts.column.integer or facts.unit in {"thousand", "million", "billion"}
    half_rooms = facts.column.decimals <= 2 and facts.name.stem_set & {"bathroom", "bathrooms", "bath", "baths"}
    if not (whole or half_rooms) or facts.low < 0:
        scaled = facts.name.has(frozenset({"population", "employment", "jobs"})) and facts.low >= 0
        if not scaled:
            return None
    scale = facts.unit if facts.unit in {"thousand", "million", "billion"} else ""
    named = _is_count_name(facts) and (not facts.unit or bool(scale))
    several = _heads_a_plural(facts)
    party = facts.name.head == "size" and facts.low >= 1 and facts.high <= 60 and len(facts.name.stems) <= 2
    if not (named or several or party):
        return None
    at_once = facts.name.has(words.LEVELS_AT_A_TIME)
    adds_up = AddsUp.AT_ONE_TIME if at_once else AddsUp.YES
    return facts.means(Meaning.COUNT, "whole numbers that count something", unit=scale, adds_up=adds_up)


_NO_COUNTS: Final = frozenset(
    {
        "points",
        "marks",
        "scores",
        "gas",
        "vs",
        "yes",
        "goods",
        "services",
        "utilities",
        "activities",
        "values",
        "results",
    }
)


def _heads_a_plural(facts: ColumnFacts) -> bool:
    """Return whether the name ends in a plural that is no unit: bikes, accidents."""
    last = facts.name.words[-1] if facts.name.words else ""
    other = words.SIZES | words.SUMMABLE | words.MONEY | _NO_COUNTS
    stem = facts.name.head
    unit = facts.unit or stem in DURATIONS or last.endswith("fips") or last in other or stem in other
    return facts.column.integer and last.endswith("s") and last != stem and len(last) > 3 and not unit


def _measure(facts: ColumnFacts) -> ColumnMeaning:
    name = facts.name
    level = (
        name.has(words.STATISTICS) or "per" in name.stem_set or name.has(frozenset({"age", "change", "temperature"}))
    )
    flow = name.has(words.SUMMABLE) and not level and not name.stem_set & {"since", "rate", "score", "speed"}
    if flow and "sulfur" in name.stem_set:
        flow = False
    at_once = name.has(words.LEVELS_AT_A_TIME) and not level
    adds_up = AddsUp.AT_ONE_TIME if at_once else AddsUp.YES if flow and facts.low >= -1e9 else AddsUp.NO
    return facts.means(Meaning.MEASURE, "numbers without a sign of anything else", unit=facts.unit, adds_up=adds_up)


_RULES: Final[tuple[Callable[[ColumnFacts], ColumnMeaning | None], ...]] = (
    *(_place, _code, _identifier, _weight, _coded, _flag, _rate, _ordinal, _money, _count, _observed, _few_unnamed),
)
