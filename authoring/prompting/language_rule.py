"""What a model is told about the language of queries, and whether it kept to it."""

import re
from collections.abc import Sequence
from typing import Final

from authoring.languages import Language
from authoring.prompting.prompts import PromptBook

_QUOTED: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|'[^'\n]*'")  # names, values and code are the same in all languages
_CHINESE: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN: Final = re.compile(r"[A-Za-z_]{2,}")


def language_rule(book: PromptBook, language: Language) -> str:
    """Return the part of a prompt that asks for the language; empty for English, in which prompts are written."""
    return "" if language is Language.ENGLISH else f"{book.text(f'queries_{language.value}')}\n\n"


def is_chinese(text: str) -> bool:
    """Tell whether a text is mostly Chinese: more characters than Latin words, names in quotes not counted."""
    plain = _QUOTED.sub(" ", text)
    return len(_CHINESE.findall(plain)) > len(_LATIN.findall(plain))


def other_languages(queries: Sequence[str], language: Language) -> str:
    """Return the complaint about queries that are mostly not in the language; empty when there is none."""
    if language is not Language.CHINESE:
        return ""
    wrong = [str(number) for number, query in enumerate(queries, 1) if not is_chinese(query)]
    return f"these queries are not written in Chinese, as asked for: {', '.join(wrong)}" if wrong else ""
