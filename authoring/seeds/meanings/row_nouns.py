"""What one row is called: told by the description, an identifier, a label, the file, or the time that passes."""

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from authoring.seeds.meanings import word_lists as words
from authoring.seeds.meanings.column_facts import TableFacts
from authoring.seeds.meanings.column_names import ColumnName, singular
from authoring.seeds.semantics import ColumnMeaning, Meaning

_KNOWN_ENDINGS: Final = (
    "cars",
    "flights",
    "trips",
    "rides",
    "orders",
    "movies",
    "houses",
    "students",
    "players",
    "countries",
)
_PERSON: Final = {"salary": "person", "tip": "bill"}
_DESCRIBED: Final = {
    "car": {
        "manufacturer",
        "model",
        "mpg",
        "cyl",
        "cylinder",
        "displ",
        "displacement",
        "horsepower",
        "hp",
        "transmission",
    },
    "house": {"bedroom", "bathroom", "sqft", "lotsize", "garage", "story", "floor", "driveway", "room"},
    "passenger": {"survived", "pclass", "embarked", "deck", "cabin", "fare"},
    "patient": {
        "patient",
        "diagnosis",
        "dose",
        "bmi",
        "glucose",
        "cholesterol",
        "platelet",
        "tumor",
        "surgery",
        "ulcer",
        "thickness",
    },
    "student": {"gpa", "sat", "school", "teacher", "exam", "homework"},
    "wine": {"alcohol", "proline", "malic", "sulphate", "sulfur", "tannin"},
    "person": {"age", "sex", "gender", "race", "salary", "wage", "education", "experience", "married", "occupation"},
}
_BEASTS: Final = {"species", "genus", "breed", "island", "vore", "state", "city", "county", "country", "region"}
_ID_HEADS: Final = words.IDENTIFYING | frozenset({"code", "num"})
_NOT_NOUNS: Final = frozenset(
    {"row", "record", "index", "unique", "serial", "uuid", "case", "line", "obs", "raw", "user_row"}
)
_ROW_IS: Final = re.compile(
    r"\b(?:one|each|every|a) (?:row|record|line|observation) "
    r"(?:is|represents|describes|stands for|per|corresponds to)\s*"
    r"(?:an? |one |each |the |single )*([a-z][a-z\- ]{2,40}?)(?=[.,;:()]| in | of | from | with | and | at | on |$)|"
    r"\bone (?:row|record|line) (?:per|for each) ([a-z][a-z\- ]{2,30}?)(?=[.,;:()]| in | of | and |$)",
    re.I,
)
_OBSERVED_NOUNS: Final = (words.PLACES | words.NAMES | {"industry", "sector", "store", "branch"}) - {
    *(
        "symbol",
        "ticker",
        "title",
        "label",
        "model",
        "name",
        "genus",
        "product",
        "item",
        "brand",
        "location",
        "address",
    ),
    *("place", "person"),
}
_NOUNS_OF_TIME: Final = {
    "year": "year",
    "quarter": "quarter",
    "month": "month",
    "week": "week",
    "day": "day",
    "hour": "hour",
}


def row_noun(
    facts: TableFacts,
    columns: Sequence[ColumnMeaning],
    *,
    order: tuple[str, ...],
    entity: tuple[str, ...],
    name: str = "",
    alone: bool = True,
) -> str:
    """Return what one row is, in the singular; empty when nothing tells."""
    said = _ROW_IS.search(facts.text) if alone else None
    if said is not None:
        return str(said.group(1) or said.group(2)).strip()
    if name:
        *before, last = name.lower().split()
        return " ".join([*before, singular(last)])
    if alone and (told := _counted_noun(facts)):
        return told
    numbered = any(one.meaning is Meaning.IDENTIFIER for one in columns)
    if entity or (order and not numbered):
        return _row_of_time(columns, order=order, entity=entity) or _file_noun(facts, columns, entity)
    named = _identifier_noun(columns) or _label_noun(facts, columns) or _file_noun(facts, columns)
    return named or ("" if _repeats_things(facts) else _described_noun(columns))


