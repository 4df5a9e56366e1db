"""One visible table from the name used in files and on the command line to its factory."""

import difflib
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from evaluator.errors import UsageError

T = TypeVar("T")


def nearest_name(name: str, known: list[str]) -> str | None:
    """Return the known name that `name` was most likely meant to be, or None."""
    matches = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return matches[0] if matches else None


class Registry(Generic[T]):
    """Names of one kind of thing (`validator`, `agent`); a name added twice raises at import."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._factories: dict[str, Callable[..., T]] = {}

    def add(self, name: str, factory: Callable[..., T]) -> None:
        """Register `factory` under `name`.

        Raises:
            ValueError: If the name is taken.
        """
        if name in self._factories:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._factories[name] = factory

    def get(self, name: str) -> Callable[..., T]:
        """Return the factory called `name`.

        Raises:
            UsageError: If there is none; the fix names the nearest known name.
        """
        if name not in self._factories:
            known = sorted(self._factories)
            near = nearest_name(name, known)
            fix = f"use {near!r}" if near else f"use one of {', '.join(known)}"
            raise UsageError(f"no {self.kind} is called {name!r}", fix=fix)
        return self._factories[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._factories))

    def __contains__(self, name: object) -> bool:
        return name in self._factories
