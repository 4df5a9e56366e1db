"""Where Markdown reads text, and where code, maths, HTML or addresses: read as the parser in the browser reads it."""

import re
from collections.abc import Iterator, MutableMapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.common.html_blocks import block_names
from markdown_it.rules_block import StateBlock, html_block
from markdown_it.rules_block.fence import make_fence_rule
from markdown_it.rules_inline import StateInline, html_inline
from markdown_it.token import Token

SIGNS: Final = ":!&"  # with them begin what Streamlit adds to Markdown, images, and characters by name


class Place(StrEnum):
    """What a sign stands in."""

    TEXT = "text"
    ESCAPED = "escaped"  # text, behind a backslash
    MATHS = "maths"
    AS_IT_IS = "as it is"  # code, HTML, an address: nothing acts in there, and a backslash would show


_SIGN: Final = re.compile(f"[{SIGNS}]")
_ADDRESS: Final = re.compile(r"://[^\s<>()\[\]`\\]{1,2000}+(?!\[)")  # a backslash would lead elsewhere
_SCHEME: Final = re.compile(r"(?<![A-Za-z])https?\Z")
_DOLLARS: Final = re.compile(r"\$+")
_FOOTNOTE: Final = re.compile(r"\[\^[^\]\n]+\]:")
_MATHS_BLOCK: Final = "maths"
_BLOCKS: Final = {
    "fence": Place.AS_IT_IS,
    "code_block": Place.AS_IT_IS,
    "html_block": Place.AS_IT_IS,
    _MATHS_BLOCK: Place.MATHS,
}
# As Streamlit's page decides whether to read any dollars as maths: what is no candidate for it, then both forms.
_NO_DOLLARS: Final = re.compile(
    r"(?:(?<=\n)|\A) {0,3}(`{3,}|~{3,})[\s\S]*?(?:\n[ \t]*\1|\Z)|(?<!`)(`+)[^`\n]+\2(?!`)|\\[\\$`]"
)
_MATHS: Final = re.compile(r"(?<!\$)\$\$+(?!\$)[\s\S]*?\$\$|(?<!\$)\$(?![\s$])[^$\n]*?[^\s$]\$(?![0-9])")
# A tag as the page reads it: a slash within a value without quotes makes it text.
_OPEN_TAG: Final = re.compile(
    r"""<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:[^"'=<>`\x00-\x20/]+|'[^']*'|"[^"]*"))?)*\s*/?>""",
    re.ASCII,
)
_TAG_NAME: Final = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)(?=[ \t\n/>]|\Z)")  # other spaces end no name
_TAG: Final = re.compile(r"</?[A-Za-z]")
_OF_BLOCKS: Final = frozenset({*block_names, "pre", "script", "style", "textarea"})  # they need not be well formed
_DEEPEST: Final = 50  # blocks in blocks; what lies deeper counts as text


def has_maths(text: str) -> bool:
    """Return whether Streamlit's page reads maths between dollars in this text, or leaves all dollars alone."""
    return "$" in text and _MATHS.search(_NO_DOLLARS.sub("_", text)) is not None


def places_of_signs(text: str) -> dict[int, Place]:
    """Return the place of each sign of a Markdown text, by its offset; where that is in doubt, it is text.

    Args:
        text: Lines end with a line feed alone.
    """
    parser = _parser(has_maths(text))
    tokens: list[Token] = []
    parser.block.parse(text, parser, {}, tokens)
    starts = [0, *(end.end() for end in re.finditer("\n", text)), len(text)]
    found = {sign.start(): _place_by_backslashes(text, sign.start()) for sign in _SIGN.finditer(text)}
    in_doubt = {"code_block"} if _FOOTNOTE.search(text) else set()  # the text of a footnote is indented as code is
    done: dict[int, int] = {}  # line -> how many signs of it lie in cells of a table that were read
    for token in tokens:
        if token.map is None or not (token.type == "inline" or token.type in _BLOCKS.keys() - in_doubt):
            continue
        first, last = token.map
        signs = list(_offsets(text, starts[first], starts[last]))
        if token.type in _BLOCKS:
            found.update(dict.fromkeys(signs, _BLOCKS[token.type]))
            continue
        places = _read_inline(parser, token.content)
        skipped = done.get(first, 0)
        done[first] = skipped + len(places)
        found.update(zip(signs[skipped:], places, strict=False))
    return found


