"""Removing what hostile code left in a folder."""

import os
from pathlib import Path

from evaluator.inside.isolation.folders import remove_tree

DEEP = 1200  # more than the interpreter's stack holds


def nest(folder: Path, name: str) -> None:
    """Make folders in folders; without paths, which would be too long."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(DEEP):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def test_folders_nested_deeper_than_a_stack_or_a_path_are_removed(tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    nest(left, "d")
    nest(left, "d" * 200)
    remove_tree(str(left))
    assert list(tmp_path.iterdir()) == []


def test_closed_folders_links_and_pipes_are_removed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "kept").touch()
    left = tmp_path / "left"
    (left / "closed" / "deep").mkdir(parents=True)
    (left / "closed" / "deep" / "file").touch()
    (left / "link").symlink_to(tmp_path / "other")
    os.mkfifo(left / "pipe")
    for folder in (left / "closed" / "deep", left / "closed", left):
        folder.chmod(0)
    remove_tree(str(left))
    remove_tree(str(left))  # nothing is there any more
    (tmp_path / "linked").symlink_to(tmp_path / "other")
    remove_tree(str(tmp_path / "linked"))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["kept", "other"]
