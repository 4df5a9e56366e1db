"""Reads a benchmark: a folder with a manifest and problemsets, or one problemset file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluator.diagnostics import Diagnostic
from evaluator.errors import ToolkitError, UsageError
from evaluator.language.cells import LANGUAGE_VERSION, PUBLISHED_LANGUAGE_VERSION
from evaluator.language.findings import Findings
from evaluator.language.inputs import check_inputs, inputs_folder
from evaluator.language.labels import check_labels
from evaluator.language.lint import check_published_options
from evaluator.language.manifest import MANIFEST_NAMES, Manifest, read_manifest
from evaluator.language.model import Problemset
from evaluator.language.own_validators import OWN_VALIDATORS_FILE, OwnValidators, read_own_validators
from evaluator.language.parsing import parse_problemset

MAX_FILE_BYTES = 20_000_000


@dataclass(frozen=True)
class LoadedSet:
    """One problemset file; no problemset when an error keeps it from becoming objects."""

    name: str
    path: Path
    text: str  # bytes that are not UTF-8 show as replacement characters
    problemset: Problemset | None
    diagnostics: tuple[Diagnostic, ...] = ()
    inputs: Path | None = None  # the folder that the session shows as inputs/
    own_validators: OwnValidators | None = None  # of the folder it lies in


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as it lies on disk."""

    name: str
    version: str
    root: Path
    manifest: Manifest
    sets: tuple[LoadedSet, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = field(default=())  # of the manifest and of all sets

    @property
    def rules(self) -> str:
        """How validators judge: what the manifest says, else `published` for DSEval's own benchmarks, else `sound`.

        DSEval's own are those of language version 1, and those that spell every query `question`.
        """
        if self.manifest.rules is not None:
            return self.manifest.rules
        problems = [problem for loaded in self.sets if loaded.problemset for problem in loaded.problemset.problems]
        spelled = bool(problems) and all(problem.spelling == "question" for problem in problems)
        is_published = spelled or self.manifest.language_version == PUBLISHED_LANGUAGE_VERSION
        return "published" if is_published else "sound"


def read_benchmark(path: Path) -> Benchmark:
    """Read a folder with a manifest, or one `.py` file (its name is the stem, its version "0").

    Raises:
        UsageError: If there is nothing at `path`, or a folder without a manifest, or a file that is no `.py`.
        ToolkitError: If the folder cannot be read.
    """
    if path.is_dir():
        return _read_folder(path)
    if not path.exists():
        raise UsageError(
            f"there is nothing at {str(path)!r}",
            where=str(path),
            fix="name a folder with _manifest.yaml, or one .py file",
        )
    if path.suffix != ".py":
        raise UsageError(
            f"{str(path)!r} is not a problemset",
            where=str(path),
            fix="name a folder with _manifest.yaml, or a file that ends with .py",
        )
    loaded = load_problemset(path)
    manifest = Manifest(name=path.stem, version="0")
    own = loaded.own_validators.diagnostics if loaded.own_validators is not None else ()
    return _with_rules_checked(Benchmark(path.stem, "0", path.parent, manifest, (loaded,), own))


def load_problemset(path: Path, *, language_version: int = LANGUAGE_VERSION) -> LoadedSet:
    """Read and check one problemset file; whatever is wrong with it comes back as diagnostics."""
    return _load(path, language_version, load_own_validators(path.parent))


def load_own_validators(folder: Path) -> OwnValidators | None:
    """Read the `_validators.py` of a benchmark's folder, without running it; None if there is none."""
    path = folder / OWN_VALIDATORS_FILE
    if not path.is_file():
        return None
    findings = Findings(path)
    code = _read_text(path, findings)
    if findings.broken:
        return OwnValidators(path, "", diagnostics=findings.in_order())
    return read_own_validators(code, path)


def _load(path: Path, language_version: int, own: OwnValidators | None) -> LoadedSet:
    findings = Findings(path)
    text = _read_text(path, findings)
    inputs = inputs_folder(path)
    if findings.broken:
        return LoadedSet(path.stem, path, text, None, findings.in_order(), inputs, own)
    problemset, diagnostics = parse_problemset(
        text, name=path.stem, path=path, language_version=language_version, own_validators=own
    )
    if problemset is not None:
        check_inputs(problemset, inputs, findings)
        check_labels(problemset, inputs, findings)
    every = sorted((*diagnostics, *findings.in_order()), key=lambda diagnostic: diagnostic.line)
    return LoadedSet(path.stem, path, text, problemset, tuple(every), inputs, own)


def _read_folder(root: Path) -> Benchmark:
    manifest_path = next((root / name for name in MANIFEST_NAMES if (root / name).is_file()), None)
    if manifest_path is None:
        raise UsageError(
            f"the folder {str(root)!r} has no {MANIFEST_NAMES[0]}",
            fix=f"write {MANIFEST_NAMES[0]} with 'name:' and 'version:', or name one .py file",
        )
    findings = Findings(manifest_path)
    manifest = read_manifest(_read_text(manifest_path, findings), root.resolve().name, findings)
    try:
        paths = sorted(p for p in root.glob("*.py") if not p.name.startswith("_") and p.is_file())
    except OSError as error:
        raise ToolkitError(f"the folder cannot be read: {error.strerror}", where=str(root)) from error
    own = load_own_validators(root)
    sets = tuple(_load(path, manifest.language_version, own) for path in paths)
    if not sets:
        what, fix = "the benchmark has no problemsets", "put at least one .py file beside the manifest"
        findings.error("no-problemsets", 1, what, fix)
    _check_set_names(manifest, sets, findings)
    diagnostics = (*findings.in_order(), *(own.diagnostics if own is not None else ()))
    return _with_rules_checked(Benchmark(manifest.name, manifest.version, root, manifest, sets, diagnostics))


def _with_rules_checked(benchmark: Benchmark) -> Benchmark:
    """Return a benchmark with what its problemsets say under its rules, and with the diagnostics of all of them."""
    published = benchmark.rules == "published"
    sets = tuple(_under_published_rules(loaded) if published else loaded for loaded in benchmark.sets)
    of_sets = tuple(diagnostic for loaded in sets for diagnostic in loaded.diagnostics)
    return replace(benchmark, sets=sets, diagnostics=(*benchmark.diagnostics, *of_sets))


def _under_published_rules(loaded: LoadedSet) -> LoadedSet:
    findings = Findings(loaded.path)
    if loaded.problemset is not None:
        check_published_options(loaded.problemset, findings)
    every = sorted((*loaded.diagnostics, *findings.in_order()), key=lambda diagnostic: diagnostic.line)
    return replace(loaded, diagnostics=tuple(every))


def _read_text(path: Path, findings: Findings) -> str:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            what = f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB"
            findings.fatal("file-too-large", 1, what, "move data into input files")
            return ""
        content = path.read_bytes()
    except OSError as error:
        what = f"the file cannot be read: {error.strerror or error}"
        findings.fatal("unreadable-file", 1, what, "check that it exists and that you may read it")
        return ""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"the file is not UTF-8: byte {content[error.start]:#04x} on this line"
        findings.fatal("not-utf-8", line, what, "save the file as UTF-8")
        return content.decode("utf-8", errors="replace")


def _check_set_names(manifest: Manifest, sets: tuple[LoadedSet, ...], findings: Findings) -> None:
    known = {loaded.name for loaded in sets}
    described: Any = manifest.extra.get("sets")
    for name in described if isinstance(described, Mapping) else ():
        if name not in known:
            what = f"'sets' describes {name!r}, but there is no {name}.py"
            findings.warning("unknown-set", 1, what, "correct or remove the entry")
