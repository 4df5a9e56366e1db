"""How the package is built: a wheel carries copies of what lies at the top of a checkout, a source archive all of it.

`evaluator/installation.py` finds either.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

TOP = ("app.py", ".streamlit/config.toml")
FOLDERS = ("static", "seeds", "problemsets", "docs")
LEFT_OUT = ("docs/pictures/", "__pycache__/", ".pyc")
TARGET = Path("evaluator") / "installed"


def shipped_files() -> Iterator[Path]:
    """Yield the files that come with the program, as paths below the top of the checkout, in order."""
    yield from map(Path, TOP)
    for folder in FOLDERS:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and not any(part in path.as_posix() for part in LEFT_OUT):
                yield path


class BuildPackages(build_py):
    """Copies them into the package; an editable installation finds them where they are."""

    def run(self) -> None:
        """Build the packages, then add the copies."""
        super().run()
        if self.editable_mode:
            return
        for path in shipped_files():
            target = Path(self.build_lib) / TARGET / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


class SourceArchive(sdist):
    """Holds what the wheel is built of."""

    def make_distribution(self) -> None:
        """Add them to what every source archive holds."""
        self.filelist.extend([*map(str, shipped_files()), "scripts/package_build.py"])
        super().make_distribution()
