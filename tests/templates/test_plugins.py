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
from tests.templates.nasty_tables import umlauts

pytestmark = pytest.mark.kernel

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
DRAFT = """
import json, sys
from pathlib import Path
from authoring.languages import Language
from authoring.seeds import build_profile
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import FAMILIES, draft_from_sketch, sketch_from_profile
from evaluator.session import Engine

inputs = Path(sys.argv[1])
with Engine(trusted=True) as engine:
    profile = build_profile(engine, sorted(inputs.iterdir()))
    load = sketch_from_profile(profile, rng_seed=0)[0]
    ours = SketchItem(
        number=2, query_idea="", knowledge_points=(), family="count_cells",
        slots={"frame": load.slots["var"], "wording": 1}, depends_on=(1,), difficulty=load.difficulty,
    )
    drafts = [
        draft_from_sketch(engine, inputs, profile, [load, ours], rng_seed=0, name="draft", language=language)
        for language in Language
    ]
print(json.dumps([list(FAMILIES), [draft.text for draft in drafts], [draft.report for draft in drafts]]))
"""


def install(folder: Path, package: str, source: str, entry: str) -> None:
    """Write a package with one module and one entry point, as an installer leaves it."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{entry}\n", encoding="utf-8")


def test_a_family_of_an_installed_package_is_listed_drafted_and_executed(tmp_path: Path) -> None:
    inputs, packages = tmp_path / "inputs", tmp_path / "packages"
    inputs.mkdir()
    packages.mkdir()
    umlauts(inputs)
    install(packages, "cell-families", COUNT_CELLS, "cells = cell_families")
    path = os.pathsep.join(filter(None, [str(packages), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", DRAFT, str(inputs)],
        env={**os.environ, "PYTHONPATH": path},
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names, texts, reports = json.loads(done.stdout)
    assert names == [*OURS, "count_cells"]
    assert len(texts) == len(Language)
    for text, report in zip(texts, reports, strict=True):
        assert "Count the cells of `" in text  # in English where it has no other words
        assert ".size\n" in text
        assert report["replaced"] == []


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module_anywhere", "ModuleNotFoundError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("x = 1", "it holds no family"),
        (COUNT_CELLS.replace("def count_cells", "def gap_pattern"), "'gap_pattern' is registered twice"),
        (COUNT_CELLS.replace('("shape",)', "()"), "no knowledge points"),
        (COUNT_CELLS.replace('"How many cells does {frame} have?", "Count the cells of {frame}."', ""), "no wordings"),
        ("from authoring.templates.families.opening import load_tables", "it holds no family"),
    ],
)
def test_a_broken_package_is_one_warning_with_its_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    request: pytest.FixtureRequest,
    source: str,
    reason: str,
) -> None:
    number = request.node.callspec.indices["source"]
    install(tmp_path, f"broken-{number}", source, f"one = broken_{number}")
    install(tmp_path, f"whole-{number}", COUNT_CELLS, f"other = whole_{number}:count_cells")
    monkeypatch.syspath_prepend(tmp_path)
    caplog.set_level(logging.WARNING)
    assert list(Families(SHIPPED)) == [*OURS, "count_cells"]
    assert list(Families(SHIPPED)) == [*OURS, "count_cells"]  # and no second warning
    (warning,) = caplog.messages
    assert f"package=broken-{number} " in warning
    assert reason in warning


def test_an_entry_point_may_name_several_families_but_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    others = COUNT_CELLS.replace("count_cells", "other_cells").replace("propose_cells", "propose_other")
    install(
        tmp_path, "several-cells", f"{COUNT_CELLS}\n{others}\nALL = [count_cells, other_cells]", "a = several_cells:ALL"
    )
    install(tmp_path, "stray-things", "ALL = [7]", "b = stray_things:ALL")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(Families(SHIPPED))[-2:] == ["count_cells", "other_cells"]
    (warning,) = caplog.messages
    assert "package=stray-things " in warning
    assert "7 is no family" in warning


def test_a_package_may_bring_words_in_other_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = 'translations={Language.CHINESE: FamilyWords("idea", ("one", "two"))},\n)\ndef count_cells'
    install(tmp_path, "spoken-cells", COUNT_CELLS.replace(")\ndef count_cells", words), "cells = spoken_cells")
    monkeypatch.syspath_prepend(tmp_path)
    assert Families(SHIPPED)["count_cells"].words_in(Language.CHINESE).wordings == ("one", "two")


def test_every_module_in_the_rooms_stands_in_the_table_and_declares_families() -> None:
    files = {path.stem for path in ROOMS.rglob("*.py")} - {"__init__", "catalogue"}
    assert len(files) >= 18
    assert {module.__name__.rsplit(".", 1)[1] for module in SHIPPED} == files
    assert all(declared_in(module) for module in SHIPPED)
    assert sum(len(declared_in(module)) for module in SHIPPED) >= 70
