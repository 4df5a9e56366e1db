"""Scratch folders on the host: removed when they have served, or at a later start if their owner was killed."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from evaluator.inside.isolation.folders import remove_tree

_PREFIX: Final = "benchwright-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a folder for this process and remove it at the end."""
    folder = make_scratch_folder()
    try:
        yield folder
    finally:
        remove_scratch_folder(folder)


def make_scratch_folder() -> Path:
    """Create a folder for this process and remove those of processes that are gone."""
    remove_stale_folders()
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))


def remove_scratch_folder(folder: Path) -> None:
    """Remove a scratch folder, however its content was left."""
    remove_tree(str(folder))


def remove_stale_folders() -> None:
    """Remove scratch folders of this user whose owner is dead."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).split("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists() and _is_mine(folder):
            remove_scratch_folder(folder)


def _is_mine(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return status.st_uid == os.getuid() and not folder.is_symlink() and folder.is_dir()
