"""Read the size of a picture from its header, before anything decodes it."""

import struct

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
    if len(data) < 24 or data[12:16] != b"IHDR":
        return None
    width, height = struct.unpack(">II", data[16:24])
    return (width, height) if width and height else None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    position = 2
    while position + 9 <= len(data) and data[position] == 0xFF:
        marker, length = data[position + 1], struct.unpack(">H", data[position + 2 : position + 4])[0]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[position + 5 : position + 9])
            return (width, height) if width and height else None
        position += 2 + max(length, 2)
    return None