def _offsets(text: str, start: int, end: int) -> Iterator[int]:
    return (sign.start() for sign in _SIGN.finditer(text, start, end))


def _place_by_backslashes(text: str, offset: int) -> Place:
    before = text[:offset]
    return Place.ESCAPED if (len(before) - len(before.rstrip("\\"))) % 2 else Place.TEXT


def _read_inline(parser: MarkdownIt, content: str) -> list[Place]:
    """Return the place of each sign of a paragraph, heading or cell: what no rule of ours comes by is no text."""
    places = dict.fromkeys(_offsets(content, 0, len(content)), Place.AS_IT_IS)
    parser.inline.parse(content, parser, {"places": places}, [])
    return list(places.values())


@lru_cache(maxsize=2)
def _parser(maths: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table").disable("image")
    parser.inline.ruler.before("escape", "signs", _note_sign)
    parser.inline.ruler.at("html_inline", _read_html)
    parser.block.ruler.at("html_block", _read_html_block, {"alt": ["paragraph", "reference", "blockquote"]})
    if maths:
        fence = make_fence_rule(markers=("$",), token_type=_MATHS_BLOCK, disallow_marker_in_info=("$",), min_markers=2)
        parser.block.ruler.before("fence", "maths", fence, {"alt": ["paragraph", "reference", "blockquote", "list"]})
        parser.inline.ruler.before("escape", "maths", _read_maths)
    return parser


def _note_sign(state: StateInline, silent: bool) -> bool:
    """Note a sign that is met where text is read; step over an address."""
    sign, env = state.src[state.pos], state.env
    if sign == ":" and _SCHEME.search(state.src[max(0, state.pos - 6) : state.pos]):
        address = _ADDRESS.match(state.src, state.pos, state.posMax)
        if address is not None:
            state.pos = address.end()
            return True
    if not silent and sign in SIGNS:
        env["places"][state.pos] = Place.TEXT
    if not silent and sign == "\\" and state.src[state.pos + 1 : state.pos + 2] in tuple(SIGNS):
        env["places"][state.pos + 1] = Place.ESCAPED
    return False


def _is_text(src: str, start: int, *, apart: frozenset[str] = frozenset()) -> bool:
    """Return whether what looks like a tag of another name than those is none to the page."""
    if not _TAG.match(src, start):
        return False
    name = _TAG_NAME.match(src, start)
    if name is not None and (name[1].lower() in apart or src[start + 1] == "/"):
        return False
    return _OPEN_TAG.match(src, start) is None


def _read_html(state: StateInline, silent: bool) -> bool:
    return not _is_text(state.src, state.pos) and html_inline(state, silent)


def _read_html_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    start = state.bMarks[first] + state.tShift[first]
    return not _is_text(state.src, start, apart=_OF_BLOCKS) and html_block(state, first, end, silent)


def _read_maths(state: StateInline, silent: bool) -> bool:
    """Read `$...$` or `$$...$$`: as many dollars end it as began it, and no backslash matters in between."""
    if state.src[state.pos] != "$":
        return False
    opening = _DOLLARS.match(state.src, state.pos, state.posMax)
    assert opening is not None
    ends = (each.end() for each in _DOLLARS.finditer(state.src, opening.end(), state.posMax) if each[0] == opening[0])
    end = next(ends, None)
    if end is not None and not silent:
        env: MutableMapping[str, Any] = state.env
        env["places"].update(dict.fromkeys(_offsets(state.src, opening.end(), end), Place.MATHS))
    state.pos = end or opening.end()
    return True
