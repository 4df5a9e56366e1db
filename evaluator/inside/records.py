"""The form of what a cell prints and displays on its way to the host: short records over one pipe."""

import struct
from typing import Final

RECORD_HEAD: Final = struct.Struct("<cIH")  # tag, number of the display, length
STDOUT: Final = b"o"
STDERR: Final = b"e"
DISPLAY_PART: Final = b"d"
DISPLAY_END: Final = b"D"
MAX_DISPLAYS: Final = 100
MAX_DISPLAY_BYTES: Final = 16 * 1024 * 1024
