"""Commands use the test process's engine: to start one of their own takes longer than most of them."""

from typing import Any

import pytest

from evaluator.session import Engine, SandboxChoice, own_environment

OURS = {"sandbox": SandboxChoice.AUTO, "environment": own_environment(), "rng_seed": 0, "hash_seed": 0}
FREE = {"preload", "comparators", "trusted"}  # make a session faster, and no other


def share(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each new engine the shared one by another name, unless another kind is wanted; it is closed by nobody."""
    start, close = Engine.__init__, Engine.close

    def begin(made: Engine, **options: Any) -> None:
        if all(name in FREE or value in (None, OURS.get(name)) for name, value in options.items()):
            made.__dict__ = engine.__dict__
        else:
            start(made, **options)

    monkeypatch.setattr(Engine, "__init__", begin)
    monkeypatch.setattr(Engine, "close", lambda made: None if made.__dict__ is engine.__dict__ else close(made))


@pytest.fixture
def lender(engine: Engine) -> Engine:
    """The engine that is shared."""
    return engine


@pytest.fixture
def lent_engines(lender: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands of a test use the engine of its process."""
    share(lender, monkeypatch)
