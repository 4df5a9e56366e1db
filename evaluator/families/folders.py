"""Folders that an import or export makes: refused where something lies there, written at once or not at all."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from evaluator.errors import ContentError, ToolkitError, UsageError, error_from_os

MAX_DATA_BYTES: Final = 2_000_000_000
MANIFEST: Final = "_manifest.yaml"
RECORDED: Final = "_recorded"
"""The folder beside problemsets that holds what they were made of."""


def refuse_taken(out: Path) -> None:
    """Refuse a place where something lies.

    Raises:
        UsageError: If it is no folder, or one that holds something.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise UsageError("this is no folder", where=str(out), fix="name a new folder with --out")
    if out.exists() and any(out.iterdir()):
        raise UsageError("the folder holds something already", where=str(out), fix="name another folder with --out")


@contextmanager
def made_at_once(out: Path) -> Iterator[Path]:
    """Give a folder that takes the place of `out` once all of it is written; whatever ends it before leaves none.

    Raises:
        UsageError: If somebody else wrote `out` meanwhile.
        ToolkitError: If a file cannot be written.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise ToolkitError(
            str(error_from_os(error).what), where=str(out), fix="name another place with --out"
        ) from error
    try:
        yield draft
        draft.chmod(0o755)
        draft.replace(out)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            refuse_taken(out)
        failed = error_from_os(error)
        raise ToolkitError(failed.what, where=str(out), fix=failed.fix) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def unreadable(error: OSError) -> None:
    """Say that a folder cannot be walked through; for `os.walk`.

    Raises:
        UsageError: Always.
    """
    raise UsageError(
        f"the folder cannot be read: {error.strerror}", where=str(error.filename), fix="change its permissions"
    ) from error


def copy_data(data: Path, target: Path) -> None:
    """Copy plain files; links stay behind.

    Raises:
        ContentError: If they are more than `MAX_DATA_BYTES`.
    """
    total = 0
    for parent, folders, files in os.walk(data, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            source = Path(parent, name)
            if source.is_symlink() or not source.is_file():
                continue
            total += source.stat().st_size
            if total > MAX_DATA_BYTES:
                what = f"the data files have more than {MAX_DATA_BYTES / 1e9:.0f} GB"
                raise ContentError(what, where=str(data), fix="keep less in it")
            copy = target / source.relative_to(data)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
