"""Where the files are that come with the program: app.py, static/, seeds/, problemsets/, docs/.

In a checkout they lie at its top; a wheel carries copies within this package (scripts/package_build.py).
"""

from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[1]
INSTALLED: Final = Path(__file__).resolve().parent / "installed"  # in no checkout
HOME: Final = INSTALLED if INSTALLED.is_dir() else CHECKOUT
"""The folder that holds them."""


def shipped_benchmarks() -> tuple[str, ...]:
    """Return the names of the benchmarks that come with the program, in order."""
    folder = HOME / "problemsets"
    return tuple(sorted(each.name for each in folder.iterdir() if each.is_dir())) if folder.is_dir() else ()


def shipped_benchmark(name: str) -> Path | None:
    """Return the folder of a shipped benchmark; None if none is called so."""
    return HOME / "problemsets" / name if name in shipped_benchmarks() else None
