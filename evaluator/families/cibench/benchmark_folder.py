"""A folder of CIBench notebooks as a benchmark, and back: layouts of the published sets, data files, notebooks."""

import copy
import filecmp
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, UsageError
from evaluator.families.cibench import FAMILY
from evaluator.families.cibench.notebook import CibenchNotebook, read_cibench_notebook
from evaluator.families.cibench.problemset import notebook_of, problemset_of, stated_place
from evaluator.families.folders import MANIFEST, RECORDED, copy_data, made_at_once, refuse_taken, unreadable
from evaluator.language import Benchmark, Problemset, parse_problemset
from evaluator.language.yaml_text.reader import write_yaml

GENERATION, TEMPLATE, TEMPLATE_CN = "generation", "template", "template_cn"
_DATA: Final = "data"
_DATA_FOLDERS: Final = ("datasources/data", "../datasources/data", "data", "../data", "../../datasources/data")


class NotebookPlace(NamedTuple):
    """Where a notebook stands among the others."""

    set_name: str  # generation | template | template_cn, else the folder's name
    module: str
    notebook: str  # path below the folder, with its ending
    is_chinese: bool
    position: int = 0  # among all notebooks of the folder, from 0, those that were refused too: the predictions' index


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
    refuse_taken(out)
    likely = (folder / each for each in _DATA_FOLDERS if (folder / each).is_dir())
    source = data if data is not None else next(likely, None)
    if data is not None and not data.is_dir():
        raise UsageError(f"there is no folder {str(data)!r}", where=str(data), fix="name the folder of the data files")
    if source is not None and out.resolve().is_relative_to(source.resolve()):
        fix = "name a folder elsewhere with --out"
        raise UsageError("the folder to write lies within the data files", where=str(out), fix=fix)
    read = [(place_of(folder, path)._replace(position=position), path) for position, path in enumerate(paths)]
    made, diagnostics = _converted(read, _names([place for place, _ in read]))
    if not made:
        first = next((str(each) for each in diagnostics if each.severity is Severity.ERROR), "it holds no notebook")
        raise ContentError(f"no notebook could be imported: {first}", where=str(folder), fix="mend the notebooks")
    with made_at_once(out) as draft:
        _write(folder, draft, made, source)
        missing = _missing_data(made, draft / "_inputs")
    problems = sum(len(each.problemset.problems) for each in made)
    return ImportedBenchmark(
        out, len(made), problems, _counted(made), (*diagnostics, *missing), str(source) if source else ""
    )


class _Made(NamedTuple):
    place: NotebookPlace
    notebook: CibenchNotebook
    problemset: Problemset
    text: str


def _notebooks(folder: Path) -> list[Path]:
    if folder.is_file():
        fix = "name the folder that holds it: an archive is unpacked before"
        raise UsageError(f"{str(folder)!r} is a file, not a folder of notebooks", where=str(folder), fix=fix)
    if not folder.is_dir():
        fix = "name the folder that holds the notebooks"
        raise UsageError(f"there is no folder {str(folder)!r}", where=str(folder), fix=fix)
    return list(_walk(folder))


def _walk(folder: Path) -> Iterator[Path]:
    """Yield notebooks in the order in which the published program reads them: files of a folder, then its folders."""
    for parent, folders, files in os.walk(folder, onerror=unreadable):
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
    is_chinese = set_name == TEMPLATE_CN or any("chinese" in name.lower() for name in names)
    return NotebookPlace(set_name, module, below.as_posix(), is_chinese)


_SET: Final = re.compile(r"(?:cibench[-_])?(generation|template)(?:[-_]wgt)?([-_](?:chinese|cn))?", re.IGNORECASE)


def _known_set(name: str) -> str:
    """Return the published set that a folder of this name holds; empty for any other folder."""
    found = _SET.fullmatch(name)
    if found is None:
        return ""
    if found[1].lower() == "generation":
        return "" if found[2] else GENERATION
    return TEMPLATE_CN if found[2] else TEMPLATE


