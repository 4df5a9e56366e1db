"""Files that a command makes: a file that is there already is refused, before anything is asked or stored."""

from pathlib import Path
from typing import Final

from evaluator.errors import UsageError, error_from_machine

_OTHER_FILE: Final = "name another file with --out"


def refuse_existing(path: Path | None) -> None:
    """Refuse a place for a new file where something lies; None: no file is asked for.

    Raises:
        UsageError: If it is there.
    """
    if path is not None and (path.exists() or path.is_symlink()):
        raise _taken(path)


def write_new(path: Path, text: str, *, fix: str = _OTHER_FILE) -> None:
    """Write a text to a file that is not there yet; folders above it are made.

    Args:
        path: Of the file.
        text: What it shall hold.
        fix: How the command names another file.

    Raises:
        UsageError: If it is there, or cannot be written.
        ToolkitError: If the disk refuses.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="") as stream:
            stream.write(text)
    except FileExistsError:
        if path.parent.is_dir():
            raise _taken(path, fix) from None
        what = f"{str(path.parent)!r} is a file, not a folder"
        raise UsageError(what, where=str(path), fix=fix) from None
    except OSError as error:
        what = f"{str(path)!r} cannot be written: {error.strerror}"
        raise error_from_machine(error) or UsageError(what, where=str(path), fix=fix) from error


def _taken(path: Path, fix: str = _OTHER_FILE) -> UsageError:
    return UsageError(f"{str(path)!r} exists", where=str(path), fix=fix)
