"""Options of agents that ask a model, as they are written behind its name: `chat:MODEL?encoding=lida&shots_count=3`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import parse_qsl

from evaluator.errors import UsageError
from evaluator.registry import nearest_name


@dataclass(frozen=True)
class Option:
    """One option: what may be written, and what it means."""

    words: tuple[str, ...] = ()  # that may be written, the default first; empty: whatever `read` takes
    read: Callable[[str], Any] | None = None  # makes a value of what is written, or raises ValueError with a reason
    default: Any = None  # where there are no words
    form: str = ""  # what may be written, in words: for people

    @property
    def default_value(self) -> Any:
        """What holds where nothing is written."""
        return self.words[0] if self.words else self.default

    def value(self, name: str, written: str, agent: str) -> Any:
        """Return what a written word means.

        Raises:
            UsageError: If it means nothing.
        """
        if self.words:
            if written in self.words:
                return written
            near = nearest_name(written, list(self.words))
            fix = f"use {near!r}" if near else f"use one of {', '.join(self.words)}"
            raise UsageError(f"option {name!r} is {written!r}", where=f"agent {agent!r}", fix=fix)
        assert self.read is not None
        try:
            return self.read(written)
        except ValueError as error:
            raise UsageError(
                f"option {name!r} is {written!r}: {error}", where=f"agent {agent!r}", fix=f"write {self.form}"
            ) from error

    def word(self, value: float) -> str:
        """Return how a number is written: a whole one without its point, unless it means something else with it."""
        if not isinstance(value, float) or not value.is_integer():
            return str(value)
        whole = str(int(value))
        return str(value) if self._means_another(str(value), whole) else whole

    def _means_another(self, word: str, other: str) -> bool:
        """Return whether both words can be read, and not to the same value."""
        if self.read is None:
            return False
        try:
            return not _is_same(self.read(word), self.read(other))
        except ValueError:
            return False


@dataclass(frozen=True)
class WholeNumber:
    """Reads a whole number within bounds."""

    least: int
    most: int

    def __call__(self, text: str) -> int:
        """Return the number, or raise ValueError with a reason."""
        if not text.isascii() or not text.isdigit() or not self.least <= int(text) <= self.most:
            raise ValueError(f"not a whole number from {self.least} to {self.most}")
        return int(text)


@dataclass(frozen=True)
class Number:
    """Reads a number within bounds."""

    least: float
    most: float

    def __call__(self, text: str) -> float:
        """Return the number, or raise ValueError with a reason."""
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not self.least <= value <= self.most:
            raise ValueError(f"not a number from {self.least:g} to {self.most:g}")
        return value


def whole_number(least: int, most: int) -> WholeNumber:
    """Return what reads a whole number within bounds."""
    return WholeNumber(least, most)


def number(least: float, most: float) -> Number:
    """Return what reads a number within bounds."""
    return Number(least, most)


PARAMS: Final[Mapping[str, Option]] = MappingProxyType(
    {
        "temperature": Option(read=number(0, 2), default=0.0, form="a number from 0 to 2"),
        "max_tokens": Option(read=whole_number(1, 1_000_000), default=1000, form="a whole number from 1 on"),
    }
)
"""What is asked of the model itself; the defaults are those of the published runs of DSEval."""


def read_options(agent: str, written: str, known: Mapping[str, Option]) -> dict[str, Any]:
    """Return the value of every option that an agent has.

    Args:
        agent: Its name, for what is said to the user.
        written: `NAME=WORD&NAME=WORD`, as in the query of an address.
        known: Its options.

    Raises:
        UsageError: If one is not known, is written twice, or its word means nothing; the fix says the nearest.
    """
    values = {name: option.default_value for name, option in known.items()}
    try:
        pairs = parse_qsl(written, keep_blank_values=True, strict_parsing=bool(written))
    except ValueError as error:
        what = f"the options of agent {agent!r} cannot be read: {written!r}"
        raise UsageError(what, fix="write them as NAME=WORD&NAME=WORD") from error
    seen: set[str] = set()
    for name, word in pairs:
        if name not in known:
            near = nearest_name(name, list(known))
            fix = f"use {near!r}" if near else f"use one of {', '.join(known)}" if known else "leave it out"
            raise UsageError(f"agent {agent!r} has no option {name!r}", fix=fix)
        if name in seen:
            raise UsageError(f"option {name!r} is written twice", where=f"agent {agent!r}", fix="leave out one")
        seen.add(name)
        values[name] = known[name].value(name, word, agent)
    return values


def written_options(values: Mapping[str, Any], known: Mapping[str, Option]) -> str:
    """Return options as they are written, those that differ from their defaults; for an agent's card.

    A count of 1 differs from a share of 1.0.
    """
    return "&".join(
        f"{name}={value}" for name, value in values.items() if not _is_same(value, known[name].default_value)
    )


def _is_same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value == other)


def one_of(values: Sequence[str]) -> str:
    """Return words as a list for people."""
    return ", ".join(values)
