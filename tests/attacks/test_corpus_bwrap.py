"""Every attack of the catalogue under bubblewrap: on one ground all of them, on each other one a third.

BENCHWRIGHT_ROTATION (a whole number) chooses the third; all on all grounds: `make attacks`.
"""

import os

import pytest

from tests.attacks.catalogue import Attack, catalogue, grounds_of
from tests.attacks.conftest import Fight

ROTATION = int(os.environ.get("BENCHWRIGHT_ROTATION", "0"))
ATTACKS = [
    pytest.param(each, id=each.id, marks=[pytest.mark.takes_processes] if each.takes_processes else [])
    for each in catalogue()
]


@pytest.mark.deep
@pytest.mark.corpus
@pytest.mark.kernel
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_contained_under_bubblewrap(fight: Fight, attack: Attack) -> None:
    fought = [ground for ground in grounds_of(attack, ROTATION) if ground.backend == "bwrap"]
    if not fought:
        pytest.skip("there is no bubblewrap here")
    assert {str(ground): faults for ground in fought if (faults := fight(attack, ground))} == {}
