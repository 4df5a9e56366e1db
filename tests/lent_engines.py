"""Commands and jobs under test share the engine of their process: to start one takes longer than most of them."""

from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Any, Final

import pytest

from evaluator.running import machine
from evaluator.session import Engine, SandboxChoice, own_environment

SHARED: Final = {"trusted": True, "comparators": 2}
OURS: Final = {"sandbox": SandboxChoice.AUTO, "environment": own_environment(), "rng_seed": 0, "hash_seed": 0}
FREE: Final = {"preload", "comparators", "trusted"}  # make a session faster, and no other

Lend = Callable[..., Engine]


@pytest.fixture(scope="session")
def lender(request: pytest.FixtureRequest) -> Lend:
    """What gives the shared engine, or the one that imports more; each starts when it is asked for the first time."""

    def lend(preload: Collection[str] = ()) -> Engine:
        wants_much = any(name.startswith(("scipy", "seaborn", "sklearn", "sympy")) for name in preload)
        found: Engine = request.getfixturevalue("stocked_engine" if wants_much else "engine")
        return found

    return lend


def share(lend: Lend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each new engine the shared one by another name, unless another kind is wanted; it is closed by nobody."""
    start, close = Engine.__init__, Engine.close
    lent: list[dict[str, Any]] = []

    def begin(made: Engine, **options: Any) -> None:
        is_ours = all(name in FREE or value in (None, OURS.get(name)) for name, value in options.items())
        if is_ours and not SHARED.items() <= options.items():
            made.__dict__ = lend(options.get("preload", ())).__dict__
            lent.append(made.__dict__)
        else:
            start(made, **options)

    monkeypatch.setattr(Engine, "__init__", begin)

    def end(made: Engine) -> None:
        if not any(made.__dict__ is each for each in lent):
            close(made)

    monkeypatch.setattr(Engine, "close", end)


@pytest.fixture
def lent_engines(lender: Lend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands and jobs of a test use the shared engine."""
    share(lender, monkeypatch)


@pytest.fixture(scope="session", autouse=True)
def machine_measured_once() -> Iterator[None]:
    """Each run measures the machine for a tenth of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "_measure", cache(machine._measure))
        yield
