"""Experiments that come with the program: each repeats a table or a figure of a paper, and is started by its name."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluator.errors import UsageError
from evaluator.experiments.experiment_file import Experiment, read_experiment
from evaluator.installation import shipped_benchmark
from evaluator.registry import nearest_name

SHIPPED: Final = Path(__file__).with_name("shipped")
_MOST_NAME: Final = 90  # characters


@dataclass(frozen=True)
class ShippedExperiment:
    """One of them."""

    name: str
    path: Path
    content: Experiment

    @property
    def missing(self) -> tuple[str, ...]:
        """The benchmarks that it needs and that are not here; empty: it can be started."""
        return tuple(each.benchmark for each in self.content.benchmarks if not _is_here(each.benchmark))

    @property
    def needs(self) -> tuple[str, ...]:
        """How to get what is missing, a line each."""
        missing = self.missing
        return tuple(dict.fromkeys(each.needs for each in self.content.benchmarks if each.benchmark in missing))

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        told = {"name": self.name, "about": self.content.about, "file": str(self.path)}
        return {
            **told,
            "missing": list(self.missing),
            "needs": list(self.needs),
            "benchmarks": [each.benchmark for each in self.content.benchmarks],
            "small": [each.benchmark for each in self.content.small],
            "published": self.content.published or None,
        }


def shipped_experiments() -> tuple[ShippedExperiment, ...]:
    """Return all of them, in the order of their names."""
    return tuple(ShippedExperiment(path.stem, path, read_experiment(path)) for path in sorted(SHIPPED.glob("*.yaml")))


def shipped_names() -> tuple[str, ...]:
    """Return their names, in order."""
    return tuple(path.stem for path in sorted(SHIPPED.glob("*.yaml")))


def shipped_file(name: str) -> Path:
    """Return the file of a shipped experiment.

    Raises:
        UsageError: If none is called so; the fix says the nearest.
    """
    names = shipped_names()
    if name in names:
        return SHIPPED / f"{name}.yaml"
    near = nearest_name(name, list(names))
    fix = f"use {near!r}" if near else f"use one of {', '.join(names)}"
    raise UsageError(f"no experiment is shipped as {name!r}", where=name, fix=fix)


def renamed(text: str, name: str) -> str:
    """Return the text of an experiment under another name: two of one name would write to one folder."""
    return re.sub(r"(?m)^name:.*$", lambda _: f"name: {json.dumps(name, ensure_ascii=False)}", text, count=1)


def copy_of_shipped(name: str, file: Path) -> tuple[str, str]:
    """Return what a copy of a shipped experiment is called after its file, and the text of the copy.

    It is never called as a shipped one: its runs would lie among those of that.

    Raises:
        UsageError: If none is shipped as `name`.
    """
    text = shipped_file(name).read_text(encoding="utf-8")
    called = file.stem[:_MOST_NAME].encode("utf-8", "replace").decode() or name
    called = f"{called}-copy" if called in shipped_names() else called
    return called, renamed(text, called)


def experiment_file(given: Path) -> Path:
    """Return the file that a command means: what lies there, else the shipped experiment of that name.

    Raises:
        UsageError: If there is neither; the fix says the nearest name.
    """
    names = shipped_names()
    if str(given) in names and not given.is_file():  # a folder may be called so: that of its runs, say
        return shipped_file(str(given))
    if given.exists():
        return given
    near = nearest_name(given.stem, list(names))
    fix = f"use {near!r}, which is shipped" if near else "use the name of a shipped one"
    fix += " ('benchwright experiment list' lists them), or name its YAML file"
    raise UsageError("there is no such experiment", where=str(given), fix=fix)


def _is_here(benchmark: str) -> bool:
    return Path(benchmark).exists() or shipped_benchmark(benchmark) is not None
