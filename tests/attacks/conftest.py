"""Where attacks are fought: one arena for each sandbox and engine, opened when it is needed."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from evaluator.session import Isolation
from tests.attacks.arena import Arena
from tests.attacks.catalogue import Attack
from tests.attacks.grounds import Ground

Fight = Callable[[Attack, Ground], list[str]]


@pytest.fixture(scope="module")
def fight(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fight]:
    """Run an attack on a ground, and return what did not hold."""
    with ExitStack() as stack:

        @cache
        def arena(backend: str, engine: Isolation) -> Arena:
            return stack.enter_context(Arena(backend, engine, tmp_path_factory.mktemp("inputs")))

        yield lambda attack, ground: arena(ground.backend, ground.engine).fight(attack, ground).faults
