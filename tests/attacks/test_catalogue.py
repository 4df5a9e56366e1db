"""Every attack of the catalogue on the real engine: it gains nothing, and nothing but its own trial suffers."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.arena import Arena, backends
from tests.attacks.catalogue import ROOT, Attack, catalogue

ATTACKS = catalogue()
PAGE = (Path(__file__).parents[2] / "docs" / "attacks.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=backends() or ["no sandbox"])
def arena(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    if request.param == "no sandbox":
        pytest.skip("without a sandbox there is nothing to attack")
    with Arena(request.param, tmp_path_factory.mktemp("inputs")) as opened:
        yield opened


@pytest.mark.kernel
@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_an_attack_is_contained(arena: Arena, attack: Attack) -> None:
    assert arena.fight(attack).faults == []


def test_the_page_lists_every_attack_and_no_other() -> None:
    rows = dict(re.findall(r"^\| ((?:CMP|LEAK|ESC|HAR|FIG)-\d\d) \| ([^|]*) \|", PAGE, flags=re.MULTILINE))
    assert rows == {attack.id: attack.title for attack in ATTACKS}


def test_every_file_of_the_catalogue_is_one_attack() -> None:
    assert len({attack.id for attack in ATTACKS}) == len(ATTACKS)
    assert len(list(ROOT.glob("*/*.py"))) == len(ATTACKS)
