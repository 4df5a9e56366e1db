"""The attacks of the catalogue elsewhere: in each sandbox, on each kind of session, under each policy.

Every attack on one ground beside the default, every ground under a good number of attacks: the same ones in each run.
All attacks on all grounds: `make attacks`.
"""

from collections import Counter
from collections.abc import Iterator

import pytest

from evaluator.session import Isolation
from tests.attacks.arena import Arena
from tests.attacks.catalogue import Attack, catalogue
from tests.attacks.grounds import Ground, Policy, grounds, spread

OTHERS = grounds()[1:]
LEAST_ON_EACH = 10


def elsewhere(attack: Attack) -> Ground:
    """Return where an attack is fought; other tests run meanwhile, and none of them may lack processes."""
    others = [ground for ground in OTHERS if attack.is_fought_on(ground)]
    apart = [ground for ground in others if ground.backend != "landlock"] if attack.takes_processes else []
    return spread(attack.id, apart or others)


CHOSEN = tuple((elsewhere(attack), attack) for attack in catalogue() if OTHERS)


@pytest.fixture(scope="module")
def arena(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    backend, engine = request.param
    with Arena(backend, engine, tmp_path_factory.mktemp("inputs")) as opened:
        yield opened


@pytest.mark.kernel
@pytest.mark.slow
@pytest.mark.parametrize(
    ("arena", "ground", "attack"),
    [
        pytest.param((ground.backend, ground.engine), ground, attack, id=f"{attack.id}-{ground}")
        for ground, attack in CHOSEN
    ],
    indirect=["arena"],
)
def test_an_attack_is_contained_elsewhere(arena: Arena, ground: Ground, attack: Attack) -> None:
    assert arena.fight(attack, ground).faults == []


@pytest.mark.skipif(not OTHERS, reason="without a sandbox there is nothing to attack")
def test_every_attack_is_tried_elsewhere_and_every_ground_by_some() -> None:
    assert {attack.id for _, attack in CHOSEN} == {attack.id for attack in catalogue()}
    tried = Counter(ground for ground, _ in CHOSEN)
    assert {ground: count for ground, count in tried.items() if count < LEAST_ON_EACH} == {}
    assert set(tried) == set(OTHERS)


def test_grounds_are_all_sandboxes_engines_and_policies_that_go_together() -> None:
    """A kernel needs sockets, which Landlock refuses, and is not kept for a second cell."""
    backends = {ground.backend for ground in grounds()}
    expected = {Ground(backend, Isolation.FORK, policy) for backend in backends for policy in Policy}
    expected |= {Ground(backend, Isolation.REPLAY) for backend in backends & {"bwrap"}}
    assert set(grounds()) == expected
    assert not grounds() or grounds()[0] == Ground(grounds()[0].backend)
