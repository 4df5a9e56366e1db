"""Every attack of the catalogue under Landlock: on one ground all of them, on each other one a third.

BENCHWRIGHT_ROTATION (a whole number) chooses the third; all on all grounds: `make attacks`.
"""

import os

import pytest

from tests.attacks.catalogue import Attack, catalogue, grounds_of
from tests.attacks.conftest import Fight

ROTATION = int(os.environ.get("BENCHWRIGHT_ROTATION", "0"))
ATTACKS = [pytest.param(each, id=each.id) for each in catalogue() if not each.takes_processes]


@pytest.mark.deep
@pytest.mark.corpus
@pytest.mark.kernel
@pytest.mark.needs_processes
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_contained_under_landlock(fight: Fight, attack: Attack) -> None:
    fought = [ground for ground in grounds_of(attack, ROTATION) if ground.backend == "landlock"]
    if not fought:
        pytest.skip("there is no Landlock here")
    assert {str(ground): faults for ground in fought if (faults := fight(attack, ground))} == {}
