"""A folder of CIBench notebooks as a benchmark, and back: layouts of the published sets, data files, notebooks."""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, UsageError, error_from_os
from evaluator.families.cibench.notebook import CibenchNotebook, read_cibench_notebook
from evaluator.families.cibench.problemset import FAMILY, RECORDED, cell_fault, notebook_of, problemset_of
from evaluator.language import Benchmark, Problemset
from evaluator.language.yaml_text.reader import write_yaml

GENERATION, TEMPLATE, TEMPLATE_CN = "generation", "template", "template_cn"
MAX_DATA_BYTES: Final = 2_000_000_000
_MANIFEST: Final = "_manifest.yaml"
_DATA_FOLDERS: Final = ("datasources/data", "../datasources/data", "data", "../data", "../../datasources/data")


class NotebookPlace(NamedTuple):
    """Where a notebook stands among the others."""

    set_name: str  # generation | template | template_cn, else the folder's name
    module: str
    notebook: str  # path below the folder, with its ending
    is_chinese: bool


@dataclass(frozen=True)
class ImportedBenchmark:
    """What importing a folder came to."""

    out: Path
    problemsets: int
    problems: int
    steps: Mapping[str, Mapping[str, int]]  # set -> tag -> steps (count)
    diagnostics: tuple[Diagnostic, ...]
    data: str = ""  # the folder whose files the sessions see; empty: none was found

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "out": str(self.out),
            "problemsets": self.problemsets,
            "problems": self.problems,
            "steps": {name: dict(tags) for name, tags in self.steps.items()},
            "data": self.data or None,
            "diagnostics": [each.to_json() for each in self.diagnostics],
        }


def import_folder(folder: Path, out: Path, *, data: Path | None = None) -> ImportedBenchmark:
    """Write a folder of notebooks as a benchmark; whatever is wrong with a notebook is told, and refuses that one.

    Args:
        folder: One that holds sets, or modules, or notebooks.
        out: The folder to write; it must not exist, or be empty.
        data: The folder of the data files; None: where the published sets have it, if it is there.

    Raises:
        UsageError: If there is no such folder, or `out` holds something.
        ContentError: If not one notebook can be imported.
        ToolkitError: If a file cannot be written.
    """
    paths = _notebooks(folder)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError("the folder holds something already", where=str(out), fix="name another folder with --out")
    likely = (folder / each for each in _DATA_FOLDERS if (folder / each).is_dir())
    source = data if data is not None else next(likely, None)
    if data is not None and not data.is_dir():
        raise UsageError(f"there is no folder {str(data)!r}", where=str(data), fix="name the folder of the data files")
    read = [(place_of(folder, path), path) for path in paths]
    made, diagnostics = _converted(read, _names([place for place, _ in read]))
    if not made:
        first = next((str(each) for each in diagnostics if each.severity is Severity.ERROR), "it holds no notebook")
        raise ContentError(f"no notebook could be imported: {first}", where=str(folder), fix="mend the notebooks")
    try:
        _write(folder, out, made, source)
    except OSError as error:
        raise error_from_os(error) from error
    missing = _missing_data(made, out / "_inputs")
    problems = sum(len(each.problemset.problems) for each in made)
    return ImportedBenchmark(
        out, len(made), problems, _counted(made), (*diagnostics, *missing), str(source) if source else ""
    )


class _Made(NamedTuple):
    place: NotebookPlace
    notebook: CibenchNotebook
    problemset: Problemset


def _notebooks(folder: Path) -> list[Path]:
    if not folder.is_dir():
        fix = "name the folder that holds the notebooks"
        raise UsageError(f"there is no folder {str(folder)!r}", where=str(folder), fix=fix)
    return list(_walk(folder))


