"""What must stay the same when a query is translated: names, values, paths and numbers, letter by letter."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from authoring.languages import Language
from authoring.prompting.prompts import is_chinese

_BACKTICKS: Final = re.compile(r"`[^`\n]+`")
_QUOTES: Final = re.compile(r"\"[^\"]+\"|(?<!\w)'[^'\n]+'(?!\w)")
_NAMES: Final = re.compile(
    r"(?<![\w/.])[A-Za-z_][\w./-]*(?:_\w|/|\.(?:csv|tsv|jsonl?|xlsx|parquet|txt|png|jpe?g))[\w./-]*"
)
_NUMBERS: Final = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN: Final = re.compile(r"[A-Za-z]{2,}")
MAX_SHOWN: Final = 6


@dataclass(frozen=True)
class Text:
    """One text to translate."""

    number: int  # in the prompt
    place: str  # for people: "problem 3"
    source: str
    names: tuple[str, ...] = ()  # of the code, that must stay where the source holds them as words


def wrong_with(text: Text, translated: str, language: Language) -> str:
    """Return what is wrong with a translation, for the model; empty when nothing is."""
    return "; ".join(_faults(text, translated, language))


def _faults(text: Text, translated: str, language: Language) -> Iterator[str]:
    if not translated.strip():
        yield "it is empty"
        return
    lost = _lost(text, translated)
    if lost:
        shown = ", ".join(lost[:MAX_SHOWN]) + (f" and {len(lost) - MAX_SHOWN} more" if len(lost) > MAX_SHOWN else "")
        yield f"these must stay letter by letter and are not there: {shown}"
    new = Counter(_BACKTICKS.findall(translated)) - Counter(_BACKTICKS.findall(text.source))
    if new:
        yield f"these stand in backticks, and the text has no such name: {', '.join(sorted(new)[:MAX_SHOWN])}"
    if not is_in(translated, language):
        yield f"it is not in {NAMES[language]}"
    if len(translated) > 4 * len(text.source) + 200:
        yield "it is far longer than the text"


def _lost(text: Text, translated: str) -> list[str]:
    """Return what the source holds more often than the translation."""
    lost: list[str] = []
    plain, left = (" ".join(each.split()) for each in (text.source, translated))
    for pattern in (_BACKTICKS, _QUOTES, _NAMES, _NUMBERS):
        wanted = Counter(map(_bare, pattern.findall(plain)))
        lost += [_shown(piece, pattern) for piece, count in wanted.items() if _count(piece, left, pattern) < count]
        if pattern is not _NUMBERS:
            plain = pattern.sub(" ", plain)
    words = set(re.findall(r"[^\W\d]\w*", plain))
    return lost + [
        name
        for name in text.names
        if name in words and not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", left, re.ASCII)
    ]


def _bare(piece: str) -> str:
    return piece.replace(",", "") if piece[0].isdigit() else piece.rstrip(".,;:") if piece[0] not in "`\"'" else piece


def _count(piece: str, text: str, pattern: re.Pattern[str]) -> int:
    if pattern is _NUMBERS:
        return sum(_bare(found) == piece for found in re.findall(r"\d[\d,]*(?:\.\d+)?", text))
    return text.count(piece[1:-1] if pattern is _QUOTES else piece)


def _shown(piece: str, pattern: re.Pattern[str]) -> str:
    return f"the number {piece}" if pattern is _NUMBERS else piece


NAMES: Final = {Language.ENGLISH: "English", Language.CHINESE: "Chinese"}


def is_in(text: str, language: Language) -> bool:
    """Return whether a text is in a language; one that holds hardly any words is in every one."""
    plain = _QUOTES.sub(" ", _BACKTICKS.sub(" ", text))
    if language is Language.CHINESE:
        return is_chinese(text) or not _LATIN.search(plain)
    return len(_HAN.findall(plain)) <= len(_LATIN.findall(plain)) // 4


def numbered(texts: Sequence[Text]) -> str:
    """Return texts as a prompt shows them."""
    return "\n\n".join(f"## {text.number}\n{text.source.strip()}" for text in texts)
