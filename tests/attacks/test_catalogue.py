"""Attacks on the real engine: each gains nothing, and nothing but its own trial suffers.

Each kind of defence is tried once here; `test_corpus_bwrap` and `test_corpus_landlock` try the whole catalogue.
"""

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.session import Isolation
from tests.attacks.catalogue import GROUPS, ROOT, TURNS, catalogue, grounds_of
from tests.attacks.conftest import Fight
from tests.attacks.grounds import Ground, Policy, grounds

FAST = (
    *("CMP-02", "CMP-06", "CMP-14", "CMP-15", "CMP-19", "CMP-22", "CMP-37", "CMP-44", "CMP-51", "CMP-82", "CMP-90"),
    *("LEAK-01", "LEAK-04", "LEAK-05", "LEAK-07", "LEAK-09", "LEAK-16", "LEAK-18", "LEAK-22"),
    *("ESC-01", "ESC-03", "ESC-06", "ESC-08", "ESC-12", "ESC-14", "ESC-17", "ESC-18", "ESC-20", "ESC-22", "ESC-27"),
    *("ESC-37", "ESC-59", "FIG-03", "HAR-04", "HAR-05", "HAR-09", "HAR-10", "HAR-15", "HAR-26", "HAR-55"),
)
"""One attack for each kind of defence, on the default ground."""
LEAST = 281
"""How many attacks there are at least."""
PAGE = (Path(__file__).parents[2] / "docs" / "attacks.md").read_text(encoding="utf-8")


@pytest.mark.kernel
@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
def test_an_attack_is_contained(fight: Fight, name: str) -> None:
    (attack,) = [each for each in catalogue() if each.id == name]
    if not grounds():
        pytest.skip("without a sandbox there is nothing to attack")
    assert fight(attack, grounds()[0]) == []


def test_each_defence_is_tried_once_and_three_rotations_try_all() -> None:
    assert len(set(FAST)) == 40
    for attack in catalogue():
        turns = [grounds_of(attack, rotation) for rotation in range(7, 7 + TURNS)]
        tried = Counter(ground for turn in turns for ground in turn)
        backends = {"bwrap"} if attack.takes_processes else {"bwrap", "landlock"}
        assert set(tried) == {each for each in grounds() if attack.is_fought_on(each) and each.backend in backends}
        assert {times for ground, times in tried.items() if ground == Ground(ground.backend)} == {TURNS}
        assert {times for ground, times in tried.items() if ground != Ground(ground.backend)} <= {1}


def test_grounds_are_all_sandboxes_engines_and_policies_that_fit() -> None:
    """A kernel needs sockets, which Landlock refuses, and is not kept for a second cell."""
    backends = {ground.backend for ground in grounds()}
    expected = {Ground(backend, Isolation.FORK, policy) for backend in backends for policy in Policy}
    expected |= {Ground(backend, Isolation.REPLAY) for backend in backends & {"bwrap"}}
    assert set(grounds()) == expected
    assert not grounds() or grounds()[0] == Ground(grounds()[0].backend)


def test_page_and_files_list_the_same_attacks() -> None:
    rows = re.findall(r"^\| ((?:CMP|LEAK|ESC|HAR|FIG)-\d\d+) \| ([^|]*) \|", PAGE, flags=re.MULTILINE)
    assert sorted(rows) == sorted((attack.id, attack.title) for attack in catalogue())
    assert len({attack.id for attack in catalogue()}) == len(list(ROOT.glob("*/*.py"))) == len(catalogue()) >= LEAST


MODULE = re.compile(r"evaluator(?:\.[a-z_]+)+")
ADDED = {("HAR-22", "_inner"), ("HAR-27", "id"), ("HAR-53", "again")}  # names that attacks put into modules of ours


def named(cell: str) -> Iterator[tuple[str, str]]:
    """Yield the modules of ours that an attack names, each with a name that it takes or changes there, if any."""
    try:
        tree = ast.parse(cell)
    except SyntaxError:  # magics, and attacks on the parser
        return
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("evaluator"):
            for alias in node.names:
                yield str(node.module), alias.name
                aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and MODULE.fullmatch(node.value):
            yield node.value, ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            yield aliases[node.value.id], node.attr


def exists(path: str) -> bool:
    """Whether a module, or something in one, has this dotted name."""
    parent, _, name = path.rpartition(".")
    try:
        importlib.import_module(path)
    except ModuleNotFoundError:
        return bool(parent) and exists(parent) and hasattr(value_of(parent), name)
    return True


def value_of(path: str) -> object:
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        parent, _, name = path.rpartition(".")
        return getattr(value_of(parent), name)


def test_attacks_name_only_what_there_is_in_our_code() -> None:
    """An attack on a name that has moved would be no attack."""
    reached = [
        (attack.id, module, name) for attack in catalogue() for cell in attack.cells for module, name in named(cell)
    ]
    missing = [
        each for each in reached if (each[0], each[2]) not in ADDED and not exists(".".join(filter(None, each[1:])))
    ]
    assert missing == []
    assert len(reached) >= 100
    assert {attack.id.partition("-")[0].lower() for attack in catalogue()} == set(GROUPS)
