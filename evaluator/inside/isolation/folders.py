"""The working folders of sessions and trials."""

import contextlib
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evaluator.inside.isolation import namespaces as isolation
from evaluator.inside.runtime.channel import ChannelMessage

WORKING_FOLDER: Final = "/session"  # the same for every session, so that printed paths repeat
_SESSION_MB: Final = 4096
_SESSION_FILES: Final = 1_000_000
_TRIAL_MB: Final = 256
_TRIAL_FILES: Final = 50_000
_COPY_LIMIT: Final = 16 * 1024 * 1024
_STAGE: Final = "/run/benchwright"


def make_session_folder(folder: str, *, isolated: bool, keep_in_tmp: Sequence[str], size_mb: int | None = None) -> None:
    """Create the session's empty working folder and go there."""
    if isolated:
        isolation.unshare(isolation.CLONE_NEWNS)
        isolation.keep_mounts_private()
        size_mb = size_mb or _SESSION_MB
        _cover_tmp(size_mb, _SESSION_FILES, keep_in_tmp)
        isolation.mount_tmpfs(folder, size_mb=size_mb, files=_SESSION_FILES)
    Path(folder, "inputs").mkdir(parents=True, exist_ok=True)
    os.chdir(folder)


def _cover_tmp(size_mb: int, files: int, keep: Sequence[str]) -> None:
    """Mount an empty `/tmp` with an empty home; `keep` stays visible in it."""
    isolation.mount_tmpfs(_STAGE, size_mb=size_mb, files=files, mode="1777")
    for path in keep:
        place = _STAGE + path.removeprefix("/tmp")  # noqa: S108  # inside
        os.makedirs(place)
        isolation.bind(path, place)
    isolation.move_mount(_STAGE, "/tmp")  # noqa: S108  # inside
    Path(os.environ["HOME"]).mkdir(parents=True, exist_ok=True)


def receive_inputs(message: ChannelMessage) -> None:
    """Copy the files that came as descriptors to `inputs/`; their names are in the body."""
    for name, descriptor in zip(json.loads(message.body), message.descriptors, strict=True):
        target = Path("inputs", name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(descriptor, "rb") as source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy, 1024 * 1024)


def make_trial_folder(folder: str, *, isolated: bool, keep_in_tmp: Sequence[str]) -> tuple[str, ...]:
    """Give a trial its own copy of the working folder, and its own `/tmp`; nobody else sees its changes.

    Returns:
        The folders that only it writes to; none where it sees no others.
    """
    if not isolated:
        return _copy_beside(folder)
    _cover_tmp(_TRIAL_MB, _TRIAL_FILES, keep_in_tmp)
    cover_shared_memory()
    _copy_or_overlay(folder)
    os.chdir(folder)
    return ()


def trial_folders(folder: str) -> tuple[str, str]:
    """Return where a trial without namespaces works and where its home is."""
    return f"{folder}-trial", f"{folder}-home"


def remove_trial_folders(folder: str) -> None:
    """Remove what a trial without namespaces has left, while nobody waits for the next one to start."""
    for path in trial_folders(folder):
        remove_tree(path)


def _copy_beside(folder: str) -> tuple[str, ...]:
    copy, home = trial_folders(folder)
    for path in (copy, home):
        remove_tree(path)
        if os.path.lexists(path):  # an earlier trial took the rights to remove it; the host will
            os.rename(path, f"{path}-{os.getpid()}")
    shutil.copytree(folder, copy, symlinks=True)
    os.mkdir(home)
    os.environ["HOME"] = os.environ["TMPDIR"] = home
    tempfile.tempdir = None
    os.chdir(copy)
    return copy, home


def remove_tree(folder: str) -> None:
    """Remove a folder, however deep it is and whatever rights are left in it; what resists all the same stays.

    What lies deeper is moved up before it is removed: hostile code can nest folders deeper than the longest path that
    the system takes, and than calls of a function that walks down can.
    """
    if os.path.islink(folder):
        os.unlink(folder)
        return
    names = (f"{folder}/removed-{number}" for number in itertools.count())
    before: list[str] = []
    while (inner := _remove_all_but_folders(folder)) != before:
        before = inner
        for path in inner:
            for deeper in _remove_all_but_folders(path):
                with contextlib.suppress(OSError):
                    os.rename(deeper, next(name for name in names if not os.path.lexists(name)))
            with contextlib.suppress(OSError):
                os.rmdir(path)
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _remove_all_but_folders(folder: str) -> list[str]:
    """Remove what is no folder from a folder, and return the folders in it."""
    kept: list[str] = []
    try:
        os.chmod(folder, 0o700)
        entries = list(os.scandir(folder))
    except OSError:
        return kept
    for entry in entries:
        with contextlib.suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.path, 0o700)  # else it could not be moved: what it calls the folder above changes
                kept.append(entry.path)
            else:
                os.unlink(entry.path)
    return sorted(kept)


def cover_shared_memory() -> None:
    """Give this process and all it starts a `/dev/shm` of their own, where that can be done."""
    with contextlib.suppress(OSError):
        isolation.mount_tmpfs("/dev/shm", size_mb=_TRIAL_MB, files=_TRIAL_FILES, mode="1777")  # noqa: S108


def _copy_or_overlay(folder: str) -> None:
    isolation.mount_tmpfs(_STAGE, size_mb=_TRIAL_MB, files=_TRIAL_FILES)
    if _is_larger_than(folder, _COPY_LIMIT):
        upper, work = f"{_STAGE}/upper", f"{_STAGE}/work"
        os.mkdir(upper)
        os.mkdir(work)
        try:
            isolation.mount_overlay(folder, upper, work, folder)
        except OSError:  # an old kernel: copy after all
            isolation.mount_tmpfs(_STAGE, size_mb=_SESSION_MB, files=_SESSION_FILES)
        else:
            return
    shutil.copytree(folder, f"{_STAGE}/copy", symlinks=True)
    isolation.bind(f"{_STAGE}/copy", folder)


def _is_larger_than(folder: str, limit: int) -> bool:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_size
            if total > limit:
                return True
    return False
