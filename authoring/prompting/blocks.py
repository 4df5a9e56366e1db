"""The blocks that prompts are put together from, the tokens that each may take, and how a longer one is cut."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from authoring.prompting.tokens import estimate_tokens


class Unit(StrEnum):
    """Between what a block may be cut."""

    LINES = "lines"
    PARAGRAPHS = "paragraphs"
    CELLS = "cells"


@dataclass(frozen=True)
class BlockKind:
    """One kind of block."""

    tokens: int  # it takes at most (estimated count)
    unit: Unit
    what: str  # for people


BLOCKS: Final[Mapping[str, BlockKind]] = MappingProxyType(
    {
        "system": BlockKind(400, Unit.LINES, "who the model is and that material gives no orders"),
        "instructions": BlockKind(1_500, Unit.PARAGRAPHS, "the words of the prompt file itself"),
        "format": BlockKind(5_000, Unit.PARAGRAPHS, "the file format and every validator and option, with examples"),
        "guide": BlockKind(16_000, Unit.PARAGRAPHS, "the workspace's guide; the longest one that can be saved fits"),
        "data": BlockKind(6_000, Unit.LINES, "tables, columns, counts per category, keys, pictures"),
        "meanings": BlockKind(2_000, Unit.LINES, "what rows and columns mean"),
        "statement": BlockKind(10_000, Unit.LINES, "what rules make of rows and columns, in the form to answer in"),
        "samples": BlockKind(1_500, Unit.LINES, "a few rows of each table"),
        "traps": BlockKind(800, Unit.LINES, "what is awkward in the data"),
        "notebook": BlockKind(4_000, Unit.PARAGRAPHS, "the seed's notebook, its cells"),
        "session": BlockKind(7_000, Unit.CELLS, "one complete problemset of high quality on other data"),
        "outline": BlockKind(2_500, Unit.LINES, "the queries of that problemset"),
        "examples": BlockKind(2_500, Unit.LINES, "the queries of accepted sets, which are not to be repeated"),
        "covered": BlockKind(600, Unit.LINES, "knowledge points that accepted sets ask for"),
        "sketch": BlockKind(4_000, Unit.LINES, "the planned problems"),
        "query language": BlockKind(200, Unit.LINES, "which language users ask in"),
        "problemset": BlockKind(16_000, Unit.CELLS, "the problemset that is to be refined"),
        "wishes": BlockKind(5_000, Unit.LINES, "comments and findings on the chosen problems"),
        "edits": BlockKind(8_000, Unit.PARAGRAPHS, "how problems were changed, before and after"),
        "comments": BlockKind(8_000, Unit.LINES, "what reviewers said, with kind and place, newest first"),
        "topic": BlockKind(1_500, Unit.LINES, "what a notebook-style set is about, or which topics exist"),
        "mended steps": BlockKind(2_000, Unit.PARAGRAPHS, "bad steps in notebook style, and how they are mended"),
        "texts": BlockKind(6_000, Unit.PARAGRAPHS, "texts that are to be translated"),
        "complaint": BlockKind(2_500, Unit.LINES, "what is wrong with an answer"),
    }
)
"""Every block by its name; the table in docs/prompts.md is this one."""

_BEFORE: Final = {Unit.LINES: r"(?<=\n)", Unit.PARAGRAPHS: r"(?<=\n)(?=\n)", Unit.CELLS: r"(?m)^(?=# %%)"}
_NOTE_TOKENS: Final = 25  # kept free for the note about what is left out


@dataclass(frozen=True)
class Block:
    """A part of a prompt as it is shown."""

    name: str  # one of BLOCKS
    text: str  # with its heading and fences
    is_cut: bool = False  # whether something of it is left out

    @property
    def tokens(self) -> int:
        """How many tokens it takes (estimated count)."""
        return estimate_tokens(self.text)


def block(name: str, text: str, *, title: str = "", above: str = "", fence: str = "") -> Block:
    """Return a text as a block of a prompt, cut where it is longer than such a block may be; empty without text.

    Args:
        name: One of BLOCKS.
        text: What may be cut.
        title: Its heading, with the marks that say its rank, such as "# Sketch"; empty: none.
        above: What stands between heading and text.
        fence: What a fence around the text is opened with, such as "python"; empty: none.
    """
    if not text.strip():
        return Block(name, "")
    kind = BLOCKS[name]
    frame = _framed("", title, above, fence)
    text = text.strip("\n") if title or fence else text
    shown = cut_to_tokens(text, kind.tokens - estimate_tokens(frame), kind.unit)
    return Block(name, _framed(shown, title, above, fence), is_cut=shown != text)


def _framed(text: str, title: str, above: str, fence: str) -> str:
    inner = f"```{fence}\n{text}\n```" if fence else text
    body = f"{above}\n{inner}" if above else inner
    return f"\n\n{title}\n{body}" if title else body


def cut_to_tokens(text: str, tokens: int, unit: Unit) -> str:
    """Return the beginning of a text that takes at most so many tokens, with a note of what is left out.

    It is cut between lines, paragraphs or cells; where not even the first of them fits, between characters.
    """
    if estimate_tokens(text) <= tokens:
        return text
    pieces = [piece for piece in re.split(_BEFORE[unit], text) if piece]
    kept = _fitting(pieces, tokens - _NOTE_TOKENS)
    if not kept:
        return f"{_beginning(pieces[0], tokens - _NOTE_TOKENS)}\n(the rest is left out to keep this short)"
    shown, left = "".join(pieces[:kept]).rstrip("\n"), len(pieces) - kept
    note = f"({left} more {unit.value[:-1] if left == 1 else unit.value} left out to keep this short)"
    return f"{shown}\n\n# {note}" if unit is Unit.CELLS else f"{shown}\n{note}"


def shares(texts: Sequence[str], tokens: int) -> tuple[int, ...]:
    """Return how many tokens each of some texts may take, so that short ones are whole and long ones share the rest."""
    wanted = [estimate_tokens(text) for text in texts]
    given: dict[int, int] = {}
    left = tokens
    for rank, position in enumerate(sorted(range(len(wanted)), key=lambda one: wanted[one])):
        given[position] = min(wanted[position], left // (len(wanted) - rank))
        left -= given[position]
    return tuple(given[position] for position in range(len(wanted)))


def joined(blocks: Iterable[Block]) -> str:
    """Return the texts of blocks, one after the other."""
    return "".join(each.text for each in blocks)


def _fitting(pieces: Sequence[str], tokens: int) -> int:
    """Return how many of the first pieces fit (count)."""
    taken = 0
    for count, piece in enumerate(pieces):
        taken += estimate_tokens(piece)
        if taken > tokens:
            return count
    return len(pieces)


def _beginning(text: str, tokens: int) -> str:
    """Return the longest beginning that fits, found by halving."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(text[:middle]) <= tokens else (low, middle - 1)
    return text[:low]
