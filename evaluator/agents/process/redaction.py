"""Takes the values of variables that an agent was given out of what is kept of its run: logs, transcripts, records."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

LEAST_CHARS: Final = 8
"""A shorter value stays: it may stand in any text, and is no key."""


def value_mark(name: str) -> str:
    """Return what stands in the place of the value of a variable."""
    return f"[value of {name}]"


class Redactor:
    """Puts the names of variables in the place of their values, wherever those stand as they are."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Prepare.

        Args:
            variables: Name -> value; short values are left alone.
        """
        values = {value: name for name, value in variables.items() if len(value) >= LEAST_CHARS}
        ordered = sorted(values, key=len, reverse=True)  # one value may hold another one
        self._names = {value.encode("utf-8", "surrogateescape"): value_mark(values[value]) for value in ordered}
        self._texts = re.compile("|".join(map(re.escape, ordered))) if ordered else None
        self._values = values
        self._bytes = re.compile(b"|".join(map(re.escape, self._names))) if ordered else None
        self.longest: Final = max(map(len, self._names), default=0)  # bytes

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to take out."""
        return not self._values

    def text(self, text: str) -> str:
        """Return a text without the values."""
        if self._texts is None:
            return text
        return self._texts.sub(lambda found: value_mark(self._values[found.group()]), text)

    def restored(self, text: str) -> str:
        """Return a text that was kept without the values, with them."""
        for value, name in self._values.items():
            text = text.replace(value_mark(name), value)
        return text

    def content(self, content: bytes) -> bytes:
        """Return bytes without the values."""
        if self._bytes is None:
            return content
        return self._bytes.sub(lambda found: self._names[found.group()].encode(), content)

    def settled(self, content: bytes) -> int:
        """Return up to where nothing that may follow changes which values bytes hold (count of bytes)."""
        if self._bytes is None:
            return len(content)
        end = max(0, len(content) - self.longest + 1)
        for found in self._bytes.finditer(content):
            if found.start() >= end:  # a longer value may begin there
                break
            end = max(end, found.end())
        return end

    def without_beginnings(self, content: bytes) -> bytes:
        """Return bytes up to where a value may have begun that has not ended."""
        starts = (
            len(content) - size
            for size in range(min(self.longest, len(content)), 0, -1)
            if any(value.startswith(content[len(content) - size :]) for value in self._names)
        )
        return content[: next(starts, len(content))]

    def json(self, value: Any) -> Any:
        """Return plain JSON values without the values in any of their texts."""
        if self._texts is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(name)): self.json(part) for name, part in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, bytes):
            return [self.json(part) for part in value]
        return value


class StreamRedactor:
    """Redacts what arrives in parts: a value may begin in one and end in the next."""

    def __init__(self, redactor: Redactor) -> None:
        """Begin a stream."""
        self._redactor = redactor
        self._kept = b""  # the end of what arrived, as it came: a value may have begun in it

    @property
    def held(self) -> bytes:
        """What is held back now, as far as no value begins in it."""
        return self._redactor.content(self._redactor.without_beginnings(self._kept))

    def take(self, part: bytes) -> bytes:
        """Return what of the stream can be shown now."""
        content = self._kept + part
        shown = self._redactor.settled(content)
        self._kept = content[shown:]
        return self._redactor.content(content[:shown])

    def rest(self) -> bytes:
        """Return what was held back, at the end of the stream."""
        rest, self._kept = self._kept, b""
        return self._redactor.content(rest)
