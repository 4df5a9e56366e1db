"""Clean foreign HTML and Markdown, and draw differences between texts as HTML of our own."""

import difflib
import html
import re
from collections import Counter
from functools import lru_cache
from typing import Final, NamedTuple

from authoring.ui.drawing import ansi
from authoring.ui.drawing.markdown_signs import Place, places_of_signs
from authoring.ui.wording import NOTHING

MAX_DIFF_CHARS: Final = 1_000_000
MAX_EXACT_DIFF_LINES: Final = 4_000
MAX_WORD_DIFF_CHARS: Final = 20_000
_CONTEXT_LINES: Final = 3
_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w-]*)")
_NEVER_DEEP: Final = frozenset(  # they hold nothing, or are closed by what follows them, often not in so many words
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
    | {"p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot"}
)
_SIZE: Final = re.compile(r"<p>\d{1,12} rows × (\d{1,9}) columns</p>")
_HEADER_ROW: Final = re.compile(r"<thead>\s*<tr>(.{0,100000}?)</tr>", re.DOTALL)
_BODY_ROW: Final = re.compile(r"<tbody>\s*<tr>(.{0,100000}?)</tr>", re.DOTALL)
_HEADER_CELL: Final = re.compile(r'<th(?: colspan="(\d{1,6})")?[^>]{0,200}>([^<]*)</th>')
_SHORTCODE: Final = r"(?=[+\-\\&#;]*\w)[\w+\-\\&#;]+?(?:\\?:|&#|&colon)"  # of an emoji or icon, however it is written
_ACTIVE: Final = re.compile(
    rf"(?P<colon>:)(?:material(?=[/_])|(?=[A-Za-z:]|[^\x00-\x7f]|\d[^\s:\[{{]*[\[{{]|{_SHORTCODE}))"
    r"|!(?=\[)|(?P<entity>&(?:#0{0,5}58|#[xX]0{0,4}3[aA]|colon);)"
)
_PART_OF_NAME: Final = re.compile(_SHORTCODE)
_WORD_JOINER: Final = "\u2060"
_MARGIN: Final = (
    f"[{_WORD_JOINER}]: #\n\n"  # shows nothing, and Streamlit moves no text that begins with spaces to the left
)
_HTML_TAGS = frozenset(
    {"table", "thead", "tbody", "tfoot", "tr", "th", "td", "caption", "colgroup", "col"}
    | {"p", "br", "hr", "div", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"}
    | {"b", "i", "em", "strong", "u", "s", "code", "pre", "samp", "kbd", "sub", "sup", "small", "span"}
)
_REMOVED_WITH_CONTENT = frozenset(
    {"script", "style", "iframe", "object", "embed", "template", "noscript", "svg", "math", "title", "link"}
    | {"textarea", "select", "form", "button", "input"}
)


def nests_deeper(raw: str, depth: int) -> bool:
    """Return whether elements nest deeper than that: cleaning takes time with the square of the depth."""
    opened: Counter[str] = Counter()
    total = 0
    for tag in _TAG.finditer(raw):
        name = tag[2].lower()
        if name in _NEVER_DEEP or (tag[1] and not opened[name]):
            continue
        step = -1 if tag[1] else 1
        opened[name] += step
        total += step
        if total > depth:
            return True
    return False


def clean_html(raw: str) -> str:
    """Return the HTML with nothing but table, list and text tags; scripts, styles and links are gone."""
    import nh3

    cleaned = nh3.clean(
        raw,
        tags=set(_HTML_TAGS),
        clean_content_tags=set(_REMOVED_WITH_CONTENT),
        attributes={"td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan", "scope"}},
        allowed_classes={"table": {"dataframe"}},
        url_schemes=set(),
        link_rel=None,
    )
    return ansi.visible(cleaned)


class ColumnsCut(NamedTuple):
    """How many columns a table shows of how many it has."""

    shown: int
    all: int


def columns_cut(table: str) -> ColumnsCut | None:
    """Return how many columns a cleaned table of pandas leaves out; None where it says of none.

    A wide table is written with an ellipsis in the middle of its header and its true size below.
    """
    size, header, row = _SIZE.search(table), _HEADER_ROW.search(table), _BODY_ROW.search(table)
    if size is None or header is None or row is None:
        return None
    cells = _HEADER_CELL.findall(header[1])
    if not any(text.strip() in ("...", "…") for _, text in cells):
        return None
    index_levels = len(_HEADER_CELL.findall(row[1]))
    shown = sum(int(span or 1) for span, _ in cells) - index_levels - 1
    whole = int(size[1])
    return ColumnsCut(shown, whole) if 0 < shown < whole else None