def _names(places: Sequence[NotebookPlace]) -> list[str]:
    """Return one name for each, such that they sort in the order given."""
    several = len({place.set_name for place in places}) > 1
    names = []
    for place in places:
        stem = Path(place.notebook).stem
        parts = [*([place.set_name] if several else []), place.module, stem]
        names.append("-".join(filter(None, (re.sub(r"[^A-Za-z0-9_]+", "_", part).strip("_") for part in parts))))
    files = [f"{name}.py" for name in names]  # by which a benchmark orders its sets
    if len(set(files)) == len(files) and files == sorted(files) and all(names):
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
        place = _stated(place, notebook)
        diagnostics += notebook.diagnostics
        if not notebook.steps:
            continue
        try:
            problemset = problemset_of(notebook, name)
            text = _checked(problemset)
        except ContentError as error:
            diagnostics.append(Diagnostic("not-writable", Severity.ERROR, path, 1, error.what, error.fix))
            continue
        made.append(_Made(place, notebook, problemset, text))
    return made, diagnostics


_STATED: Final = ("set", "module", "language")


def _stated(place: NotebookPlace, notebook: CibenchNotebook) -> NotebookPlace:
    """Return a place as an export stated it in the notebook itself, where folders cannot say it."""
    told = stated_place(notebook.raw)
    return place._replace(
        set_name=told.get("set", place.set_name),
        module=told.get("module", place.module),
        is_chinese=told["language"] == "zh" if "language" in told else place.is_chinese,
    )


def _checked(problemset: Problemset) -> str:
    """Return the text of a problemset that reads back as the same, and that goes back into a notebook.

    Raises:
        ContentError: If it does not.
    """
    text = problemset.render()
    fix = "remove what is no plain text"
    try:
        text.encode()
        copy.deepcopy(problemset.problems)
    except UnicodeEncodeError as error:
        raise ContentError("its text holds half of a character", fix=fix) from error
    except RecursionError as error:
        raise ContentError("its metadata are nested too deeply", fix="flatten them") from error
    found, diagnostics = parse_problemset(text, name=problemset.name)
    first = next(
        (each.what for each in diagnostics if each.severity is Severity.ERROR), "it reads back as something else"
    )
    if found is None or found.cells != problemset.cells:
        raise ContentError(f"it cannot be written as a problemset: {first}", fix=fix)
    return text


def _write(folder: Path, out: Path, made: Sequence[_Made], data: Path | None) -> None:
    (out / RECORDED).mkdir(parents=True, exist_ok=True)
    for each in made:
        name = each.problemset.name
        shutil.copyfile(each.notebook.path, out / RECORDED / f"{name}.ipynb")
        (out / f"{name}.py").write_text(each.text, encoding="utf-8")
    if data is not None:
        copy_data(data, out / "_inputs")
    manifest = {
        "name": folder.resolve().name,
        "version": "1",
        "language_version": 3,
        "rules": "published",
        "family": FAMILY,
        "sets": {each.problemset.name: description_of(each.place) for each in made},
    }
    (out / MANIFEST).write_text(write_yaml(manifest), encoding="utf-8")


def description_of(place: NotebookPlace) -> dict[str, Any]:
    """Return a place as a manifest keeps it under `sets`; `described_sets` reads it."""
    language = "zh" if place.is_chinese else "en"
    told = {"set": place.set_name, "module": place.module, "language": language}
    return {**told, "notebook": place.notebook, "position": place.position}


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
    for number, loaded in enumerate(benchmark.sets):
        entry = told.get(loaded.name)
        entry = entry if isinstance(entry, Mapping) else {}
        set_name, position = str(entry.get("set", benchmark.name)), entry.get("position")
        places[loaded.name] = NotebookPlace(
            set_name,
            str(entry.get("module", set_name)),
            str(entry.get("notebook", f"{loaded.name}.ipynb")),
            entry.get("language") == "zh",
            position if isinstance(position, int) and not isinstance(position, bool) else number,
        )
    return places


