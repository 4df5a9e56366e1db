"""Enumerations whose members are their text; the standard library has them from Python 3.11 on only."""

from enum import Enum


class TextEnum(str, Enum):  # noqa: UP042  # this is what `StrEnum` is, under Pythons without it
    """An enumeration of texts: each member equals, prints and serialises as its value."""

    def __str__(self) -> str:
        """Return the value."""
        return str.__str__(self)

    def __format__(self, format_spec: str) -> str:
        """Format the value."""
        return str.__format__(self, format_spec)
