"""Pictures that a file of results names: read from below its folder only, whatever it says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evaluator.diagnostics import Diagnostic, Severity

MAX_PICTURE_BYTES: Final = 64 * 1024 * 1024


class PictureFolder:
    """The folder of a file of results: its links are looked at once each, and those not to be followed are told."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder = path.parent.resolve()
        self._refused: dict[str, bool] = {}  # link -> whether it may not be followed
        self.diagnostics: list[Diagnostic] = []

    @property
    def refused(self) -> frozenset[str]:
        """The links that are not followed."""
        return frozenset(link for link, is_refused in self._refused.items() if is_refused)

    def can_be_read(self, where: str, link: str) -> bool:
        """Return whether a link leads to a picture that may be read; `where` is for what is told of it."""
        if link not in self._refused:
            why, fix = self._fault(link)
            self._refused[link] = bool(why)
            if why:
                what = f"the picture {link[:200]!r} of {where} {why}: it is not opened"
                self.diagnostics.append(Diagnostic("picture-not-read", Severity.WARNING, self._path, 1, what, fix))
        return not self._refused[link]

    def _fault(self, link: str) -> tuple[str, str]:
        fix = "put it below the folder of the file, and name it from there"
        parts: Sequence[str] = Path(link).parts if "\0" not in link else ()
        if not parts or Path(link).is_absolute() or ".." in parts:
            return "lies outside of the file's folder", fix
        path = self._path.parent / link
        try:
            is_link = any((self._path.parent / Path(*parts[: length + 1])).is_symlink() for length in range(len(parts)))
            if is_link or not path.resolve().is_relative_to(self._folder):
                return "is a link", fix
            if not path.is_file():
                return "is not there", "put it where the file says"
            if path.stat().st_size > MAX_PICTURE_BYTES:
                return f"has more than {MAX_PICTURE_BYTES // 1024**2} MiB", "make it smaller"
        except (OSError, ValueError):
            return "cannot be read", "look at its name and its rights"
        return "", ""
