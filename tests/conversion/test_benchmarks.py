"""A published benchmark taken into a workspace."""

import json
import stat
import zipfile
from pathlib import Path

import pytest

from authoring.cli.main import run_command_line
from authoring.conversion import import_benchmark
from authoring.store import Workspace, find_problemset, list_problemsets, problemset_inputs
from evaluator.errors import ContentError, UsageError

SET = '# %%\n"""\nquery: How many?\n"""\n1\n'


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


def benchmark(folder: Path) -> Path:
    """A benchmark of a good set with one input, and one that does not parse."""
    (folder / "_inputs").mkdir(parents=True)
    (folder / "_manifest.yaml").write_text('name: city\nversion: "2"\n')
    (folder / "_inputs" / "trips.csv").write_text("a\n1\n")
    (folder / "trips.py").write_text(SET)
    (folder / "broken.py").write_text('# %%\n"""\nquary: How?\n"""\n1\n')
    return folder


def zipped(path: Path, *entries: tuple[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in entries:
            archive.writestr(name, text)
    return path


def test_every_set_of_an_archive_comes_with_its_inputs_and_a_taken_name_is_refused(
    ws: Workspace, tmp_path: Path
) -> None:
    root = benchmark(tmp_path / "bench")
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    archive = zipped(
        tmp_path / "city-2.zip", *[(f"city-2/{path.relative_to(root)}", path.read_text()) for path in files]
    )
    (tmp_path / "scratch").mkdir()
    made = import_benchmark(ws, archive, tmp_path / "scratch", author="Ann")
    assert (made.benchmark, made.refused, made.with_errors) == ("city 2", (), ("broken",))
    assert sorted(row.name for row in list_problemsets(ws)) == ["broken", "trips"]
    trips = find_problemset(ws, "trips")
    assert list(problemset_inputs(ws, trips.id)) == ["trips.csv"]

    again = import_benchmark(ws, root, tmp_path / "scratch")
    assert [name for name, _ in again.refused] == ["broken", "trips"]
    assert again.kept == ()


@pytest.mark.parametrize("name", ["../out.py", "/out.py", "a\\b.py", "x/" * 10 + "deep.py", "C:out.py"])
def test_an_archive_that_leads_out_of_its_folder_is_refused(ws: Workspace, tmp_path: Path, name: str) -> None:
    archive = zipped(tmp_path / "bad.zip", ("_manifest.yaml", "name: x\n"), (name, SET))
    (tmp_path / "scratch").mkdir()
    with pytest.raises(ContentError, match="holds a path"):
        import_benchmark(ws, archive, tmp_path / "scratch")
    assert list_problemsets(ws) == []


def test_links_repeated_paths_damage_and_archives_of_something_else_are_refused(ws: Workspace, tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.warns(UserWarning, match="Duplicate"):
        zipped(tmp_path / "twice.zip", ("a.py", "1"), ("a.py", "2"))
    (tmp_path / "damaged.zip").write_bytes(b"PK nothing")
    zipped(tmp_path / "other.zip", ("readme.txt", "hello"))
    for name, what in (("link", "link"), ("twice", "same path twice"), ("damaged", "no readable .zip")):
        folder = tmp_path / f"scratch-{name}"
        folder.mkdir()
        with pytest.raises(ContentError, match=what):
            import_benchmark(ws, tmp_path / f"{name}.zip", folder)
    (tmp_path / "scratch").mkdir()
    with pytest.raises(UsageError, match="holds no benchmark"):
        import_benchmark(ws, tmp_path / "other.zip", tmp_path / "scratch")


def test_the_command_line_imports_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = benchmark(tmp_path / "bench")
    where = ["--workspace", str(tmp_path / "ws"), "--by", "Ann", "--json"]
    assert run_command_line(["import", "benchmark", str(root), *where]) == 1  # one set has errors to repair
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found["kept"]] == ["broken", "trips"]
