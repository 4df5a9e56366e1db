"""Turn text that problem code printed into HTML that only says what it said: escaped, coloured, capped."""

import html
import re

HEAD_CHARS = 16_000  # of a long text we keep this much of its beginning ...
TAIL_CHARS = 4_000  # ... and this much of its end: together the 20,000 characters that a page shows

_SGR = re.compile(r"\x1b\[([0-9;]*)m")
# String-carrying sequences (OSC, DCS, SOS, PM, APC) up to their terminator, then CSI, then two-character escapes.
_ESCAPES = re.compile(
    r"\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
    r"|\x1b",
    re.DOTALL,
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def shorten(text: str, *, head: int = HEAD_CHARS, tail: int = TAIL_CHARS) -> tuple[str, int]:
    """Return the text with its middle left out when it is too long, and how many characters were left out."""
    left_out = len(text) - head - tail
    if left_out <= 0:
        return text, 0
    return f"{text[:head]}\n… {left_out:,} characters left out …\n{text[-tail:]}", left_out


def visible(text: str) -> str:
    """Show bidirectional and zero-width characters as escapes: unseen, they make code read as what it is not."""
    return _INVISIBLE.sub(lambda match: f"\\u{{{ord(match.group()):04x}}}", text)


def collapse_progress(text: str) -> str:
    r"""Keep what a terminal would show of lines that `\r` overwrites, as progress bars do."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(next((part for part in reversed(line.split("\r")) if part), "") for line in lines)


def plain_text(text: str) -> str:
    """Return the text without any terminal sequence or control character, invisible characters shown."""
    return visible(_CONTROLS.sub("", _ESCAPES.sub("", collapse_progress(text))))


def to_html(text: str) -> str:
    """Return escaped HTML in which colour codes are spans; every other terminal sequence is dropped."""
    parts: list[str] = []
    style = _Style()
    position = 0
    text = collapse_progress(shorten(text)[0])
    for match in _SGR.finditer(text):
        parts.append(style.wrap(text[position : match.start()]))
        style.apply(match.group(1))
        position = match.end()
    parts.append(style.wrap(text[position:]))
    return "".join(parts)


class _Style:
    """The colour and weight in force while a text is read from left to right."""

    def __init__(self) -> None:
        self.colour = ""
        self.bold = False

    def apply(self, codes: str) -> None:
        numbers = [int(code) for code in codes.split(";") if code] or [0]
        if numbers[0] in (38, 48):  # palette and true colour: their arguments are no codes of their own
            return
        for number in numbers:
            if number == 0:
                self.colour, self.bold = "", False
            elif number in (1, 22):
                self.bold = number == 1
            elif number == 39:
                self.colour = ""
            elif 30 <= number <= 37 or 90 <= number <= 97:
                self.colour = _COLOURS[number % 10]

    def wrap(self, text: str) -> str:
        escaped = html.escape(visible(_CONTROLS.sub("", _ESCAPES.sub("", text))))
        classes = " ".join(
            name for name in (f"bw-{self.colour}" if self.colour else "", "bw-bold" if self.bold else "") if name
        )
        return f'<span class="{classes}">{escaped}</span>' if classes and escaped else escaped
