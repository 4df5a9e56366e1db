"""Every attack of the catalogue on the real engine: it gains nothing, and nothing but its own trial suffers.

On the default ground all of them; on each other ground, and there are many, some (`test_other_grounds`). All of them
on all grounds: `make attacks`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.arena import Arena
from tests.attacks.catalogue import ROOT, Attack, catalogue, marks_of
from tests.attacks.grounds import grounds

ATTACKS = catalogue()
PAGE = (Path(__file__).parents[2] / "docs" / "attacks.md").read_text(encoding="utf-8")
LEAST = 281
"""How many attacks there are at least."""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    if not grounds():
        pytest.skip("without a sandbox there is nothing to attack")
    with Arena(grounds()[0].backend, grounds()[0].engine, tmp_path_factory.mktemp("inputs")) as opened:
        yield opened


@pytest.mark.kernel
@pytest.mark.slow
@pytest.mark.parametrize("attack", [pytest.param(attack, id=attack.id, marks=marks_of(attack)) for attack in ATTACKS])
def test_an_attack_is_contained(arena: Arena, attack: Attack) -> None:
    assert arena.fight(attack, grounds()[0]).faults == []


def test_the_page_lists_every_attack_and_no_other() -> None:
    rows = re.findall(r"^\| ((?:CMP|LEAK|ESC|HAR|FIG)-\d\d+) \| ([^|]*) \|", PAGE, flags=re.MULTILINE)
    assert sorted(rows) == sorted((attack.id, attack.title) for attack in ATTACKS)


def test_every_file_of_the_catalogue_is_one_attack() -> None:
    assert len({attack.id for attack in ATTACKS}) == len(list(ROOT.glob("*/*.py"))) == len(ATTACKS) >= LEAST
