"""Markdown of strangers as plain text in sections: headings and their texts, without marks, pictures and markup."""

import html
import re
from dataclasses import dataclass, field
from typing import Final

_CODE: Final = re.compile(r"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`)", re.DOTALL)
_FENCED: Final = re.compile(r"```[\w+-]*[ \t]*\n(.*?)```", re.DOTALL)
_DETAILS: Final = re.compile(r"<details\b[^<>]{0,200}>(.*?)</details\s*>", re.DOTALL | re.IGNORECASE)
_LEADING_DETAILS: Final = re.compile(r"\s*" + _DETAILS.pattern, re.DOTALL | re.IGNORECASE)
_BOLD_NUMBER: Final = re.compile(r"^[ \t]*\*\*[ \t]*(\d{1,3}[.)])[ \t]*\*\*[ \t]*(?=\S)", re.MULTILINE)
_BREAK: Final = "\x01"  # begins a line that begins a section without a heading
_SUMMARY: Final = re.compile(r"<summary\b[^<>]{0,200}>(.{0,500}?)</summary\s*>", re.DOTALL | re.IGNORECASE)
_HTML_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_PICTURE: Final = re.compile(r"!\[[^\[\]]{0,500}\]\([^()]{0,2000}\)|<img\b[^<>]{0,100000}>", re.IGNORECASE)
_LINK: Final = re.compile(
    r"\[([^\[\]\n]{1,500})\]\([ \t]?<?((?:[^()\s<>]|\([^()\s<>]{0,200}\)){1,2000})>?(?:[ \t][^()\n]{0,300})?\)"
)
_HTML_HEADING: Final = re.compile(r"<h([1-6])\b[^<>]{0,200}>(.{0,500}?)</h\1\s*>", re.DOTALL | re.IGNORECASE)
_HTML_LINE: Final = re.compile(r"<br\s*/?>|</?(?:p|div|tr|ul|ol|table|center)\b[^>]*>", re.IGNORECASE)
_HTML_ITEM: Final = re.compile(r"<li\b[^<>]{0,200}>", re.IGNORECASE)
_HTML_CELL: Final = re.compile(r"</t[dh]\s*>\s*<t[dh]\b[^>]*>", re.IGNORECASE)
_HTML_TAG: Final = re.compile(r"</?[a-zA-Z][\w-]*(?:\s[^<>]*)?/?>")
_TAG_NAME: Final = re.compile(r"<([a-zA-Z][\w-]*)(?:\s[^<>]*)?/?>")
_PLAIN_TAGS: Final = frozenset(
    [
        "a",
        "b",
        "br",
        "center",
        "code",
        "div",
        "em",
        "font",
        "hr",
        "i",
        "p",
        "pre",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "u",
    ]
)
_BOLD: Final = re.compile(
    r"\*\*(?=\S)(.{1,1000}?)(?<=\S)\*\*|__(?=\S)([^_\n]{1,500}\s[^_\n]{1,500}?)(?<=\S)__", re.DOTALL
)
_ITALIC: Final = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])")
_ESCAPE: Final = re.compile(r"\\([_*#\[\]()`.\-+!<>{}|~])")
_QUOTE: Final = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_RULER: Final = re.compile(r"^[ \t]*(?:-[ \t]*){3,}$|^[ \t]*(?:\*[ \t]*){3,}$|^[ \t]*(?:_[ \t]*){3,}$")
_HEADING: Final = re.compile(r"^[ \t]{0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_TIGHT_HEADING: Final = re.compile(r"^(#{1,6})(?=[^\s#!])(.*)$")
_UNDERLINE: Final = re.compile(r"^(=+|-+)[ \t]*$")
_DIFFICULTY: Final = re.compile(r"^\s*difficulty\s*:\s*[\w ()/*★]{1,30}$", re.IGNORECASE)
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)")
_ANSWER: Final = re.compile(r"\b(?:solutions?|answers?|click|show|reveal|code|lösung)\b", re.IGNORECASE)
_HINTS: Final = re.compile(r"\bhints?\b|\btipps?\b", re.IGNORECASE)


@dataclass
class TextSection:
    """A heading and the text below it."""

    level: int  # of the heading, 1..6; 0: there is none
    heading: str
    lines: list[str] = field(default_factory=list)

    @property
    def body(self) -> str:
        """The text below the heading."""
        return "\n".join(self.lines).strip("\n")

    @property
    def text(self) -> str:
        """Heading and text."""
        return "\n".join(part for part in (self.heading, self.body) if part.strip())


@dataclass(frozen=True)
class PlainMarkdown:
    """What Markdown says, and what of it cannot be told in words."""

    sections: tuple[TextSection, ...]
    pictures: int = 0
    solutions: tuple[str, ...] = ()  # code that stood in hidden parts
    hidden: tuple[str, ...] = ()  # texts that stood there, such as hints
    has_markup: bool = False  # HTML that was reduced to its text


def hidden_answer(text: str) -> tuple[str, str]:
    """Return the code hidden at the beginning of a text, which answers what stands above, and the text below."""
    codes: list[str] = []
    while (found := _LEADING_DETAILS.match(text)) is not None:
        summary = _SUMMARY.search(found[1])
        if summary is not None and (_HINTS.search(summary[1]) or not _ANSWER.search(summary[1])):
            break
        codes += _FENCED.findall(found[1])
        text = text[found.end() :]
    return "\n\n".join(code.strip("\n") for code in codes), text


def plain_markdown(text: str) -> PlainMarkdown:
    """Return Markdown as sections of plain text; code in it stays as it is, nested lists keep their indentation."""
    solutions: list[str] = []
    hidden: list[str] = []

    def fold(found: re.Match[str]) -> str:
        inner = found[1]
        codes = _FENCED.findall(inner)
        summary = _SUMMARY.search(inner)
        told = _words(_FENCED.sub("", _SUMMARY.sub("", inner))).strip()
        if codes and not (summary is not None and _HINTS.search(summary[1])):
            solutions.extend(codes)
        elif codes:
            told = "\n".join([told, *codes]).strip()
        if told:
            hidden.append(told)
        return "\n"

    text = text.replace(_BREAK, "").replace("\t", "    ")
    if "</details" in text.lower():
        text = _DETAILS.sub(fold, text)
    pictures = len(_PICTURE.findall(text)) + len(re.findall(r"<(?:iframe|video|svg)\b", text, re.IGNORECASE))
    parts = _CODE.split(text)
    has_markup = any(name.lower() not in _PLAIN_TAGS for part in parts[::2] for name in _TAG_NAME.findall(part))
    plain = "".join(part if number % 2 else _words(part) for number, part in enumerate(parts))
    return PlainMarkdown(tuple(_sections(plain)), pictures, tuple(solutions), tuple(hidden), has_markup)


def _words(text: str) -> str:
    """Return a piece of Markdown without code as plain text."""
    text = _HTML_COMMENT.sub("", text) if "-->" in text else text
    text = _PICTURE.sub("", text)
    text = _LINK.sub(_link, text)
    text = _HTML_HEADING.sub(lambda found: f"\n{'#' * int(found[1])} {found[2].strip()}\n", text)
    text = _HTML_CELL.sub(" | ", text)
    text = _HTML_ITEM.sub("\n- ", text)
    text = _HTML_TAG.sub("", _HTML_LINE.sub("\n", text))
    if len(_BOLD_NUMBER.findall(text)) == 1:  # several are the steps of one task
        text = _BOLD_NUMBER.sub(rf"{_BREAK}\1 ", text)
    text = _BOLD.sub(lambda found: found[1] or found[2], text)
    text = _ITALIC.sub(r"\1", text)
    return html.unescape(_ESCAPE.sub(r"\1", _QUOTE.sub("", text)))


def _link(found: re.Match[str]) -> str:
    """Return a link's words and its address, which may be what is asked about."""
    words, address = found[1].strip(), found[2]
    is_anchor = address.startswith("#") or words == address
    return words if is_anchor else f"{words} ({address})"


def _sections(text: str) -> list[TextSection]:
    made = [TextSection(0, "")]
    is_code = False
    for line in text.split("\n"):
        is_fence = bool(_FENCE.match(line))
        is_code ^= is_fence
        heading = None if is_code or is_fence else (_HEADING.match(line) or _TIGHT_HEADING.match(line))
        if heading is not None:
            made.append(TextSection(len(heading[1]), heading[2].strip()))
        elif not is_code and _UNDERLINE.match(line) and _is_title_above(made[-1]):
            title = made[-1].lines.pop().strip()
            made.append(TextSection(1 if line.startswith("=") else 2, title))
        elif line.startswith(_BREAK):
            made.append(TextSection(0, "", [line[1:].rstrip()]))
        elif is_code or not (_RULER.match(line) or _DIFFICULTY.match(line)):
            made[-1].lines.append(line.rstrip())
    for section in made:
        section.lines = re.sub(r"\n{3,}", "\n\n", section.body).split("\n") if section.body.strip() else []
    return [section for section in made if section.text.strip()]


def _is_title_above(section: TextSection) -> bool:
    lines = section.lines
    return (
        bool(lines)
        and bool(lines[-1].strip())
        and (len(lines) == 1 or not lines[-2].strip())
        and lines[-1][0] not in "-*+ |"
    )