def _repeats_things(facts: TableFacts) -> bool:
    """Return whether a column that numbers things has each of them more than once: rows are visits, not people."""
    numbers = [c for c in facts.table.columns if ColumnName(c.name).stems[-1:] and ColumnName(c.name).stems[-1] == "id"]
    return any(2 * c.distinct <= facts.table.rows < 50 * c.distinct for c in numbers)


def _counted_noun(facts: TableFacts) -> str:
    """Return the noun that the description counts as many of as there are rows."""
    for match in re.finditer(r"\b(\d[\d,]*) ((?:[a-z\-]+ ){0,3}?)([a-z]{3,}s|people)\b", facts.text):
        if int(match.group(1).replace(",", "")) == facts.table.rows and singular(match.group(3)) not in words.GENERIC:
            noun = singular(match.group(3))
            return "" if noun in {"observation", "instance", "sample", "case", "column", "variable"} else noun
    return ""


def _row_of_time(columns: Sequence[ColumnMeaning], *, order: tuple[str, ...], entity: tuple[str, ...]) -> str:
    """Return what a row of a series or of a panel is: a day, a country-year."""
    finest = next((one for one in columns if one.name in order[-1:]), None)
    moment = _NOUNS_OF_TIME.get(finest.granularity, "") if finest is not None else ""
    if not entity:
        return moment
    thing = _noun_of(ColumnName(entity[0])) if len(entity) == 1 else ""
    return f"{thing}-{moment}" if thing and moment and thing in _OBSERVED_NOUNS else ""


def _noun_of(name: ColumnName) -> str:
    """Return the noun that names the thing: airport of airport_name, order of order_number, country of country."""
    stems = [stem for stem in name.stems if not stem.isdigit()]
    while stems and stems[-1] in _ID_HEADS | {"name", "title", "label"}:
        stems.pop()
    noun = stems[-1] if stems else ""
    if noun.endswith("id") and len(noun) > 4 and noun[:-2] in words.NAMES | words.BASES | {"order"}:
        noun = noun[:-2]
    return noun if noun.isascii() and noun.isalpha() and len(noun) > 2 and noun not in _NOT_NOUNS else ""


def _identifier_noun(columns: Sequence[ColumnMeaning]) -> str:
    for one in columns:
        name = ColumnName(one.name)
        named = one.meaning is Meaning.IDENTIFIER and len(name.stems) > 1 and name.stems[-1] in _ID_HEADS
        if named and (noun := _noun_of(name)):
            return noun
    return ""


def _file_noun(facts: TableFacts, columns: Sequence[ColumnMeaning], entity: tuple[str, ...] = ()) -> str:
    """Return the noun in the singular when the file, or sheet, is named by a regular plural."""
    taken = {ColumnName(one.name).head for one in columns if one.meaning is Meaning.COUNT or one.name in entity}
    taken |= {one.name.lower() for one in columns}  # visits to a doctor in `doctor`: its rows are no doctors
    for source in (facts.table.sheet, PurePath(facts.table.file).stem):
        stems = [word for word in ColumnName(source).words if not word.isdigit()]
        if not stems or not all(word.isascii() for word in stems):
            continue
        ending = next((one for one in _KNOWN_ENDINGS if stems[-1].endswith(one)), "")
        single = singular(ending or stems[-1])
        if single in taken:  # a count of affairs in each row, or a disease again and again: the row is something else
            continue
        if single in _PERSON:
            return _PERSON[single]
        if ending or stems[-1] in words.ROWS_OF_FILES or (single in words.ROWS_OF_FILES and single != stems[-1]):
            return single
    return ""


def _described_noun(columns: Sequence[ColumnMeaning]) -> str:
    """Return the noun of the things that columns of these names describe, where at least two of them do."""
    names = {stem for one in columns for stem in (*ColumnName(one.name).stems, one.name.lower())}
    return next((noun for noun, telling in _DESCRIBED.items() if len(names & telling) >= 2 and not names & _BEASTS), "")


def _label_noun(facts: TableFacts, columns: Sequence[ColumnMeaning]) -> str:
    for one in columns:
        if one.meaning in {Meaning.LABEL, Meaning.IDENTIFIER} and facts.is_unique(one.name):
            noun = _noun_of(ColumnName(one.name))
            if noun in (words.NAMES | words.PLACES) - {"model", "label", "location", "address", "place", "symbol"}:
                return noun
    return ""
