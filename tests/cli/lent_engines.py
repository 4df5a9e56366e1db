"""Commands and jobs under test share the engine of their process: to start one takes longer than most of them."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from evaluator.running import machine
from evaluator.session import DRAWING, Engine, SandboxChoice, own_environment

SHARED: Final = {"trusted": True, "comparators": 2, "preload": DRAWING}
OURS: Final = {"sandbox": SandboxChoice.AUTO, "environment": own_environment(), "rng_seed": 0, "hash_seed": 0}
FREE: Final = {"preload", "comparators", "trusted"}  # make a session faster, and no other

Lend = Callable[[], Engine]


@pytest.fixture(scope="session")
def lender(request: pytest.FixtureRequest) -> Lend:
    """What gives the shared engine, which starts when it is asked for the first time."""
    return lambda: request.getfixturevalue("engine")


def share(lend: Lend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each new engine the shared one by another name, unless another kind is wanted; it is closed by nobody."""
    start, close = Engine.__init__, Engine.close

    def begin(made: Engine, **options: Any) -> None:
        is_ours = all(name in FREE or value in (None, OURS.get(name)) for name, value in options.items())
        if is_ours and options != SHARED:
            made.__dict__ = lend().__dict__
        else:
            start(made, **options)

    monkeypatch.setattr(machine, "_TRIES", 1)  # each run measures the machine: a tenth of a second
    monkeypatch.setattr(Engine, "__init__", begin)
    monkeypatch.setattr(Engine, "close", lambda made: None if made.__dict__ is lend().__dict__ else close(made))


@pytest.fixture
def lent_engines(lender: Lend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands and jobs of a test use the shared engine."""
    share(lender, monkeypatch)
