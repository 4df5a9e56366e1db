"""A published benchmark imported into a workspace."""

import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from authoring.conversion import import_benchmark
from authoring.store import problemsets, revisions
from authoring.store.problemsets import problemset_inputs
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

SET = '# %%\n"""\nquery: How many?\n"""\n1\n'


def benchmark(folder: Path) -> Path:
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


def test_sets_of_an_archive_come_with_their_inputs(workspace: Workspace, tmp_path: Path) -> None:
    root = benchmark(tmp_path / "bench")
    archive = Path(shutil.make_archive(str(tmp_path / "city-2"), "zip", tmp_path, "bench"))
    (tmp_path / "scratch").mkdir()
    made = import_benchmark(workspace, archive, tmp_path / "scratch", author="Ann")
    assert made.benchmark == "city 2"
    ((name, why),) = made.refused
    assert name == "broken"
    assert "no key is called 'quary'" in why
    assert "nothing was stored" in why
    assert [row.name for row in problemsets.select(workspace)] == ["trips"]
    trips = problemsets.find(workspace, "trips")
    assert list(problemset_inputs(workspace, trips.id)) == ["trips.csv"]

    again = import_benchmark(workspace, root, tmp_path / "scratch")
    assert [name for name, _ in again.refused] == ["broken", "trips"]
    assert again.kept == ()


def test_an_archive_that_leads_out_of_its_folder_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    for number, name in enumerate(("../out.py", "/out.py", "a\\b.py", "x/" * 10 + "deep.py", "C:out.py")):
        archive = zipped(tmp_path / f"bad{number}.zip", ("_manifest.yaml", "name: x\n"), (name, SET))
        (tmp_path / f"scratch{number}").mkdir()
        with pytest.raises(ContentError, match="holds a path"):
            import_benchmark(workspace, archive, tmp_path / f"scratch{number}")
    assert problemsets.select(workspace) == []


def test_links_repeated_paths_damage_and_other_archives_are_refused(workspace: Workspace, tmp_path: Path) -> None:
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
            import_benchmark(workspace, tmp_path / f"{name}.zip", folder)
    (tmp_path / "scratch").mkdir()
    with pytest.raises(UsageError, match="holds no benchmark"):
        import_benchmark(workspace, tmp_path / "other.zip", tmp_path / "scratch")


def test_a_manifest_that_is_wrong_stops_the_import(workspace: Workspace, tmp_path: Path) -> None:
    root = benchmark(tmp_path / "bench")
    for manifest, what in (
        (b"name: [city\nversion: 1\n", "YAML"),
        (b"name: city\xff\nversion: 1\n", "not UTF-8"),
        (b"- city\n", "not a mapping"),
        (b"version: 1\n", "no 'name'"),
        (b"name: city\nversion: 1\nlanguage_version: 99\n", "newer than"),
        (b"name: ../city\nversion: 1\n", "cannot be the name"),
        (b'name: "ci\\tty"\nversion: 1\n', "cannot be the name"),
        (b'name: city\nversion: "1/2"\n', "cannot be the version"),
    ):
        (root / "_manifest.yaml").write_bytes(manifest)
        with pytest.raises(ContentError, match=what) as caught:
            import_benchmark(workspace, root, tmp_path / "scratch")
        assert str(root) in caught.value.where
    assert problemsets.select(workspace) == []


def test_sets_and_input_files_of_odd_names_are_refused(workspace: Workspace, tmp_path: Path) -> None:
    root = benchmark(tmp_path / "bench")
    odd = ("a b", "123", "-x", "é", "x" * 61, "a\tb", "a\nb")
    for name in odd:
        (root / f"{name}.py").write_text(SET)
    made = import_benchmark(workspace, root, tmp_path / "scratch")
    assert {refused for refused, _ in made.refused} == {"broken", *odd}
    assert [row.name for row in problemsets.select(workspace)] == ["trips"]
    for name in ("a\nb.csv", "a:b.csv", "-rf.csv", "x" * 101 + ".csv", "a\u202eb.csv"):
        root = benchmark(tmp_path / f"bench {len(name)}{ord(name[1])}")
        (root / "trips.py").rename(root / "rides.py")
        (root / "_inputs" / name).write_text("a\n1\n")
        made = import_benchmark(workspace, root, tmp_path / "scratch")
        assert [refused for refused, _ in made.refused] == ["broken", "rides"]
        assert "name" in made.refused[1][1]


def test_a_link_among_the_input_files_is_not_followed_into_a_workspace(workspace: Workspace, tmp_path: Path) -> None:
    root = benchmark(tmp_path / "bench")
    (tmp_path / "secret.csv").write_text("k\n1\n")
    (root / "_inputs" / "linked.csv").symlink_to(tmp_path / "secret.csv")
    made = import_benchmark(workspace, root, tmp_path / "scratch")
    assert made.kept == ()
    assert "linked.csv' is a link that leads out of the inputs folder" in made.refused[1][1]


def test_a_manifest_may_be_yml_but_names_must_be_such_as_can_be_shown(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    archive = zipped(tmp_path / "a.zip", ("x/_manifest.yml", "name: x\nversion: 1\n"), ("x/one.py", SET))
    assert [name for name, _ in import_benchmark(workspace, archive, tmp_path / "a").kept] == ["one"]
    archive = zipped(tmp_path / "b.zip", ("_manifest.yml", "name: x\nversion: 1\n"), ("o\x1b[2Jne.py", SET))
    with pytest.raises(ContentError, match="cannot be shown"):
        import_benchmark(workspace, archive, tmp_path / "b")


def test_a_set_without_a_version_of_its_own_takes_its_benchmark_s_along(workspace: Workspace, tmp_path: Path) -> None:
    for version in (1, 2, 3):
        root = benchmark(tmp_path / f"bench-{version}")
        (root / "broken.py").unlink()
        (root / "trips.py").rename(root / f"trips-{version}.py")
        (root / "_manifest.yaml").write_text(f'name: city\nversion: "2"\nlanguage_version: {version}\n')
        assert import_benchmark(workspace, root, tmp_path / "scratch").refused == ()
    heads = [revisions.find(workspace, f"trips-{version}") for version in (1, 2, 3)]
    assert [head.text for head in heads] == [SET, SET, f"# language_version: 3\n\n{SET}"]
    sets = [head.document().require_valid() for head in heads]
    assert [problemset.problems[0].time_limit_s for problemset in sets] == [1.0, 1.0, 5.0]


def test_a_published_set_that_a_workspace_would_cut_otherwise_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    root = benchmark(tmp_path / "bench")
    (root / "_manifest.yaml").write_text('name: city\nversion: "2"\nlanguage_version: 1\n')
    (root / "trips.py").write_text(f"{SET}# %% a comment of the author\n2\n")
    made = import_benchmark(workspace, root, tmp_path / "scratch")
    assert "they would open cells of their own" in dict(made.refused)["trips"]
    assert problemsets.select(workspace) == []


def test_a_set_is_read_with_the_validators_of_its_workspace(workspace: Workspace, tmp_path: Path) -> None:
    root = benchmark(tmp_path / "bench")
    (root / "broken.py").unlink()
    (root / "trips.py").write_text(SET.replace("query", "validator: {near: {}}\nquery"))
    assert [name for name, _ in import_benchmark(workspace, root, tmp_path / "scratch").refused] == ["trips"]
    (workspace.root / "_validators.py").write_text(
        "def near(reference, submission):\n    return reference.value == submission.value\n"
    )
    made = import_benchmark(workspace, root, tmp_path / "scratch")
    assert (made.refused, made.own_validators) == ((), False)
