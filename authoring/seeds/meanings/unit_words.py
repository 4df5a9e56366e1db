"""Units: told by a suffix of the name, by brackets, or by the description of the data."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from authoring.seeds.meanings import word_lists as words
from authoring.seeds.meanings.column_names import ColumnName, singular


def _table(text: str) -> dict[str, str]:
    """Read pairs such as 'mm=mm|pct=%'."""
    return dict(pair.split("=", 1) for pair in text.split("|"))


_SUFFIXES: Final = _table(
    "mm=mm|cm=cm|km=km|kg=kg|mg=mg|ml=ml|kwh=kWh|mwh=MWh|gwh=GWh|kw=kW|mw=MW|mph=mph|kmh=km/h|kph=km/h|mpg=mpg|"
    "pct=%|percent=%|percentage=%|%=%|usd=USD|dollars=USD|dollar=USD|$=USD|eur=EUR|euro=EUR|euros=EUR|€=EUR|"
    "gbp=GBP|£=GBP|cny=CNY|rmb=CNY|¥=CNY|lbs=lb|lb=lb|ft=ft|sqft=sq ft|sqm=m²|ha=ha|hpa=hPa|ppm=ppm|ppb=ppb|"
    "db=dB|hz=Hz|seconds=s|secs=s|sec=s|minutes=min|mins=min|hours=h|hrs=h|days=days|weeks=weeks|months=months|"
    "years=years|yrs=years|miles=miles|celsius=°C|fahrenheit=°F|degc=°C|degf=°F|bpm=bpm|kcal=kcal|"
    "calories=kcal|grams=g|litres=l|liters=l|tonnes=t|inches=in|carat=carat|horsepower=hp|hp=hp|pounds=lb|"
    "meters=m|metres=m|bytes=bytes|kb=kB|mb=MB|gb=GB"
)
_LAST_ONLY: Final = _table("g=g|m=m|s=s|c=°C|f=°F|ms=ms|in=in|min=min|oz=oz|pa=Pa")
_IN_TEXT: Final = _table(
    "millimetre=mm|millimeter=mm|mm=mm|centimetre=cm|centimeter=cm|cm=cm|metre=m|meter=m|kilometre=km|"
    "kilometer=km|km=km|mile=miles|inch=in|foot=ft|gram=g|kilogram=kg|kg=kg|pound=lb|tonne=t|ton=t|second=s|"
    "minute=min|hour=h|day=days|week=weeks|month=months|year=years|degrees celsius=°C|celsius=°C|"
    "degrees fahrenheit=°F|fahrenheit=°F|°c=°C|°f=°F|m/s=m/s|km/h=km/h|mph=mph|percent=%|percentage=%|%=%|"
    "dollar=USD|us dollar=USD|usd=USD|euro=EUR|parts per million=ppm|ppm=ppm|thousand=thousand|million=million|"
    "billion=billion|miles per gallon=mpg|mpg=mpg|carat=carat|hectopascal=hPa|hpa=hPa|per 100,000=per 100,000|"
    "per 1,000=per 1,000|litre=l|liter=l|kwh=kWh|megawatt hour=MWh|thousand megawatt hour=thousand MWh|"
    "1000 lbs=1000 lb|horsepower=hp|mg/dl=mg/dl|g=g|square metre=m²|square kilometre=km²|square feet=sq ft|"
    "cubic inch=cu in|cents=cents"
)
_BY_NAME: Final = {"age": "years", "mpg": "mpg", "carat": "carat", "bmi": "kg/m²"}
_NO_UNITS: Final = {"log", "ln", "z", "scaled", "index", "std"}
RATE_UNITS: Final = frozenset({"%", "per 100,000", "per 1,000"})
MONEY_UNITS: Final = frozenset({"USD", "EUR", "GBP", "CNY", "cents"})
DURATIONS: Final = frozenset({"s", "min", "h", "days", "weeks", "months", "years", "ms"})


@dataclass(frozen=True)
class Clause:
    """A part of a description with the unit that it states and the nouns it states it of."""

    unit: str
    words: frozenset[str]


def unit_of_name(name: ColumnName) -> str:
    """Return the unit that a name states, as it is written behind a number; empty: none."""
    if name.bracketed and (unit := _bracketed_unit(name.bracketed)):
        return unit
    if not name.words or name.words[0] in _NO_UNITS:
        return ""
    if "per" in name.words:
        return "mpg" if {"miles", "gallon"} <= {*name.words, *name.stems} else ""
    last = name.words[-1]
    if len(name.words) > 1 and last in _LAST_ONLY and re.search(r"[_. ]", name.text):
        return _LAST_ONLY[last] if _fits_letter(name, last) else ""
    if re.search(r"[a-z](MM|CM|KM|KG|FT|HA|MB|GB|KB|DB|HZ|PPM)$", name.text):  # PriceMM: rather a name than a unit
        return next((_SUFFIXES[word] for word in name.words[:-1] if word in _SUFFIXES), "")
    known = next((_SUFFIXES[word] for word in reversed(name.words) if word in _SUFFIXES), "")
    return known or next((unit for word, unit in _BY_NAME.items() if word in name.words), "")


def _fits_letter(name: ColumnName, letter: str) -> bool:
    """Return whether a short form at the end is a unit: head_l and temp_min are none."""
    before = set(name.stems[:-1])
    if letter in {"c", "f"} or (letter == "min" and before & {"temperature", "feel", "dew", "pressure"}):
        return letter != "min" and bool(before & {"temperature", "feel", "dew"})
    return bool(before & words.SIZED)


def _bracketed_unit(text: str) -> str:
    folded = text.lower()
    for table in (_IN_TEXT, _SUFFIXES, _LAST_ONLY):
        if (found := table.get(folded) or table.get(singular(folded))) is not None:
            return found
    return text if re.fullmatch(r"[\w°µ%/²³.\- ]{1,12}", text) and not text.isdigit() and " " not in text else ""


def read_description(text: str) -> tuple[Clause, ...]:
    """Return the units that a description states, each with the nouns before it, in order."""
    found = []
    for sentence in re.split(r"(?<=[a-z\)])[.;:]\s", text[:5000]):
        before: list[str] = []
        for part in re.split(r",(?!\d)\s*", sentence):
            before.append(part)
            for unit, lead in _stated(part):
                found.append(Clause(unit, _nouns(lead)))
                if re.search(r"\bare\b|\ball\b", part) or len(_nouns(lead)) == 0:
                    found.append(Clause(unit, _nouns(" ".join(before))))
            if (listed := re.search(r"\b(percentages?|shares?) of (.*)", part)) is not None:
                start = sentence.index(listed.group(0))
                found.append(Clause("%", _nouns(sentence[start:])))
    return tuple(found)


def _lead(match: re.Match[str], part: str) -> str:
    """Return the words that a unit is about; one in brackets is about the last of those joined by "and"."""
    before = part[: match.start()]
    return before.rsplit(" and ", 1)[-1] if match.group(2) else before


def _stated(part: str) -> Sequence[tuple[str, str]]:
    """Return (unit, words before it) for each unit that a part of a sentence states."""
    found = []
    for match in re.finditer(r"\bin ((?:[\w°/%]+[ -]?){1,3})|\(([^()]{1,40})\)|\b(per 100,000|per 1,000)\b", part):
        said = (match.group(1) or match.group(2) or match.group(3)).strip().lower()
        said = re.sub(r"^in ", "", said)
        words = said.split()
        for size in range(len(words), 0, -1):
            phrase = " ".join(words[:size])
            single = " ".join([*words[: size - 1], singular(words[size - 1])])
            if (unit := _IN_TEXT.get(phrase) or _IN_TEXT.get(single)) is not None:
                found.append((unit, _lead(match, part)))
                break
        else:
            last = singular(words[-1]) if words else ""
            if match.group(2) and last in _IN_TEXT:
                found.append((_IN_TEXT[last], _lead(match, part)))
    return found


def _nouns(text: str) -> frozenset[str]:
    return frozenset(ColumnName(text).stems) - {"and", "the", "of", "are", "in", "a", "an", "is", "all", "with", "mean"}


_STATISTICS: Final = {
    "max",
    "min",
    "mean",
    "average",
    "median",
    "total",
    "sum",
    "maximum",
    "minimum",
    "highest",
    "lowest",
}


def unit_of_description(name: ColumnName, clauses: Sequence[Clause]) -> str:
    """Return the unit that the description states of this column; empty: none."""
    stems = [stem for stem in name.stems if stem not in _STATISTICS and not stem.isdigit()]
    if not stems:
        return ""
    for clause in clauses:
        if set(stems) <= clause.words:
            return clause.unit
    return next((clause.unit for clause in clauses if stems[-1] in clause.words and len(stems[-1]) > 2), "")
