"""A benchmark with its translation beside it: every problemset twice, paired problem by problem."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from authoring.drafting.translating.translating import TranslatedSet
from authoring.languages import Language
from evaluator.diagnostics import has_errors
from evaluator.errors import ContentError
from evaluator.families.folders import MANIFEST, RECORDED, copy_data, made_at_once, refuse_taken
from evaluator.language import Benchmark, LoadedSet, error_of_diagnostics, read_yaml, write_yaml
from evaluator.language.document import Document

_LEFT: Final = frozenset({"checksums.txt"})  # of the release that it may be: they are not true any more


@dataclass(frozen=True)
class TranslatedBenchmark:
    """What was written."""

    out: Path
    sets: tuple[tuple[str, str], ...]  # (original, translation)
    kept: tuple[str, ...]  # in that language already
    texts: int  # that were translated (count)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        pairs = [{"original": original, "translation": made} for original, made in self.sets]
        return {"out": str(self.out), "sets": pairs, "kept": list(self.kept), "texts": self.texts}


def translate_benchmark(
    benchmark: Benchmark,
    out: Path,
    language: Language,
    translate: Callable[[LoadedSet, Document], TranslatedSet | None],
    *,
    only: bool = False,
) -> TranslatedBenchmark:
    """Write a folder with the problemsets of a benchmark and, beside each, its translation `NAME_zh`.

    Args:
        benchmark: The benchmark, a folder.
        out: The folder to make.
        language: To translate into.
        translate: Translates one problemset; None: it is in that language already.
        only: Leave the originals out.

    Raises:
        UsageError: If `out` holds something.
        ContentError: If a problemset has errors or could not be translated; nothing is written.
        ToolkitError: If a file cannot be written.
    """
    refuse_taken(out)
    if has_errors(benchmark.diagnostics):
        raise error_of_diagnostics(benchmark.name, benchmark.diagnostics)
    made: dict[str, TranslatedSet] = {}
    kept = []
    for loaded in benchmark.sets:
        found = translate(loaded, Document.parse(loaded.text, name=loaded.name, own_validators=loaded.own_validators))
        if found is None:
            kept.append(loaded.name)
        else:
            made[loaded.name] = found
    if not made:
        what = f"all problemsets of {benchmark.name!r} are in that language already"
        raise ContentError(what, where=str(benchmark.root), fix="choose the other language")
    names = {name: _free_name(f"{name}_{language.value}", benchmark) for name in made}
    with made_at_once(out) as folder:
        for loaded in benchmark.sets:
            if not (only and loaded.name in made):
                _copy(benchmark, loaded, folder, loaded.name, loaded.text)
            if loaded.name in made:
                _copy(benchmark, loaded, folder, names[loaded.name], made[loaded.name].document.text)
        _copy_others(benchmark, folder)
        manifest = _manifest(benchmark, names, language, only=only)
        (folder / MANIFEST).write_text(write_yaml(manifest), encoding="utf-8")
    texts = sum(each.texts for each in made.values())
    return TranslatedBenchmark(out, tuple(names.items()), tuple(kept), texts)


def _free_name(wanted: str, benchmark: Benchmark) -> str:
    taken = {loaded.name for loaded in benchmark.sets}
    return wanted if wanted not in taken else f"{wanted}_2"


def _copy(benchmark: Benchmark, loaded: LoadedSet, folder: Path, name: str, text: str) -> None:
    """Write one problemset with its data and what it was made of."""
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    own = benchmark.root / "_inputs" / loaded.name
    if own.is_dir():
        copy_data(own, folder / "_inputs" / name)
    recorded = benchmark.root / RECORDED / f"{loaded.name}.ipynb"
    if recorded.is_file() and not recorded.is_symlink():
        (folder / RECORDED).mkdir(exist_ok=True)
        shutil.copyfile(recorded, folder / RECORDED / f"{name}.ipynb")


def _copy_others(benchmark: Benchmark, folder: Path) -> None:
    """Copy what all sets share: data files at the top of `_inputs`, validators, texts about the benchmark."""
    names = {loaded.name for loaded in benchmark.sets}
    for path in sorted(benchmark.root.iterdir()):
        is_plain = path.is_file() and not path.is_symlink()
        if is_plain and path.name not in _LEFT | {MANIFEST} and path.stem not in names:
            shutil.copyfile(path, folder / path.name)
    shared = benchmark.root / "_inputs"
    for path in sorted(shared.iterdir()) if shared.is_dir() else ():
        target = folder / "_inputs" / path.name
        if path.is_file() and not path.is_symlink():
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, target)
        elif path.is_dir() and path.name not in names and not path.is_symlink():
            copy_data(path, target)


def _manifest(benchmark: Benchmark, names: Mapping[str, str], language: Language, *, only: bool) -> dict[str, Any]:
    """Return the manifest with both sets of each pair, and in which language each is."""
    path = benchmark.root / MANIFEST
    read = read_yaml(path.read_text(encoding="utf-8")).value if path.is_file() else {}
    written: dict[str, Any] = dict(read) if isinstance(read, Mapping) else {}
    written.setdefault("name", benchmark.name)
    written.setdefault("version", benchmark.version)
    told = written.get("sets")
    entries = dict(told) if isinstance(told, Mapping) else {}
    other = Language.CHINESE if language is Language.ENGLISH else Language.ENGLISH
    sets: dict[str, Any] = {}
    for loaded in benchmark.sets:
        entry = entries.get(loaded.name)
        entry = {key: value for key, value in entry.items() if key != "position"} if isinstance(entry, Mapping) else {}
        if loaded.name not in names:
            sets[loaded.name] = {**entry, "language": language.value}
            continue
        if not only:
            sets[loaded.name] = {"language": other.value, **entry}
        if isinstance(notebook := entry.get("notebook"), str):
            entry["notebook"] = f"{notebook.removesuffix('.ipynb')}_{language.value}.ipynb"
        sets[names[loaded.name]] = {**entry, "language": language.value}
    return {**written, "sets": sets}
