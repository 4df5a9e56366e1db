"""How many tokens a text takes, estimated by rule: the same on every machine, with no tokenizer to download.

Each vocabulary cuts differently; docs/prompts.md tells how far the estimate was from three of them.
"""

import math
import re
from functools import lru_cache
from typing import Final

_PIECE: Final = re.compile(r"[A-Za-z]+|[0-9]+|[^\S\n]+|\n+|[!-/:-@\[-`{-~]+|.", re.DOTALL)
_SHORT_WORD: Final = 5  # letters; words up to here are mostly one token
_LETTERS_PER_MORE: Final = 6  # of a longer word
_DIGITS_PER_TOKEN: Final = 3
_MORE_PUNCTUATION: Final = 0.2  # of a token for each further mark of a run
_WIDE: Final = 0x2E80  # from here on scripts such as Chinese, with about one token for a character
_WIDE_COST: Final = 1.1
_OTHER_COST: Final = 0.9  # accented letters and other signs outside ASCII


@lru_cache(maxsize=256)  # each request counts again what the one before it showed
def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text takes (count)."""
    return math.ceil(sum(_cost(match.group()) for match in _PIECE.finditer(text)))


def _cost(piece: str) -> float:
    first, length = piece[0], len(piece)
    if not first.isascii():
        return _WIDE_COST if ord(first) >= _WIDE else _OTHER_COST
    if first.isalpha():
        return 1.0 + max(0, length - _SHORT_WORD) / _LETTERS_PER_MORE
    if first.isdigit():
        return math.ceil(length / _DIGITS_PER_TOKEN)
    if first.isspace():
        return float(first == "\n" or length > 1)  # a single space belongs to the word behind it
    return 1.0 + _MORE_PUNCTUATION * (length - 1)
