"""Scores of texts: numbers in printed output, ROUGE-1, the closing answer of a word problem (arXiv:2407.10499).

Each function comes in two readings: as the published harness scores, faults included, and as a sound one does.
"""

import functools
import itertools
import math
import re
from collections.abc import Sequence
from typing import Any, Final

RTOL: Final = 1e-6  # of numbers that are compared soundly
MAX_NUMBERS: Final = 100_000  # in one text; more are too many to compare

_NUMBER: Final = re.compile(
    r"(?<![A-Za-z0-9_.])[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?:inf(?:inity)?|nan)(?![A-Za-z0-9_]))",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")
_TRUTH: Final = re.compile(r"\b(True|False)(?:_|\b)")
_GROUPED: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_PUBLISHED_ANSWER: Final = re.compile(r"(?<=[\s$%#{])[+-]?(?=\S)(?:0|[1-9]\d*)?(?:\.\d*[1-9])?(?=[\s.,}]|$)")
_ANSWER: Final = re.compile(
    r"(?<![A-Za-z0-9_.])[+\-−]?[$€£¥]?\s?[+\-−]?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
)
_FRACTION: Final = re.compile(r"(?:(?<![\d.,])(\d+)\s+)?(?<![\d.,/])(\d+)\s*/\s*(\d+)$")
_EITHER: Final = re.compile(r"\s*,?\s*(?:or|或者?)\s*", re.IGNORECASE)
_AND_SO_ON: Final = re.compile(r"\s*[,;、]\s*(?:or\s+|and\s+)?", re.IGNORECASE)
_FEW: Final = 2  # numbers beside each other that may be a place and an amount
_CLOSING: Final = ("Final Answer:", "final answer:", "####")
_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003134f"
_TOKENS: Final = re.compile(f"[a-z0-9]+|[{_CJK}]")


def numeric_as_published(expected: str, found: str) -> float:
    """Return 1 if the stripped expected text is contained in the stripped found one, else 0.

    Source: the CIBench harness (arXiv:2407.10499): neither numbers are parsed nor is there a tolerance.
    """
    return float(expected.strip() in found.strip())


def numeric_soundly(expected: str, found: str) -> float:
    """Return 1 if the same numbers stand in both texts, in the same order, within a relative 1e-6; else 0.

    A text without numbers must be equal but for blanks. Words are free, but truth values that both texts have are the
    same, and the same names stand at the same numbers.
    """
    expected, found = (text.replace("\u2212", "-") for text in (expected, found))
    if expected.split() == found.split():
        return 1.0
    truths = [_TRUTH.findall(text) for text in (expected, found)]
    if all(truths) and truths[0] != truths[1]:
        return 0.0
    readings = ((expected, found), (_ungrouped(expected), _ungrouped(found)))
    return float(any(_says_the_same(*reading) for reading in readings))


def numbers_in(text: str) -> list[float]:
    """Return the numbers of a text in order; digits within names are none."""
    return [number for number, _ in _numbers_and_words(text)[0]]


def _numbers_and_words(text: str) -> tuple[list[tuple[float, str]], str]:
    """Return the numbers of a text with the words before each, and the words behind the last; none of too many."""
    found: list[tuple[float, str]] = []
    end = 0
    for match in _NUMBER.finditer(text):
        found.append((float(match.group()), _words(text[end : match.start()])))
        end = match.end()
        if len(found) > MAX_NUMBERS:
            return [], ""
    return found, _words(text[end:])


def _words(text: str) -> str:
    words: list[str] = _WORD.findall(text)
    return " ".join(words).casefold()


def _says_the_same(expected: str, found: str) -> bool:
    """Return whether two texts have the same numbers, and none of the names that both use at another number."""
    (ours, our_end), (theirs, their_end) = (_numbers_and_words(text) for text in (expected, found))
    numbers = [number for number, _ in ours]
    if not _same_numbers(numbers, [number for number, _ in theirs]):
        return False
    before, their_before = ([words for _, words in one] for one in (ours, theirs))
    after, their_after = [*before[1:], our_end], [*their_before[1:], their_end]
    nearest = ([_last(words) for words in before], [_last(words) for words in their_before])
    next_words = ([_first(words) for words in after], [_first(words) for words in their_after])
    readings = ((before, their_before), (after, their_after), nearest, next_words)
    return not any(_exchanged(numbers, *reading) for reading in readings)


def _first(words: str) -> str:
    return words.partition(" ")[0]


def _last(words: str) -> str:
    return words.rpartition(" ")[2]


def _exchanged(numbers: Sequence[float], names: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether the same names stand at other numbers."""
    if sorted(names) != sorted(others):
        return False
    return sorted(zip(names, map(repr, numbers), strict=True)) != sorted(zip(others, map(repr, numbers), strict=True))


def _ungrouped(text: str) -> str:
    return _GROUPED.sub(lambda match: match.group().replace(",", ""), text)


def _same_numbers(expected: Sequence[float], found: Sequence[float]) -> bool:
    if not expected or len(expected) != len(found):
        return False
    return all(is_close(one, other) for one, other in zip(expected, found, strict=True))


def is_close(expected: float, found: float) -> bool:
    """Return whether two numbers agree within a relative 1e-6; not-a-number agrees with itself."""
    if math.isnan(expected) or math.isnan(found):
        return math.isnan(expected) and math.isnan(found)
    return math.isclose(expected, found, rel_tol=RTOL, abs_tol=1e-12)


def rouge_1(expected: str, found: str, *, sound: bool) -> float:
    """Return the F1 of ROUGE-1 without stemming, in [0, 1]; 0 where a side has no tokens.

    Args:
        expected: The target.
        found: What is compared with it.
        sound: One token per character of Chinese, Japanese and Korean; the published tokens are a-z and 0-9 alone.
    """
    return float(_scorer(sound).score(expected, found)["rouge1"].fmeasure)


@functools.cache
def _scorer(sound: bool) -> Any:
    from rouge_score.rouge_scorer import RougeScorer  # late: it brings nltk, and numbers need none of it

    return RougeScorer(["rouge1"], tokenizer=CharacterTokenizer() if sound else None)


class CharacterTokenizer:
    """Tokens of the published kind, and each character of scripts that are written without blanks."""

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens in order."""
        return _TOKENS.findall(text.lower())


def answer_as_published(text: str) -> float | int | None:
    """Return the number that the published extraction takes for the answer of a word problem; None: invalid.

    Commas are never part of a number there, decimals must not end in 0, and a number before the end of a line is
    followed by a written-out newline and so not seen.
    """
    matches = [match.group() for match in _PUBLISHED_ANSWER.finditer(text.strip(".").replace("\n", "\\n"))]
    last = matches[-1].replace("+", "") if matches else ""
    if not any(character.isdecimal() for character in last):
        return None
    return float(last) if "." in last else int(last) if len(last) <= _MOST_DIGITS else math.inf


_MOST_DIGITS: Final = 4300  # of an integer, as Python's own limit


def answer_soundly(text: str) -> float | None:
    """Return the last number of the closing answer: thousands separators, trailing zeros and units are understood.

    A fraction is one number.
    """
    closing, _ = _closing(text)
    matches = list(_ANSWER.finditer(closing))
    if not matches:
        return None
    fraction = _FRACTION.search(closing[: matches[-1].end()])
    if fraction is None or not float(fraction[3]):
        return _number(matches[-1])
    sign = -1.0 if re.search(r"[-\u2212][$€£¥]?\s?$", closing[: fraction.start()]) else 1.0
    return sign * (float(fraction[1] or 0) + float(fraction[2]) / float(fraction[3]))


def _closing(text: str) -> tuple[str, bool]:
    """Return the line of the closing answer, or else all of the text, and whether the answer was marked."""
    for mark in _CLOSING:
        _, found, rest = text.rpartition(mark)
        line = next((line for line in rest.splitlines() if any(map(str.isdecimal, line))), "") if found else ""
        if line:
            return line, True
    return text, False


def _number(match: re.Match[str]) -> float:
    return float(re.sub(r"[$€£¥,\s]", "", match.group()).replace("\u2212", "-").replace("+", "", 1))


def _leaves_a_choice(text: str) -> bool:
    """Return whether the last number is one of several: joined by "or", or a list of three in a marked answer."""
    closing, is_marked = _closing(text)
    numbers: list[float] = []
    for one, other in reversed(list(itertools.pairwise(_ANSWER.finditer(closing)))):
        numbers = numbers or [_number(other)]
        between = closing[one.end() : other.start()]
        if len(numbers) == 1 and _EITHER.fullmatch(between):
            return not is_close(_number(one), numbers[0])
        if not is_marked or not _AND_SO_ON.fullmatch(between):
            break
        numbers.append(_number(one))
    return len(numbers) > _FEW and len(set(numbers)) > 1


def final_answer(expected: str, found: str, *, sound: bool) -> float | None:
    """Return 1 if two texts close with the same number, else 0; None where the expected one closes with none.

    Soundly, a text that leaves a choice between numbers, where the expected one leaves none, closes with none.
    """
    if not sound:
        gold, answer = answer_as_published(expected), answer_as_published(found)
        return None if gold is None else float(gold == answer)
    wanted, given = answer_soundly(expected), answer_soundly(found)
    if wanted is None:
        return None
    is_vague = _leaves_a_choice(found) and not _leaves_a_choice(expected)
    return float(given is not None and not is_vague and is_close(wanted, given))
