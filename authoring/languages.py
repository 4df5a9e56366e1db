"""The languages that queries can be written in."""

from enum import StrEnum

from evaluator.errors import UsageError


class Language(StrEnum):
    """A language by its ISO 639-1 code. Names, values and code are the same in all of them."""

    ENGLISH = "en"
    CHINESE = "zh"


def find_language(code: str) -> Language:
    """Return the language with that code.

    Raises:
        UsageError: If queries cannot be written in it.
    """
    try:
        return Language(code)
    except ValueError:
        raise UsageError(f"queries cannot be written in {code!r}", fix=f"use one of {', '.join(Language)}") from None
