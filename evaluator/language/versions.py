"""The versions of the language: what each means, and the line by which a text states its own."""

import re
from typing import Final, NamedTuple

LANGUAGE_VERSION: Final = 3
"""Of the texts that are newly written here."""
UNSTATED_VERSION: Final = 2
"""Of a text that states none, and of a benchmark whose manifest states none."""
PUBLISHED_LANGUAGE_VERSION: Final = 1
"""Of DSEval's own benchmarks: only bare marker lines open a cell; only a manifest states it."""

_START: Final = r"(?:\A\ufeff?|(?<=[\r\n]))"  # of a line, with any line ends
_LINE: Final = re.compile(_START + r"[ \t]*#[ \t]*language_version[ \t]*:[ \t]*([^\r\n]*?)[ \t]*(?=[\r\n]|\Z)")
_MARKER: Final = re.compile(_START + "# %%")


class VersionLine(NamedTuple):
    """The line above the first cell that states the language version of a text."""

    line: int  # from 1
    written: str  # what stands behind the colon

    @property
    def version(self) -> int | None:
        """The version, which may be newer than all that are known here; None: it is no version of a text."""
        if not (self.written.isascii() and self.written.isdigit() and len(self.written) < 4):
            return None
        return int(self.written) if int(self.written) >= UNSTATED_VERSION else None


def version_line(text: str) -> VersionLine | None:
    """Return the first line above the first cell that states a version; None: the text states none."""
    head = _head(text)
    found = _LINE.search(head)
    return None if found is None else VersionLine(_line_number(head[: found.start()]), found[1])


def language_version_of(text: str, *, otherwise: int = UNSTATED_VERSION) -> int:
    """Return the language version that a text, or its preamble alone, is written in.

    Args:
        text: With any line ends.
        otherwise: The version where it states none, or none that can be: that of its benchmark.
    """
    stated = version_line(text)
    return otherwise if stated is None or stated.version is None else stated.version


def with_language_version(text: str, version: int = LANGUAGE_VERSION) -> str:
    """Return a text that states its version; one that states it already is returned as it is."""
    if (stated := version_line(text)) is not None:
        if stated.version == version:
            return text
        head = _head(text)
        return _LINE.sub(lambda found: _restated(found, version), head, count=1) + text[len(head) :]
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    rest = text.removeprefix(mark)
    end = "\r\n" if "\r\n" in text else "\n"
    gap = end if rest.startswith("# %%") else ""
    return f"{mark}# language_version: {version}{end}{gap}{rest}"


def usual_time_s(version: int) -> float:
    """Return how many seconds the code of a problem may take that states no `max_time`."""
    return 5.0 if version >= 3 else 1.0


def _line_number(before: str) -> int:
    return before.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1


def _restated(found: re.Match[str], version: int) -> str:
    start = found.start(1) - found.start()
    return f"{found[0][:start]}{version}"


def _head(text: str) -> str:
    marker = _MARKER.search(text)
    return text if marker is None else text[: marker.start()]
