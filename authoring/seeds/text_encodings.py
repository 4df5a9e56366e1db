"""Text files that are not UTF-8: in which encodings they can be read, and the same text as UTF-8."""

import codecs
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from authoring.seeds.intake import TEXT_KINDS, WIDE_MARKS
from evaluator.errors import ContentError
from evaluator.language.file_kinds import KIND_OF_SUFFIX

CODECS: Final = {
    "WINDOWS-1252": "cp1252",
    "WINDOWS-1251": "cp1251",
    "GB18030": "gb18030",
    "SHIFT_JIS": "shift_jis",
}
"""Encodings without a mark at the start of the file, by the names that people know; the first ones are common."""
CHUNK_BYTES: Final = 1 << 20
LINE_BYTES: Final = 400  # of the line that is not UTF-8: enough to tell encodings apart


def is_text(name: str) -> bool:
    """Return whether a data file of that name holds text."""
    kind = KIND_OF_SUFFIX.get(Path(name).suffix.lower())
    return kind is not None and kind.name in TEXT_KINDS


def possible_encodings(path: Path) -> tuple[str, ...]:
    """Return in which encodings a file can be read that is not UTF-8; none: it is, or it is no text."""
    line = _first_line_that_is_not_utf8(path)
    return tuple(name for name, codec in CODECS.items() if line and _is_readable(line, codec))


def _first_line_that_is_not_utf8(path: Path) -> bytes:
    """Return the beginning of the first line that is not UTF-8; empty: there is none, or a mark says what it is."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as stream:
        if stream.read(4).startswith(WIDE_MARKS):
            return b""
        stream.seek(0)
        for chunk in chain(iter(partial(stream.read, CHUNK_BYTES), b""), [b""]):  # an empty one ends the text
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                content = bytes(error.object)  # with what the chunk before left over
                start = content.rfind(b"\n", 0, error.start) + 1
                start = max(start, error.start - LINE_BYTES)
                return content[start : error.start + LINE_BYTES].split(b"\n")[0]
    return b""


def _is_readable(line: bytes, codec: str) -> bool:
    try:
        text = codecs.getincrementaldecoder(codec)().decode(line)  # whose last character may be cut off
    except UnicodeDecodeError:
        return False
    return all(each.isprintable() or each in "\t\r\n" for each in text)


def write_as_utf8(path: Path, encoding: str) -> None:
    """Write a text file anew as UTF-8; one that is UTF-8, or no text by its name, stays as it is.

    Args:
        path: The file; it may be a link into the store, which stays.
        encoding: One of `CODECS`.

    Raises:
        ContentError: If it is no such text either, or there is no such encoding.
    """
    codec = CODECS.get(encoding)
    if codec is None:
        raise ContentError(f"no encoding is called {encoding!r}", fix=f"use one of {', '.join(CODECS)}")
    if not is_text(path.name) or not _first_line_that_is_not_utf8(path):
        return
    content = path.read_bytes().removeprefix(codecs.BOM_UTF8)  # it would be read as letters of the first name
    try:
        text = content.decode(codec)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"{path.name!r} is no {encoding} text: line {line} holds the byte 0x{content[error.start]:02X}"
        raise ContentError(what, fix="choose another encoding, or save the file as UTF-8 where it was made") from error
    path.unlink()
    path.write_bytes(text.encode())
