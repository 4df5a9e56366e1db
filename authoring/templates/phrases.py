"""Phrases with places, said in each language: what families put into queries beside names, numbers and code.

A phrase is written in English where it is declared; the other languages hold it under its key in their catalogue.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Final, Protocol

from authoring.languages import Language
from evaluator.errors import ToolkitError
from evaluator.language import read_yaml

FOLDER: Final = Path(__file__).parent / "translations"
PHRASES_FILE: Final = "phrases.yaml"


@dataclass(frozen=True)
class FamilyWords:
    """What a family says in one language, in the order of its English wordings."""

    idea: str
    wordings: tuple[str, ...]


@dataclass(frozen=True)
class Catalogue:
    """All that is said in one language."""

    phrases: Mapping[str, str]
    families: Mapping[str, FamilyWords]


@cache
def catalogue(language: Language) -> Catalogue:
    """Return the catalogue of a language.

    Raises:
        ToolkitError: If one of its files is not as it should be.
    """
    folder = FOLDER / language.value
    phrases = {key: str(text) for key, text in _read(folder / PHRASES_FILE).items()}
    families: dict[str, FamilyWords] = {}
    for path in sorted(folder.glob("*.yaml")):
        for name, words in _read(path).items() if path.name != PHRASES_FILE else ():
            if name in families:
                raise ToolkitError(f"family {name!r} is translated twice", where=str(path), fix="remove one of them")
            families[name] = FamilyWords(str(words["idea"]), tuple(map(str, words["wordings"])))
    return Catalogue(phrases, families)


def translated_phrase(language: Language, key: str) -> str:
    """Return a phrase with its places open.

    Raises:
        ToolkitError: If the catalogue lacks it.
    """
    found = catalogue(language).phrases.get(key)
    if found is None:
        raise _lacking(f"phrase {key!r}", language)
    return found


def translated_family(language: Language, name: str) -> FamilyWords:
    """Return what a family says.

    Raises:
        ToolkitError: If the catalogue lacks it.
    """
    found = catalogue(language).families.get(name)
    if found is None:
        raise _lacking(f"family {name!r}", language)
    return found


def _lacking(what: str, language: Language) -> ToolkitError:
    where = str(FOLDER / language.value)
    return ToolkitError(f"{what} is not translated into {language.value!r}", where=where, fix="add it there")


def _read(path: Path) -> Mapping[str, Any]:
    document = read_yaml(path.read_text(encoding="utf-8"))
    if document.faults:
        raise ToolkitError(f"the catalogue cannot be read: {document.faults[0]}", where=str(path), fix="correct it")
    value: Mapping[str, Any] = document.value
    return value


PHRASES: Final[dict[str, "Phrase"]] = {}  # all that were declared, by key


class Words(Protocol):
    """Something that each language says in its own way."""

    def say(self, language: Language) -> str:
        """Return it in the language."""
        ...


Place = str | Words  # what fills a place: the same text in all languages, or words of each


@dataclass(frozen=True)
class Said:
    """A phrase with its places filled."""

    phrase: "Phrase"
    places: Mapping[str, Place]

    def say(self, language: Language) -> str:
        """Return the phrase in the language."""
        return fill(self.phrase.text(language), self.places, language)

    def __format__(self, _spec: str) -> str:
        raise TypeError(f"the phrase {self.phrase.key!r} would be fixed to one language: make it a place of another")


@dataclass(frozen=True)
class Phrase:
    """A sentence or a part of one."""

    key: str
    english: str

    def __post_init__(self) -> None:
        if self.key in PHRASES:
            raise ValueError(f"phrase {self.key!r} is declared twice")
        PHRASES[self.key] = self

    def __call__(self, **places: Place) -> Said:
        """Return the phrase with its places filled."""
        if places.keys() != places_of(self.english):
            raise ValueError(f"phrase {self.key!r} has the places {sorted(places_of(self.english))}")
        return Said(self, places)

    def text(self, language: Language) -> str:
        """Return the phrase with its places open."""
        return self.english if language is Language.ENGLISH else translated_phrase(language, self.key)


@dataclass(frozen=True)
class Name:
    """A name as queries show it: in backticks, or in quotes where spaces at its ends matter."""

    text: str

    def say(self, language: Language) -> str:
        """Return the name, with a warning about its spaces in the language."""
        return f"`{self.text}`" if self.text == self.text.strip() else f'"{self.text}"{spaces_warning(language)}'

    def __format__(self, _spec: str) -> str:
        raise TypeError(f"the name {self.text!r} would be fixed to one language: make it a place of a phrase")


class Joint(Enum):
    """How the parts of a list hang together."""

    AND = "and"
    OR = "or"
    CLAUSES = "clauses"


_JOINTS: Final[Mapping[Language, Mapping[Joint, tuple[str, str]]]] = {  # between parts, before the last one
    Language.ENGLISH: {Joint.AND: (", ", " and "), Joint.OR: (", ", " or "), Joint.CLAUSES: (", ", " and ")},
    Language.CHINESE: {Joint.AND: ("、", " 和 "), Joint.OR: ("、", " 或 "), Joint.CLAUSES: ("\uff0c", "\uff0c")},
}


@dataclass(frozen=True)
class Listing:
    """Several things in words: a, b and c."""

    parts: tuple[Place, ...]
    joint: Joint = Joint.AND

    def say(self, language: Language) -> str:
        """Return the list in the language."""
        between, last = _JOINTS[language][self.joint]
        *firsts, end = (said(part, language) for part in self.parts)
        return f"{between.join(firsts)}{last}{end}" if firsts else end


@dataclass(frozen=True)
class Sentences:
    """Whole sentences in the middle of a query, with what must stand before them; nothing where there are none."""

    parts: tuple[Place, ...]

    def say(self, language: Language) -> str:
        """Return the sentences in the language."""
        text = join_sentences((said(part, language) for part in self.parts), language)
        return f" {text}" if text and language is Language.ENGLISH else text


@dataclass(frozen=True)
class Ordinal:
    """The number of a place in an order; languages without endings leave the word beside it to the sentence."""

    number: int

    def say(self, language: Language) -> str:
        """Return 3 as 3rd, 11 as 11th and so on, where the language has such endings."""
        if language is not Language.ENGLISH:
            return str(self.number)
        teens = self.number % 100 in (11, 12, 13)
        return f"{self.number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(self.number % 10, 'th')}"


def said(place: Place, language: Language) -> str:
    """Return what fills a place, in the language."""
    return place if isinstance(place, str) else place.say(language)


def fill(template: str, places: Mapping[str, Place], language: Language) -> str:
    """Return `template` with its {places} filled in the language."""
    return template.format_map({name: said(place, language) for name, place in places.items()})


def join_sentences(sentences: Iterable[str], language: Language) -> str:
    """Return sentences one after the other; empty ones are left out."""
    return (" " if language is Language.ENGLISH else "").join(filter(None, sentences))


def places_of(template: str) -> set[str]:
    """Return the names of the {places} in a text."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


_SPACES: Final = Phrase("spaces", " (mind the spaces)")


def spaces_warning(language: Language) -> str:
    """Return the warning that stands behind a name with spaces at its ends."""
    return _SPACES.text(language)
