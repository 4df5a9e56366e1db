"""The requirements that an environment is built from: packages and versions, and nothing that points elsewhere."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evaluator.errors import ContentError, UsageError

NEEDED: Final = ("ipython>=8.12", "numpy>=1.26", "pandas>=2.0", "ipykernel>=6.25")
"""What every environment holds: the worker's libraries, and the kernel that the second engine starts."""
_MAX_BYTES: Final = 1_000_000
_NAME: Final = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)")
_VERSIONS: Final = re.compile(r"(?:\(?\s*[<>=!~].*)?(?:;.*)?")
_HASH: Final = re.compile(r"\s--hash[= ]\S+")


def read_requirements(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return the requirements of all files, one each, without comments and hashes.

    Raises:
        UsageError: If a file cannot be read.
        ContentError: If a line is more than a package with versions and markers.
    """
    return tuple(line for path in paths for line in _read_file(path))


def _read_file(path: Path) -> list[str]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ContentError("the file is too large for requirements", where=str(path), fix="name a requirements.txt")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        what = f"the requirements cannot be read: {error.strerror or error}"
        raise UsageError(what, where=str(path), fix="name a file with one requirement a line") from error
    except UnicodeDecodeError as error:
        raise ContentError("the file is no text in UTF-8", where=str(path), fix="save it as UTF-8") from error
    found = []
    for number, line in _logical_lines(text):
        requirement = _HASH.sub("", re.sub(r"(^|\s)#.*", "", line)).strip()
        if requirement:
            _refuse_unusual(requirement, f"{path}:{number}")
            found.append(" ".join(requirement.split()))
    return found


def _logical_lines(text: str) -> list[tuple[int, str]]:
    lines: list[tuple[int, str]] = []
    start, pending = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        start = start if pending else number
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1] + " "
            continue
        lines.append((start, pending))
        pending = ""
    return [*lines, (start, pending)] if pending else lines


def _refuse_unusual(requirement: str, where: str) -> None:
    match = _NAME.fullmatch(requirement)
    if match is None or not _VERSIONS.fullmatch(match[2]):
        what = f"{requirement[:80]!r} is no package with versions"
        fix = "write lines like 'pandas==2.2.*'; where packages come from is set in the installer's own configuration"
        raise ContentError(what, where=where, fix=fix)


def package_name(requirement: str) -> str:
    """Return the normalised name of the package that a requirement asks for."""
    match = _NAME.fullmatch(requirement)
    assert match is not None, "requirements are checked when they are read"
    return re.sub(r"[-_.]+", "-", match[1]).lower()
