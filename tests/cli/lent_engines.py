"""Commands share an engine of their test process: to start one of their own takes longer than most of them."""

import functools
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from evaluator.session import Engine, SandboxChoice, own_environment

PRELOAD: Final = ("matplotlib.pyplot", "scipy.stats", "sklearn.linear_model", "seaborn", "sympy")
"""As in tests/conftest.py, and what the sessions of Qwen's benchmark import: two seconds a problem otherwise."""
SHARED: Final = {"trusted": True, "comparators": 2, "preload": PRELOAD}
OURS: Final = {"sandbox": SandboxChoice.AUTO, "environment": own_environment(), "rng_seed": 0, "hash_seed": 0}
FREE: Final = {"preload", "comparators", "trusted"}  # make a session faster, and no other

Lend = Callable[[], Engine]


@functools.cache
def shared_engine() -> Engine:
    """Start it when it is asked for the first time."""
    return Engine(**SHARED)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def lender() -> Iterator[Lend]:
    """What gives the shared engine."""
    yield shared_engine
    if shared_engine.cache_info().currsize:
        shared_engine().close()
        shared_engine.cache_clear()


def share(lend: Lend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each new engine the shared one by another name, unless another kind is wanted; it is closed by nobody."""
    start, close = Engine.__init__, Engine.close

    def begin(made: Engine, **options: Any) -> None:
        is_ours = all(name in FREE or value in (None, OURS.get(name)) for name, value in options.items())
        if is_ours and options != SHARED:
            made.__dict__ = lend().__dict__
        else:
            start(made, **options)

    monkeypatch.setattr(Engine, "__init__", begin)
    monkeypatch.setattr(Engine, "close", lambda made: None if made.__dict__ is lend().__dict__ else close(made))


@pytest.fixture
def lent_engines(lender: Lend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands of a test use the shared engine."""
    share(lender, monkeypatch)
