"""The words in a column's name: taken apart, in the singular, with usual short forms written out."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

_TOKEN: Final = re.compile(r"[A-Z]+(?=[A-Z][a-zäöü])|[A-ZÄÖÜ]?[a-zäöüß]+|[A-ZÄÖÜ]+|\d+|[%$€£¥]|[\u4e00-\u9fff]+")


def _table(text: str) -> dict[str, str]:
    """Read pairs such as 'mm=mm|pct=%'."""
    return dict(pair.split("=", 1) for pair in text.split("|"))


_IRREGULAR: Final = _table(
    "people=person|children=child|kids=kid|men=man|women=woman|feet=foot|species=species|series=series|"
    "mice=mouse|movies=movie|sales=sale|bus=bus|houses=house|analyses=analysis|lives=life|leaves=leaf|"
    "wolves=wolf|shoes=shoe|cookies=cookie|zombies=zombie|calories=calorie|purchases=purchase|gas=gas|asbestos=asbestos|gases=gas|wages=wage|"
    "status=status|campus=campus|census=census|news=news|lens=lens|gross=gross|cases=case|courses=course|"
    "nurses=nurse|horses=horse|expenses=expense|uses=use|diagnoses=diagnosis|axes=axis|responses=response|"
    "licenses=license|databases=database|leases=lease|releases=release|increases=increase|diseases=disease|"
    "phases=phase|causes=cause|pauses=pause|clauses=clause|universes=universe|warehouses=warehouse|this=this|"
    "yes=yes"
)
_SHORT: Final = _table(
    "temp=temperature|temps=temperature|precip=precipitation|pop=population|dist=distance|avg=average|"
    "qty=quantity|amt=amount|num=number|cnt=count|pct=percent|perc=percent|prop=proportion|exp=expectancy|"
    "lat=latitude|lng=longitude|lon=longitude|yr=year|yrs=years|mon=month|hr=hour|dep=departure|arr=arrival|"
    "dest=destination|desc=description|addr=address|cat=category|dept=department|vol=volume|std=deviation|"
    "sd=deviation|sched=scheduled|cyl=cylinder|percap=capita|tot=total|wt=weight|grad=graduate|grads=graduate|edu=education|educ=education|"
    "hp=horsepower|disp=displacement|humid=humidity|unemp=unemployment|infl=inflation"
)
_GLUED: Final = re.compile(
    r"(pop|perc|pct|avg|num|tot|real)(?!ular|ulation|ent|eption|eive|eptual|ber|eric|al|estate|ity|i[sz]e|ly|m)([a-zäöüß]{3,})"
    r"|(?!.*(?:ode|ene|epa|ccu|ope|rpo|hyd|nit|tempe|pi|lite|demo|conc|ite)rate$)([a-z]{4,})(rate|pct)|([a-z]{4,})(wt)(?<!newt)"
)  # words written without a space: popwhite, percasian, brainwt
_UNITS_OF_TIME: Final = {"years", "months", "weeks", "days", "hours", "minutes", "seconds"}


def singular(word: str) -> str:
    """Return the singular of a regular English plural, or of one of the irregular ones known here."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "ous")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")):
        return word[:-2]
    return word[:-1]


def plural(word: str) -> str:
    """Return the plural of an English noun; of several words the last one changes."""
    *before, last = word.split(" ")
    known = {single: many for many, single in _IRREGULAR.items()}
    if last in known:
        many = known[last]
    elif last.endswith("y") and last[-2:-1] not in set("aeiou"):
        many = last[:-1] + "ies"
    else:
        many = last + ("es" if last.endswith(("s", "x", "ch", "sh", "z")) else "s")
    return " ".join([*before, many])


def _unglued(word: str) -> tuple[str, ...]:
    """Take apart a word that begins or ends with a usual short form."""
    glued = _GLUED.fullmatch(word)
    return (word,) if glued is None else tuple(part for part in glued.groups() if part)


@dataclass(frozen=True)
class ColumnName:
    """One name and the words in it."""

    text: str
    words: tuple[str, ...] = field(init=False)  # as written, lower case

    def __post_init__(self) -> None:
        """Take the name apart, without what stands in brackets."""
        bare = re.sub(r"[(\[{].*?[)\]}]", " ", self.text)
        found = _TOKEN.findall(bare) or _TOKEN.findall(self.text)
        object.__setattr__(self, "words", tuple(part for one in found for part in _unglued(one.lower())))

    @cached_property
    def bracketed(self) -> str:
        """What stands in the last pair of brackets: often a unit."""
        found = re.findall(r"[(\[]([^()\[\]]*)[)\]]", self.text)
        return found[-1].strip() if found else ""

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The words in the singular and written out; units of time stay in the plural, which tells a duration."""
        long = (_SHORT.get(word, word) for word in self.words)
        return tuple(word if word in _UNITS_OF_TIME else singular(word) for word in long)

    @cached_property
    def stem_set(self) -> frozenset[str]:
        """The stems and the words as written."""
        return frozenset({*self.stems, *self.words, "".join(self.words)})

    @property
    def head(self) -> str:
        """The last stem that is no number."""
        return next((stem for stem in reversed(self.stems) if not stem.isdigit()), "")

    def has(self, words: frozenset[str]) -> bool:
        """Return whether one of `words` is in the name; Chinese words count inside of longer ones."""
        if words & self.stem_set:
            return True
        chinese = [word for word in self.words if word >= "\u4e00"]
        return any(one in word for word in chinese for one in words if one >= "\u4e00")
