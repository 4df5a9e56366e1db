"""The catalogues of the languages beside English: YAML files in a folder for each, read when first needed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

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
