"""Files that a command makes: a file that is there already is refused, before anything is asked or stored."""

from pathlib import Path

from evaluator.errors import UsageError, error_from_machine


def refuse_existing(path: Path | None) -> None:
    """Refuse a place for a new file where something lies; None: no file is asked for.

    Raises:
        UsageError: If it is there.
    """
    if path is not None and (path.exists() or path.is_symlink()):
        raise _taken(path)


def write_new(path: Path, text: str) -> None:
    """Write a text to a file that is not there yet; folders above it are made.

    Raises:
        UsageError: If it is there, or cannot be written.
        ToolkitError: If the disk refuses.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="") as stream:
            stream.write(text)
    except FileExistsError:
        raise _taken(path) from None
    except OSError as error:
        what = f"{str(path)!r} cannot be written: {error.strerror}"
        fix = "name another file with --out"
        raise error_from_machine(error) or UsageError(what, where=str(path), fix=fix) from error


def _taken(path: Path) -> UsageError:
    return UsageError(f"{str(path)!r} exists", where=str(path), fix="name another file with --out")