@lru_cache(maxsize=64)  # pages draw the same texts again and again
def safe_markdown(raw: str) -> str:
    """Return Markdown whose images are plain text: a remote image would tell its host who reads.

    What Streamlit adds to Markdown (colours, icons, emoji by name) is plain text, too; code and maths stay as written.
    """
    text = ansi.shorten(ansi.plain_text(raw))[0]
    text = f"{_MARGIN}{text}" if text[:1].isspace() else text
    places = places_of_signs(text)
    parts, done = [], 0
    for sign in _ACTIVE.finditer(text):
        parts += [text[done : sign.start()], _inactive(sign, places[sign.start()])]
        done = sign.end()
    return "".join([*parts, text[done:]])


def _inactive(sign: re.Match[str], place: Place) -> str:
    """Return a sign so that it only stands for itself."""
    icon = sign[0].removeprefix(":") if sign["colon"] else ""
    if place is Place.MATHS:
        return f"{sign[0]}{'{}' if icon else ''}"
    if place is Place.AS_IT_IS:  # Streamlit replaces `:material/` there, too; a backslash would show
        return f"{sign[0]}{_WORD_JOINER if icon else ''}"
    is_name = icon or sign["entity"] or (sign["colon"] and _PART_OF_NAME.match(sign.string, sign.end()))
    backslash = "" if place is Place.ESCAPED or sign["entity"] else "\\"
    return f"{backslash}{sign[0].removesuffix(icon)}{NOTHING if is_name else ''}{icon}"


def cell_text(raw: str) -> str:
    """Return text for a widget that draws text as it is: invisible characters shown, controls gone, capped."""
    return ansi.shorten(ansi.plain_text(raw))[0]


def diff_html(before: str, after: str, *, exact_lines: int = MAX_EXACT_DIFF_LINES) -> str | None:
    """Return the changed lines with three lines around them as a table; None when the texts are equal.

    Texts of more than a megabyte together are not compared line by line. In texts of more than `exact_lines` lines
    together, lines that come again and again are not looked for.
    """
    if before == after:
        return None
    if len(before) + len(after) > MAX_DIFF_CHARS:
        return "<p>The texts differ and are too long to compare here.</p>"
    rows: list[str] = []
    old, new = before.splitlines(), after.splitlines()
    many = len(old) + len(new) > exact_lines  # equal lines by the thousand would take minutes
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=many)
    for group in matcher.get_grouped_opcodes(_CONTEXT_LINES):
        if rows or group[0][1] > 0:
            rows.append('<tr class="bw-gap"><td class="bw-no"></td><td class="bw-sign"></td><td>⋯</td></tr>')
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                rows += _rows(new[new_start:new_end], new_start, "", "")
                continue
            rows += _rows(old[start:end], start, "bw-del", "−")
            rows += _rows(new[new_start:new_end], new_start, "bw-add", "+")
    if not rows:
        return "<p>Only the line endings differ.</p>"
    return f'<table class="bw-diff" aria-label="changed lines"><tbody>{"".join(rows)}</tbody></table>'


def word_diff_html(before: str, after: str) -> str | None:
    """Return the newer text with the words that went struck out and those that came marked; None when equal."""
    if before == after:
        return None
    if len(before) + len(after) > MAX_WORD_DIFF_CHARS:
        return diff_html(before, after)
    old, new = _WORD.findall(before), _WORD.findall(after)
    parts: list[str] = []
    for tag, start, end, new_start, new_end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(_escaped(new[new_start:new_end]))
            continue
        parts.append(f"<del>{_escaped(old[start:end])}</del>" if end > start else "")
        parts.append(f"<ins>{_escaped(new[new_start:new_end])}</ins>" if new_end > new_start else "")
    return f'<div class="bw-words">{"".join(parts)}</div>'


def _escaped(words: list[str]) -> str:
    return html.escape(ansi.plain_text("".join(words)))


def _rows(lines: list[str], start: int, kind: str, sign: str) -> list[str]:
    attribute = f' class="{kind}"' if kind else ""
    return [
        f'<tr{attribute}><td class="bw-no">{number}</td><td class="bw-sign">{sign}</td>'
        f"<td>{html.escape(ansi.plain_text(line))}</td></tr>"
        for number, line in enumerate(lines, start + 1)
    ]
