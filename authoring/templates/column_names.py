"""What the names of columns tell: what is called alike, numbered, or named after something else."""

import re
from functools import cache
from itertools import takewhile
from typing import Final

from authoring.templates.names_in_words import slug

ITEM_CODE: Final = re.compile(r"[A-Za-z]{1,2}_?\d{1,3}")  # names of questions of a form, whose words are not told


def share_a_word(one: str, other: str) -> bool:
    """Return whether two names speak of the same thing, as yrs.service and yrs.since.phd, readscr and mathscr do."""
    if any(len(word) > 2 for word in _words_of(one) & _words_of(other)):
        return True
    ending = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one[::-1], other[::-1], strict=False)))
    return ending >= 3 and min(len(one), len(other)) - ending >= 2  # weight and height speak of different things


def is_named_after(long: str, short: str) -> bool:
    """Return whether a name holds another one, as rprice and price_index hold price."""
    return len(short) >= 4 and long != short and (long.startswith(short) or long.endswith(short))


@cache
def _words_of(name: str) -> frozenset[str]:
    return frozenset(slug(name).split("_"))


def is_numbered(name: str) -> bool:
    """Return whether a name is the number of a question of a form, or of one of many shares of the same thing."""
    return bool(ITEM_CODE.fullmatch(name))


def names_the_table(column: str, table: str) -> bool:
    """Return whether a table seems to be called after a column: `tips` after `tip`, `birthwt` after `bwt`."""
    short, long = (re.sub(r"[^a-z]", "", name.lower()) for name in (column, table))
    if len(long) >= 4 and short.startswith(long):
        return True
    if len(short) < 3 or len(short) > len(long):
        return False
    letters = iter(long)
    return short[:3] == long[:3] or (short[0] == long[0] and all(letter in letters for letter in short))
