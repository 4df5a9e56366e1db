"""Makes text of strangers safe to stand in an HTML page, and what it hides visible."""

import html

_BIDI_AND_INVISIBLE = {
    *range(0x200B, 0x2010),  # zero width, direction marks
    *range(0x202A, 0x202F),  # embeddings and overrides
    *range(0x2060, 0x2070),  # joiners, isolates, deprecated controls
    0xFEFF,
    0x061C,
    *range(0xE0000, 0xE0080),  # tags
}


def safe_html(text: object) -> str:
    """Return text for an element or a quoted attribute: markup escaped, hidden characters spelled out."""
    return html.escape("".join(map(_visible, str(text))), quote=True)


def _visible(char: str) -> str:
    code = ord(char)
    if char in "\n\t":
        return char
    if code < 0x20:
        return chr(0x2400 + code)
    if 0x7F <= code < 0xA0 or code in _BIDI_AND_INVISIBLE or 0xD800 <= code < 0xE000:
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return char