def _walk(folder: Path) -> Iterator[Path]:
    """Yield notebooks in the order in which the published program reads them: files of a folder, then its folders."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        yield from (Path(parent, name) for name in sorted(files) if name.endswith(".ipynb"))


def place_of(folder: Path, path: Path) -> NotebookPlace:
    """Return set, module and language of a notebook, by the names of the folders above it."""
    below = path.relative_to(folder)
    names = (folder.resolve().name, *below.parts[:-1])
    known = next((position for position, name in enumerate(names) if _known_set(name)), None)
    position = 0 if known is None else known
    set_name = names[position] if known is None else _known_set(names[position])
    module = names[position + 1] if position + 1 < len(names) else names[position]
    return NotebookPlace(set_name, module, below.as_posix(), any("chinese" in name for name in names))


def _known_set(name: str) -> str:
    lowered = name.lower()
    if "template" in lowered:
        return TEMPLATE_CN if "chinese" in lowered or lowered.endswith(("_cn", "-cn")) else TEMPLATE
    return GENERATION if "generation" in lowered else ""


def _names(places: Sequence[NotebookPlace]) -> list[str]:
    """Return one name for each, such that they sort in the order given."""
    several = len({place.set_name for place in places}) > 1
    names = []
    for place in places:
        stem = Path(place.notebook).stem
        parts = [*([place.set_name] if several else []), place.module, stem]
        names.append("-".join(filter(None, (re.sub(r"[^A-Za-z0-9_]+", "_", part).strip("_") for part in parts))))
    if len(set(names)) == len(names) and names == sorted(names) and all(names):
        return names
    width = len(str(len(names)))
    return [f"{number:0{width}}-{name}".rstrip("-") for number, name in enumerate(names, start=1)]


def _converted(
    read: Sequence[tuple[NotebookPlace, Path]], names: Sequence[str]
) -> tuple[list[_Made], list[Diagnostic]]:
    made: list[_Made] = []
    diagnostics: list[Diagnostic] = []
    for (place, path), name in zip(read, names, strict=True):
        notebook = read_cibench_notebook(path, is_chinese=place.is_chinese)
        diagnostics += notebook.diagnostics
        if not notebook.steps:
            continue
        problemset = problemset_of(notebook, name)
        fault = cell_fault(problemset, path)
        if fault is not None:
            diagnostics.append(fault)
            continue
        made.append(_Made(place, notebook, problemset))
    return made, diagnostics


def _write(folder: Path, out: Path, made: Sequence[_Made], data: Path | None) -> None:
    (out / RECORDED).mkdir(parents=True, exist_ok=True)
    for each in made:
        name = each.problemset.name
        shutil.copyfile(each.notebook.path, out / RECORDED / f"{name}.ipynb")
        (out / f"{name}.py").write_text(each.problemset.render(), encoding="utf-8")
    if data is not None:
        _copy_data(data, out / "_inputs")
    manifest = {
        "name": folder.resolve().name,
        "version": "1",
        "language_version": 3,
        "rules": "published",
        "family": FAMILY,
        "sets": {each.problemset.name: _described(each.place) for each in made},
    }
    (out / _MANIFEST).write_text(write_yaml(manifest), encoding="utf-8")


def _described(place: NotebookPlace) -> dict[str, Any]:
    language = "zh" if place.is_chinese else "en"
    return {"set": place.set_name, "module": place.module, "language": language, "notebook": place.notebook}


def _copy_data(data: Path, target: Path) -> None:
    """Copy plain files; links and what goes over the limit stay behind."""
    total = 0
    for parent, folders, files in os.walk(data):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            source = Path(parent, name)
            if source.is_symlink() or not source.is_file():
                continue
            total += source.stat().st_size
            if total > MAX_DATA_BYTES:
                what = f"the data files have more than {MAX_DATA_BYTES / 1e9:.0f} GB"
                raise ContentError(what, where=str(data), fix="name a smaller folder with --data")
            copy = target / source.relative_to(data)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)


_NAMED_FILE: Final = re.compile(r"""['"](?:\./)?(?:data|inputs)/([^'"\n{}*?]+\.\w{1,8})['"]""")


def _missing_data(made: Sequence[_Made], inputs: Path) -> list[Diagnostic]:
    found = []
    for each in made:
        for step in each.notebook.steps:
            for name in dict.fromkeys(_NAMED_FILE.findall(step.code)):
                if ".." not in Path(name).parts and not (inputs / name).exists():
                    what = f"cell {step.code_cell} reads 'data/{name}', and there is no such data file"
                    fix = "name the folder of the data files with --data, or put the file into _inputs"
                    found.append(
                        Diagnostic("missing-data", Severity.WARNING, each.notebook.path, step.code_cell, what, fix)
                    )
    return found


def _counted(made: Sequence[_Made]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for each in made:
        tags = counts.setdefault(each.place.set_name, {})
        for step in each.notebook.steps:
            tags[step.tag] = tags.get(step.tag, 0) + 1
    return counts


def described_sets(benchmark: Benchmark) -> Mapping[str, NotebookPlace]:
    """Return the place of each problemset of an imported benchmark; of others, as far as the manifest tells it."""
    written = benchmark.manifest.extra.get("sets")
    told: Mapping[str, Any] = written if isinstance(written, Mapping) else {}
    places = {}
    for loaded in benchmark.sets:
        entry = told.get(loaded.name)
        entry = entry if isinstance(entry, Mapping) else {}
        set_name = str(entry.get("set", benchmark.name))
        places[loaded.name] = NotebookPlace(
            set_name,
            str(entry.get("module", set_name)),
            str(entry.get("notebook", f"{loaded.name}.ipynb")),
            entry.get("language") == "zh",
        )
    return places


def recorded_notebook(benchmark: Benchmark, name: str) -> CibenchNotebook | None:
    """Return the notebook that a problemset was made of; None: there is none, or it can no longer be read."""
    path = benchmark.root / RECORDED / f"{name}.ipynb"
    if path.is_symlink() or not path.is_file():
        return None
    found = read_cibench_notebook(path, is_chinese=False)
    return found if found.steps else None


def export_folder(benchmark: Benchmark, out: Path) -> tuple[Path, ...]:
    """Write the problemsets of a benchmark as notebooks, in the folders that they came from.

    Raises:
        UsageError: If `out` holds something.
        ContentError: If a problemset has errors.
        ToolkitError: If a file cannot be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError("the folder holds something already", where=str(out), fix="name another folder with --out")
    places = described_sets(benchmark)
    written = []
    for loaded in benchmark.sets:
        if loaded.problemset is None:
            first = next((str(each) for each in loaded.diagnostics), "it does not parse")
            raise ContentError(f"{loaded.name} cannot be exported: {first}", where=str(loaded.path), fix="mend it")
        recorded = recorded_notebook(benchmark, loaded.name)
        book = notebook_of(loaded.problemset, recorded.raw if recorded is not None else None)
        path = out / _safe(places[loaded.name].notebook, f"{loaded.name}.ipynb")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        except OSError as error:
            raise error_from_os(error) from error
        written.append(path)
    return tuple(written)


def _safe(name: str, otherwise: str) -> Path:
    path = Path(name)
    return Path(otherwise) if path.is_absolute() or ".." in path.parts or path.suffix != ".ipynb" else path
