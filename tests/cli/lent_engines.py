"""Engines that commands of one test process share: starting one takes longer than most commands."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import pytest

from evaluator.session import Engine

AT_ONCE = 2


class Lender:
    """Keeps the engines that were wanted last, one of each kind."""

    def __init__(self) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        self._start = Engine.__init__

    def lend(self, borrower: Engine, **options: Any) -> None:
        """Make a new engine one and the same with one that was started with these options."""
        key = repr(sorted(options.items()))
        kept = self._engines.get(key)
        if kept is None or kept._is_closed:  # a command that is stopped closes its engine at once
            kept = Engine.__new__(Engine)
            self._start(kept, **options)
            self._engines[key] = kept
        self._engines.move_to_end(key)
        while len(self._engines) > AT_ONCE:
            self._engines.popitem(last=False)[1].close()
        borrower.__dict__ = kept.__dict__

    def close(self) -> None:
        """End all."""
        for engine in self._engines.values():
            engine.close()


def _go_on(engine: Engine, *error: object) -> None:
    del engine, error


@pytest.fixture(scope="session")
def lender() -> Iterator[Lender]:
    made = Lender()
    yield made
    made.close()


@pytest.fixture
def lent_engines(lender: Lender, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands of a test use engines that other tests' commands have used before; they go on afterwards."""
    monkeypatch.setattr(Engine, "__init__", lambda engine, **options: lender.lend(engine, **options))
    monkeypatch.setattr(Engine, "__exit__", _go_on)
