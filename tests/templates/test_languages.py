"""Queries in each language: complete catalogues, the same places, and nothing of the English left over."""

import re
from collections.abc import Callable, Iterator
from random import Random

import pytest

from authoring.languages import Language, find_language
from authoring.seeds import Profile
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.shipped import SHIPPED_SEEDS_DIR
from authoring.templates import FAMILIES, sketch_from_profile
from authoring.templates.board import Board
from authoring.templates.names_in_words import code, names, warn_once
from authoring.templates.phrasebook import KNOWN_FOR_SHARES
from authoring.templates.phrases import (
    PHRASES,
    Joint,
    Listing,
    Name,
    Ordinal,
    Phrase,
    catalogue,
    places_of,
    translated_family,
    translated_phrase,
)
from evaluator.errors import ToolkitError, UsageError
from tests.templates.conftest import Author, parsed, shipped_profile
from tests.templates.nasty_tables import umlauts

OTHERS = [language for language in Language if language is not Language.ENGLISH]
ZH = Language.CHINESE
PLAIN = {  # words that Chinese texts about data keep, beside names, values and code
    *("DataFrame", "Series", "NaN", "None", "CSV", "JSON", "IQR", "Q", "Q1", "Q3", "n", "z", "pandas", "Python"),
    *("datetime", "True", "R", "Pearson", "Spearman"),
}
SHIPPED = sorted(path.parent.name for path in SHIPPED_SEEDS_DIR.glob("*/profile.json"))
FEW = ("nyc-flights", "seattle-weather")  # tables of many kinds of column, and a series


@pytest.mark.parametrize("language", OTHERS)
def test_families_and_phrases_have_the_same_places_in_every_language(language: Language) -> None:
    found = catalogue(language)
    assert found.families.keys() == FAMILIES.keys()
    assert found.phrases.keys() == PHRASES.keys()
    for key, phrase in PHRASES.items():
        assert places_of(found.phrases[key]) == places_of(phrase.english), key
    for name, family in FAMILIES.items():
        words = family.words_in(language)
        assert len(set(words.wordings)) == len(family.wordings) >= 2, name
        assert language is not ZH or all(wording.endswith(("。", "\uff1f", "}")) for wording in words.wordings), name
        pairs = zip((family.idea, *family.wordings), (words.idea, *words.wordings), strict=True)
        for number, (english, other) in enumerate(pairs):
            assert places_of(other) == places_of(english), (name, number)


def test_a_missing_translation_is_told_with_its_place() -> None:
    with pytest.raises(ToolkitError, match="'no_such_family' is not translated into 'zh'"):
        translated_family(ZH, "no_such_family")
    with pytest.raises(ToolkitError, match="'no_such_phrase' is not translated"):
        translated_phrase(ZH, "no_such_phrase")
    with pytest.raises(UsageError, match="cannot be written in 'tlh'"):
        find_language("tlh")


def test_a_phrase_is_declared_once_and_never_fixed_to_a_language_unnoticed() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        Phrase(KNOWN_FOR_SHARES.key, "again")
    with pytest.raises(ValueError, match="has the places"):
        KNOWN_FOR_SHARES()
    for part in (KNOWN_FOR_SHARES(columns="x"), code("x")):
        with pytest.raises(TypeError, match="fixed to one language"):
            f"{part}"


def test_lists_and_numbers_follow_the_language() -> None:
    assert names("abc").say(Language.ENGLISH) == "`a`, `b` and `c`"
    assert names("abc").say(ZH) == "`a`、`b` 和 `c`"
    assert Listing(('"Salt and Pepper"', '"b"'), Joint.OR).say(Language.ENGLISH) == '"Salt and Pepper" or "b"'
    assert Listing(("1", "2"), Joint.OR).say(ZH) == "1 或 2"
    assert [Ordinal(3).say(language) for language in Language] == ["3rd", "3"]


def test_a_name_with_spaces_is_warned_about_once_in_each_language() -> None:
    for language, warning in ((Language.ENGLISH, " (mind the spaces)"), (ZH, "\uff08注意其中的空格\uff09")):
        name = Name(" a").say(language)
        assert name == f'" a"{warning}'
        assert warn_once(f"{name} x {name} y", language).count(warning) == 1


def _foreign(query: str) -> str:
    """Return what a Chinese query may not hold: Latin words and narrow punctuation outside of names and code."""
    plain = re.sub(r'`[^`]*`|"[^"]*"', "@", query)
    words: list[str] = sorted(set(re.findall(r"[A-Za-z]+[0-9]?", plain)) - PLAIN)
    marks: list[str] = re.findall(r"[,;:?!()]|[\u3001\u3002\uff01-\uff1f] | [\u3001\u3002\uff01-\uff1f]|  ", plain)
    return " ".join([*words, *marks])


def _asked(profile: Profile, rng_seed: int) -> Iterator[str]:
    """Yield the ideas and queries of a sketch, and those of what else could be asked in its states."""
    board = Board(profile, infer_semantics(profile))
    for item in sketch_from_profile(profile, rng_seed=rng_seed, language=ZH):
        yield item.query_idea
        for family in FAMILIES.values():
            for slots in list(family.propose(board, Random(rng_seed)))[: 1 if item.number % 4 == 0 else 0]:
                task = family.build(board, slots)
                yield from (family.query(task, {**slots, "wording": w}, ZH) for w in range(len(family.wordings)))
        family = FAMILIES[item.family]
        task = family.build(board, item.slots)
        yield family.query(task, item.slots, ZH)
        board = task.board.after()


@pytest.mark.parametrize(
    "seed", [seed if seed in FEW else pytest.param(seed, marks=pytest.mark.deep) for seed in SHIPPED]
)
def test_chinese_queries_of_the_shipped_seeds_hold_no_english(seed: str) -> None:
    for query in _asked(shipped_profile(seed)[0], 1):
        assert _foreign(query) == "", query
        assert "{" not in query


def test_a_chinese_draft_differs_from_the_english_one_by_its_words_only(author: Callable[..., Author]) -> None:
    made = author(umlauts)
    sketches = [sketch_from_profile(made.profile, rng_seed=1, language=language) for language in Language]
    choices = [[(item.family, item.slots, item.depends_on) for item in items] for items in sketches]
    assert choices[0] == choices[1]
    english, chinese = (parsed(made.draft(rng_seed=1, language=language).text) for language in Language)
    assert [one.code for one in english.problems] == [one.code for one in chinese.problems]
    for one, other in zip(english.problems, chinese.problems, strict=True):
        assert _foreign(other.query) == "", other.query
        assert other.metadata["tags"] == [*one.metadata["tags"], "zh"]
