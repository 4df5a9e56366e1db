"""The attacks of the catalogue elsewhere: in each sandbox, on each kind of session, under each policy.

Every ground under a good number of attacks, the same ones in each run. All attacks on all grounds: `make attacks`.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from evaluator.session import Isolation
from tests.attacks.arena import Arena
from tests.attacks.catalogue import GROUPS, Attack, catalogue, marks_of
from tests.attacks.grounds import Ground, Policy, grounds, spread

OTHERS = grounds()[1:]
ON_EACH = 12
"""How many attacks are tried on each ground."""
LEFT_BEHIND = {Ground(policy=Policy.OWN): ("HAR-68", "HAR-69", "HAR-70", "HAR-71", "HAR-72")}
"""Attacks on states that live on: only there do they attack anything."""


def tried_on(ground: Ground) -> list[Attack]:
    """Return what is fought there; other tests run meanwhile, and none of them may lack processes."""
    fitting = [attack for attack in catalogue() if attack.is_fought_on(ground)]
    if ground.backend == "landlock":
        fitting = [attack for attack in fitting if not attack.takes_processes]
    others = [attack.id for attack in fitting if attack.id not in LEFT_BEHIND.get(ground, ())]
    chosen = {*spread(others, ground, ON_EACH), *LEFT_BEHIND.get(ground, ())}
    return [attack for attack in fitting if attack.id in chosen]


CHOSEN = tuple((ground, attack) for ground in OTHERS for attack in tried_on(ground))


Open = Callable[[Ground], Arena]


@pytest.fixture(scope="module")
def arena_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Return the arena of a ground: one for each sandbox and engine, opened once, whatever the order of the tests."""
    with ExitStack() as stack:

        @cache
        def opened(backend: str, engine: Isolation) -> Arena:
            return stack.enter_context(Arena(backend, engine, tmp_path_factory.mktemp("inputs")))

        yield lambda ground: opened(ground.backend, ground.engine)


@pytest.mark.kernel
@pytest.mark.slow
@pytest.mark.parametrize(
    ("ground", "attack"),
    [
        pytest.param(ground, attack, id=f"{attack.id}-{ground}", marks=marks_of(attack, ground))
        for ground, attack in CHOSEN
    ],
)
def test_an_attack_is_contained_elsewhere(arena_of: Open, ground: Ground, attack: Attack) -> None:
    assert arena_of(ground).fight(attack, ground).faults == []


@pytest.mark.skipif(not OTHERS, reason="without a sandbox there is nothing to attack")
def test_every_ground_is_tried_by_some_of_every_kind() -> None:
    expected = {ground: ON_EACH + len(LEFT_BEHIND.get(ground, ())) for ground in OTHERS}
    assert Counter(ground for ground, _ in CHOSEN) == expected
    assert {attack.id.partition("-")[0].lower() for _, attack in CHOSEN} == set(GROUPS)


def test_grounds_are_all_sandboxes_engines_and_policies_that_go_together() -> None:
    """A kernel needs sockets, which Landlock refuses, and is not kept for a second cell."""
    backends = {ground.backend for ground in grounds()}
    expected = {Ground(backend, Isolation.FORK, policy) for backend in backends for policy in Policy}
    expected |= {Ground(backend, Isolation.REPLAY) for backend in backends & {"bwrap"}}
    assert set(grounds()) == expected
    assert not grounds() or grounds()[0] == Ground(grounds()[0].backend)
