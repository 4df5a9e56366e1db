"""Outputs of problem code as blocks that are safe to draw. Pure: no Streamlit here, so every rule has a plain test.

Outputs are hostile material: they are stored raw and cleaned here, each time they are drawn.
"""

import base64
import binascii
import html
import json
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from authoring.ui.drawing import ansi
from authoring.ui.drawing.markup import clean_html, nests_deeper, safe_markdown
from authoring.ui.drawing.tracebacks import split_traceback

MAX_PIXELS = 16_000_000  # a decoded picture of this size takes 64 MB
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels of PNG or JPEG bytes; None for anything else or a damaged header."""
    if data.startswith(_PNG):
        return _png_size(data)
    if data.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    return None


def _png_size(data: bytes) -> tuple[int, int] | None:
    if len(data) < 24 or data[12:16] != b"IHDR" or not _has_one_header(data):
        return None
    width, height = struct.unpack(">II", data[16:24])
    return (width, height) if width and height else None


def _has_one_header(data: bytes) -> bool:
    """Return whether a PNG states its size once: of several headers a decoder may believe another one than we do."""
    headers, position = 0, len(_PNG)
    while position + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        headers += kind == b"IHDR"
        position += 12 + length
    return headers == 1


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    position = 2
    while position + 9 <= len(data) and data[position] == 0xFF:
        marker, length = data[position + 1], struct.unpack(">H", data[position + 2 : position + 4])[0]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[position + 5 : position + 9])
            return (width, height) if width and height else None
        position += 2 + max(length, 2)
    return None


MAX_BLOCKS = 100
MAX_BYTES = 5_000_000  # per output; a larger one is offered for download
MAX_CHART_BYTES = 1_000_000
MAX_DEPTH = 100  # of a chart's specification, or of elements in a table

_SVG_START = re.compile(r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg(?=[\s>])", re.DOTALL)
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|data:|javascript:", re.I)


class BlockKind(StrEnum):
    """How a block is drawn."""

    TEXT = "text"  # escaped HTML of a stream or a plain value, inside <pre>
    ERROR = "error"  # escaped HTML of a traceback, `whole` with the frames of libraries; `title` is `ename: evalue`
    PICTURE = "picture"  # PNG or JPEG bytes, header checked
    DRAWING = "drawing"  # SVG text, drawn as an image so that its scripts stay inert
    TABLE = "table"  # cleaned HTML
    MARKDOWN = "markdown"
    CHART = "chart"  # a Vega-Lite specification that names no URL
    FILE = "file"  # not drawn: named, and offered for download


@dataclass(frozen=True)
class Block:
    """One thing to draw."""

    kind: BlockKind
    text: str = ""  # HTML, Markdown or SVG, as the kind says
    title: str = ""  # plain text; whoever draws it as a label escapes it
    data: bytes = b""  # picture bytes, or what the download holds
    spec: Mapping[str, Any] | None = None  # of a chart
    mime: str = ""
    folded: int = 0  # frames of libraries that `text` of a traceback leaves out (count)
    whole: str = ""  # escaped HTML of that traceback with them


def render_blocks(outputs: Sequence[Mapping[str, Any]]) -> tuple[Block, ...]:
    """Return the blocks of nbformat-shaped outputs; consecutive pieces of one stream are joined."""
    blocks = [_block(output) for output in _joined_streams(outputs)]
    if len(blocks) <= MAX_BLOCKS:
        return tuple(blocks)
    rest = json.dumps(list(outputs[MAX_BLOCKS:]), default=str).encode()
    more = Block(BlockKind.FILE, title=f"{len(blocks) - MAX_BLOCKS:,} more outputs", data=rest)
    return (*blocks[:MAX_BLOCKS], more)


def _joined_streams(outputs: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    pending: dict[str, Any] | None = None
    for output in outputs:
        is_stream = output.get("output_type") == "stream"
        if pending is not None and is_stream and output.get("name") == pending["name"]:
            pending["text"] += _text(output.get("text"))
            continue
        if pending is not None:
            yield pending
        pending = None
        if is_stream:
            pending = {"output_type": "stream", "name": output.get("name"), "text": _text(output.get("text"))}
        else:
            yield output
    if pending is not None:
        yield pending


def _block(output: Mapping[str, Any]) -> Block:
    kind = output.get("output_type")
    if kind == "stream":
        title = "standard error" if output.get("name") == "stderr" else "printed"
        return _text_block(_text(output.get("text")), title)
    if kind == "error":
        return error_block(
            str(output.get("ename") or "Error"), str(output.get("evalue") or ""), _lines(output.get("traceback"))
        )
    data = output.get("data")
    title = "value" if kind == "execute_result" else "shown"
    return _display_block(data if isinstance(data, Mapping) else {}, title)


def error_block(name: str, message: str, traceback: str, *, cell: str = "") -> Block:
    """Return the block of an exception: frames of cells alone, and beside them all, coloured as IPython wrote it.

    Args:
        name: Of its class.
        message: What it says.
        traceback: As a terminal shows it.
        cell: What to call the cell that was executed; empty: by its number in the session.
    """
    title = ansi.plain_text(f"{name}: {message}" if message else name).replace("\n", " ")
    short = ansi.shorten(title, head=200, tail=0)[0]
    split = split_traceback(ansi.plain_text(ansi.shorten(traceback)[0]), cell)
    if split.folded:
        return Block(
            BlockKind.ERROR, html.escape(split.own), short, folded=split.folded, whole=html.escape(split.whole)
        )
    return Block(BlockKind.ERROR, html.escape(split.whole) if cell else ansi.to_html(traceback), short)


def _text_block(text: str, title: str) -> Block:
    left_out = ansi.shorten(text)[1]
    return Block(BlockKind.TEXT, text=ansi.to_html(text), title=title, data=text.encode() if left_out else b"")


def _display_block(data: Mapping[str, Any], title: str) -> Block:
    for mime, draw in _DRAWERS.items():
        if mime in data:
            block = draw(data[mime], title, mime)
            if block is not None:
                return block
    for mime, value in data.items():
        return _file_block(value, str(mime), f"{title}: {mime} is not drawn")
    return Block(BlockKind.TEXT, text="", title=title)


def _file_block(value: object, mime: str, title: str) -> Block:
    raw = value if isinstance(value, str) else _json(value)
    return Block(BlockKind.FILE, title=ansi.plain_text(title), data=raw.encode(), mime=mime)


def _picture(value: object, title: str, mime: str) -> Block | None:
    try:
        data = base64.b64decode(_text(value), validate=False)
    except (binascii.Error, ValueError):
        return None
    return picture_block(data, title, mime)


def picture_block(data: bytes, title: str, mime: str = "image/png") -> Block | None:
    """Return a picture as it is drawn, or offered where it is too large; None where its header is damaged."""
    size = picture_size(data)
    if size is None:
        return None
    if size[0] * size[1] > MAX_PIXELS or len(data) > MAX_BYTES:
        return Block(BlockKind.FILE, title=f"{title}: picture of {size[0]} x {size[1]} pixels", data=data, mime=mime)
    return Block(BlockKind.PICTURE, data=data, mime=mime, title=f"{title}: picture of {size[0]} x {size[1]} pixels")


def _drawing(value: object, title: str, mime: str) -> Block | None:
    svg = _text(value)
    start = _SVG_START.match(svg)
    if start is None:
        return None
    if len(svg) > MAX_BYTES:
        return _file_block(svg, mime, f"{title}: drawing of {len(svg):,} characters")
    # Whatever does not begin exactly like this, Streamlit would take for the path of a file to open.
    return Block(BlockKind.DRAWING, text=f"<svg {svg[start.end() :]}", title=f"{title}: drawing", mime=mime)


def _chart(value: object, title: str, mime: str) -> Block | None:
    if not isinstance(value, Mapping):
        return None
    spec = {key: part for key, part in value.items() if key not in ("$schema", "usermeta")}
    text = "" if _names_url_or_is_deep(spec) else json.dumps(spec, default=str)
    if not text or len(text) > MAX_CHART_BYTES:
        return _file_block(value, mime, f"{title}: chart that is too large or too deep, or names an address")
    return Block(BlockKind.CHART, spec=json.loads(text), title=f"{title}: chart", mime=mime)


def _names_url_or_is_deep(part: object, depth: int = 0) -> bool:
    if depth > MAX_DEPTH:
        return True
    if isinstance(part, Mapping):
        return any(
            key in ("url", "href", "usermeta") or _names_url_or_is_deep(value, depth + 1) for key, value in part.items()
        )
    if isinstance(part, (list, tuple)):
        return any(_names_url_or_is_deep(value, depth + 1) for value in part)
    return isinstance(part, str) and _URL.search(part) is not None


def _json(value: object) -> str:
    try:
        return json.dumps(value, default=str)
    except RecursionError:
        return json.dumps("this nests too deeply to be written")


def _table(value: object, title: str, mime: str) -> Block | None:
    raw = _text(value)
    if len(raw) > MAX_BYTES:
        return _file_block(raw, mime, f"{title}: table of {len(raw):,} characters")
    if nests_deeper(raw, MAX_DEPTH):
        return _file_block(raw, mime, f"{title}: table of elements in elements, too deep to be drawn")
    cleaned = clean_html(raw)
    return Block(BlockKind.TABLE, text=cleaned, title=title, mime=mime) if cleaned.strip() else None


def _markdown(value: object, title: str, mime: str) -> Block | None:
    return Block(BlockKind.MARKDOWN, text=safe_markdown(_text(value)), title=title, mime=mime)


def _plain(value: object, title: str, mime: str) -> Block | None:
    del mime
    return _text_block(_text(value), title)


_DRAWERS = {
    "image/png": _picture,
    "image/jpeg": _picture,
    "application/vnd.vegalite.v6+json": _chart,
    "application/vnd.vegalite.v5+json": _chart,
    "image/svg+xml": _drawing,
    "text/html": _table,
    "text/markdown": _markdown,
    "text/plain": _plain,
}


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return "".join(str(part) for part in value)
    return value if isinstance(value, str) else str(value or "")


def _lines(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return "\n".join(str(part) for part in value)
    return value if isinstance(value, str) else ""
