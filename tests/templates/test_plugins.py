"""Families that other installed packages bring, and what happens when one of them is broken."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from authoring.languages import Language
from authoring.templates import FAMILIES
from authoring.templates.families import opening
from authoring.templates.families.catalogue import GROUP, SHIPPED, Families, declared_in

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
ASKED = """
import json, sys
from random import Random
from authoring.languages import Language
from authoring.seeds import SHIPPED_SEEDS_DIR, Profile
from authoring.seeds.meanings import infer_semantics
from authoring.templates import FAMILIES
from authoring.templates.board import Board

stored = json.loads((SHIPPED_SEEDS_DIR / "penguins" / "profile.json").read_text(encoding="utf-8"))
profile = Profile.from_json(stored["profile"])
board, load, ours = Board(profile, infer_semantics(profile)), FAMILIES["load_tables"], FAMILIES["count_cells"]
loaded = load.build(board, next(iter(load.propose(board, Random(0))))).board.after()
slots = {**next(ours.propose(loaded, Random(0))), "wording": 1}
task = ours.build(loaded, slots)
print(json.dumps([list(FAMILIES), task.code, [ours.query(task, slots, language) for language in Language]]))
"""


def install(folder: Path, package: str, source: str, entry: str) -> None:
    """Write a package with one module and one entry point, as an installer leaves it."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{entry}\n", encoding="utf-8")


def test_a_family_of_an_installed_package_is_listed_and_asks(tmp_path: Path) -> None:
    install(tmp_path, "cell-families", COUNT_CELLS, "cells = cell_families")
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))},
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names, code, queries = json.loads(done.stdout)
    assert names == [*OURS, "count_cells"]
    assert code.endswith(".size")
    assert queries == ["Count the cells of `penguins`."] * len(Language)  # in English where it has no other words


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


def test_a_package_may_bring_words_in_other_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = 'translations={Language.CHINESE: FamilyWords("idea", ("one", "two"))},\n)\ndef count_cells'
    install(tmp_path, "spoken-cells", COUNT_CELLS.replace(")\ndef count_cells", words), "cells = spoken_cells")
    monkeypatch.syspath_prepend(tmp_path)
    assert Families(SHIPPED)["count_cells"].words_in(Language.CHINESE).wordings == ("one", "two")


def test_every_module_of_families_is_listed_and_declares_some() -> None:
    files = {path.stem for path in ROOMS.rglob("*.py")} - {"__init__", "catalogue"}
    assert len(files) >= 18
    assert {module.__name__.rsplit(".", 1)[1] for module in SHIPPED} == files
    assert all(declared_in(module) for module in SHIPPED)
    assert sum(len(declared_in(module)) for module in SHIPPED) >= 70
