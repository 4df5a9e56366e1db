"""Files of experiments: listed, read and saved beside what people do to them by hand."""

import os

import pytest

from authoring.store import experiments
from authoring.store.database.connections import ConflictError
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError


def test_the_newest_file_stands_first_and_other_files_are_left_out(workspace: Workspace) -> None:
    assert experiments.select(workspace) == []
    for number, name in enumerate(("a", "b")):
        saved = experiments.save(workspace, name, "x", base=None)
        os.utime(saved.path, (number, number))
    folder = experiments.folder_of(workspace)
    (folder / "c.yaml").mkdir()
    (folder / ".hidden.yaml").write_text("x")
    (folder / "notes.txt").write_text("x")
    os.mkfifo(folder / "pipe.yaml")
    (folder / "by hand.yml").write_text("y")
    os.utime(folder / "by hand.yml", (9, 9))
    assert [row.name for row in experiments.select(workspace)] == ["by hand", "b", "a"]
    assert experiments.read(workspace, "by hand").text == "y"


def test_what_is_saved_rests_on_what_was_seen(workspace: Workspace) -> None:
    first = experiments.save(workspace, "shots", "one", base=None)
    second = experiments.save(workspace, "shots", "two", base=first.digest)
    with pytest.raises(ConflictError, match="somebody else saved"):
        experiments.save(workspace, "shots", "three", base=first.digest)
    assert experiments.read(workspace, "shots") == second
    second.path.unlink()  # by hand: what is written comes back
    assert experiments.save(workspace, "shots", "four", base=second.digest).text == "four"
    for taken in ("shots", "Shots"):
        with pytest.raises(ConflictError, match="already an experiment 'shots'"):
            experiments.save(workspace, taken, "x", base=None)


def test_a_new_file_has_a_name_that_leads_nowhere_else(workspace: Workspace) -> None:
    for name in ("", "../evil", "a/b", ".hidden", "12", "x" * 61):
        with pytest.raises(UsageError):
            experiments.save(workspace, name, "x", base=None)
        with pytest.raises(UsageError):
            experiments.read(workspace, name)


def test_files_that_cannot_be_read_are_named(workspace: Workspace) -> None:
    experiments.save(workspace, "shots", "x", base=None)
    with pytest.raises(UsageError) as missing:
        experiments.read(workspace, "shot")
    assert missing.value.fix == "open 'shots'"
    path = experiments.folder_of(workspace) / "shots.yaml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ContentError, match="no UTF-8 text"):
        experiments.read(workspace, "shots")
    path.write_bytes(b"x" * 1_000_001)
    with pytest.raises(ContentError, match="more than 1 MB"):
        experiments.read(workspace, "shots")
    with pytest.raises(ContentError, match="half a character"):
        experiments.save(workspace, "new", "a\n\ud800", base=None)
