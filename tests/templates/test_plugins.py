"""Families that other installed packages bring, and what happens when one of them is broken."""

import logging
from pathlib import Path
from random import Random

import pytest

from authoring.languages import Language
from authoring.templates import FAMILIES
from authoring.templates.board import Board
from authoring.templates.families import opening
from authoring.templates.families.catalogue import GROUP, SHIPPED, Families, declared_in
from tests.templates.conftest import shipped_profile

OURS = tuple(FAMILIES)  # read before a test adds packages
ROOMS = Path(opening.__file__).parent
COUNT_CELLS = """
from authoring.languages import Language
from authoring.templates.family import Task, family, frame_slot
from authoring.templates.phrases import FamilyWords
from authoring.templates.names_in_words import code


def propose_cells(board, rng):
    yield from ({"frame": frame.var} for frame in board.mains())


@family(
    theme="selection",
    knowledge_points=("shape",),
    idea="The cells of {frame}",
    wordings=("How many cells does {frame} have?", "Count the cells of {frame}."),
    propose=propose_cells,
)
def count_cells(board, slots):
    frame = frame_slot(board, slots)
    return Task(words={"frame": code(frame.var)}, result=f"{frame.var}.size", uses=((frame.var, ()),), board=board)
"""


def install(folder: Path, package: str, source: str, entry: str) -> None:
    """Write a package with one module and one entry point, as an installer leaves it."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{entry}\n", encoding="utf-8")


def test_families_of_installed_packages_are_listed_and_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In English where a package has no other words."""
    words = 'translations={Language.CHINESE: FamilyWords("idea", ("one", "two"))},\n)\ndef spoken_cells'
    install(tmp_path, "cell-families", COUNT_CELLS, "ours = cell_families")
    install(tmp_path, "spoken-cells", COUNT_CELLS.replace(")\ndef count_cells", words), "cells = spoken_cells")
    monkeypatch.syspath_prepend(tmp_path)
    families = Families(SHIPPED)
    assert sorted(families.keys() - set(OURS)) == ["count_cells", "spoken_cells"]
    board, load, ours = Board(*shipped_profile("penguins")), families["load_tables"], families["count_cells"]
    loaded = load.build(board, next(iter(load.propose(board, Random(0))))).board.after()
    slots = {**next(iter(ours.propose(loaded, Random(0)))), "wording": 1}
    task = ours.build(loaded, slots)
    assert task.code.endswith(".size")
    asked = [ours.query(task, slots, language) for language in Language]
    assert asked == ["Count the cells of `penguins`."] * len(Language)
    assert families["spoken_cells"].words_in(Language.CHINESE).wordings == ("one", "two")


NO_WORDINGS = COUNT_CELLS.replace('"How many cells does {frame} have?", "Count the cells of {frame}."', "")
BROKEN = (
    ("import no_such_module_anywhere", "ModuleNotFoundError"),
    ("raise SystemExit(3)", "SystemExit"),
    ("x = 1", "it holds no family"),
    (COUNT_CELLS.replace("def count_cells", "def gap_pattern"), "'gap_pattern' is registered twice"),
    (COUNT_CELLS.replace('("shape",)', "()"), "no knowledge points"),
    (NO_WORDINGS, "no wordings"),
    ("from authoring.templates.families.opening import load_tables", "it holds no family"),
    ("one = [7]", "7 is no family"),
)


def test_a_broken_package_is_one_warning_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What other packages bring is listed all the same, several families of one entry point, too."""
    for number, (source, _) in enumerate(BROKEN):
        entry = f"one_{number} = broken_{number}" + (":one" if "one = [" in source else "")
        install(tmp_path, f"broken-{number}", source, entry)
    others = COUNT_CELLS.replace("count_cells", "other_cells").replace("propose_cells", "propose_other")
    both = f"{COUNT_CELLS}\n{others}\nALL = [count_cells, other_cells]"
    install(tmp_path, "whole", both, "other = whole:ALL")
    monkeypatch.syspath_prepend(tmp_path)
    caplog.set_level(logging.WARNING)
    for _ in range(2):  # and no second warning
        assert list(Families(SHIPPED)) == [*OURS, "count_cells", "other_cells"]
    assert len(caplog.messages) == len(BROKEN)
    for number, (_, reason) in enumerate(BROKEN):
        (warning,) = [text for text in caplog.messages if f"package=broken-{number} " in text]
        assert reason in warning


def test_every_module_of_families_is_listed_and_declares_some() -> None:
    files = {path.stem for path in ROOMS.rglob("*.py")} - {"__init__", "catalogue"}
    assert len(files) >= 18
    assert {module.__name__.rsplit(".", 1)[1] for module in SHIPPED} == files
    assert all(declared_in(module) for module in SHIPPED)
    assert sum(len(declared_in(module)) for module in SHIPPED) >= 70
