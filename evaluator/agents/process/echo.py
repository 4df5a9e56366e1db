"""What an agent of the user's own prints, on our standard error: without what could draw on a terminal."""

import codecs
import contextlib
import os
import re
from typing import Final

_CONTROLS: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_STDERR: Final = 2


def without_controls(text: str) -> str:
    """Return a text without colours and whatever else could draw on the reader's terminal."""
    return _CONTROLS.sub("", text)


class Echo:
    """Passes a stream on to our standard error."""

    def __init__(self) -> None:
        """Begin a stream of UTF-8."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, part: bytes) -> None:
        """Pass a part on; where nobody reads it, it is lost."""
        rest = without_controls(self._decoder.decode(part)).encode()
        with contextlib.suppress(OSError):
            while rest:
                rest = rest[os.write(_STDERR, rest) :]