def recorded_notebook(benchmark: Benchmark, name: str) -> CibenchNotebook | None:
    """Return the notebook that a problemset was made of; None: there is none, or it can no longer be read."""
    path = benchmark.root / RECORDED / f"{name}.ipynb"
    if path.is_symlink() or not path.is_file():
        return None
    found = read_cibench_notebook(path, is_chinese=False)
    return found if found.steps else None


def export_folder(
    benchmark: Benchmark,
    out: Path,
    *,
    outputs: Mapping[str, Mapping[int, Sequence[Mapping[str, Any]]]] = MappingProxyType({}),
    has_data: bool = True,
) -> tuple[Path, ...]:
    """Write the problemsets of a benchmark as notebooks, in the folders that they came from.

    Args:
        benchmark: Whose problemsets parse.
        out: The folder to write; it must not exist, or be empty.
        outputs: Name of a problemset -> what its problems showed (`executed_outputs`), for cells without outputs.
        has_data: Whether their data files are copied into `data/`, where an import looks for them.

    Raises:
        UsageError: If `out` holds something, or data files of two folders would be one.
        ContentError: If a problemset has errors.
        ToolkitError: If a file cannot be written.
    """
    refuse_taken(out)
    places = described_sets(benchmark)
    books: dict[Path, bytes] = {}
    for loaded in benchmark.sets:
        if loaded.problemset is None:
            first = next((str(each) for each in loaded.diagnostics), "it does not parse")
            raise ContentError(f"{loaded.name} cannot be exported: {first}", where=str(loaded.path), fix="mend it")
        recorded = recorded_notebook(benchmark, loaded.name)
        path = _safe(places[loaded.name].notebook, f"{loaded.name}.ipynb")
        if path in books or any(path in other.parents or other in path.parents for other in books):
            what = f"two problemsets would be written to {str(path)!r}"
            raise ContentError(what, where=str(benchmark.root / MANIFEST), fix="name another 'notebook' under 'sets'")
        raw = recorded.raw if recorded is not None else None
        place = {name: str(told) for name, told in description_of(places[loaded.name]).items() if name in _STATED}
        books[path] = _written(notebook_of(loaded.problemset, raw, outputs.get(loaded.name), place))
    with made_at_once(out) as draft:
        for inputs in inputs_of(benchmark) if has_data else ():
            copy_data(inputs, draft / _DATA)
        for path, content in books.items():
            (draft / path).parent.mkdir(parents=True, exist_ok=True)
            (draft / path).write_bytes(content)
    return tuple(out / path for path in books)


def inputs_of(benchmark: Benchmark) -> tuple[Path, ...]:
    """Return the folders whose files the sessions see, each once.

    Raises:
        UsageError: If two of them hold files of one name that differ.
    """
    folders = tuple(dict.fromkeys(loaded.inputs for loaded in benchmark.sets if loaded.inputs is not None))
    seen: dict[Path, Path] = {}
    for folder in folders:
        for path in (path for path in sorted(folder.rglob("*")) if path.is_file()) if len(folders) > 1 else ():
            other = seen.setdefault(path.relative_to(folder), path)
            if other != path and not filecmp.cmp(other, path, shallow=False):
                fix = "export the problemsets apart, or leave data files out with --no-data"
                raise UsageError(f"it differs from {str(other)!r}, and both would be one", where=str(path), fix=fix)
    return folders


def _written(book: Mapping[str, Any]) -> bytes:
    text = json.dumps(book, indent=1, ensure_ascii=False) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a character, which JSON can only write as an escape
        return (json.dumps(book, indent=1) + "\n").encode()


def _safe(name: str, otherwise: str) -> Path:
    path = Path(name)
    is_bad = path.is_absolute() or ".." in path.parts or path.suffix != ".ipynb" or "\0" in name
    return Path(otherwise) if is_bad else path
