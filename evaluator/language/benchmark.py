"""Reads a benchmark: a folder with a manifest and problemsets, or one problemset file."""

import ast
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

from evaluator.diagnostics import Diagnostic, Findings
from evaluator.errors import ToolkitError, UsageError
from evaluator.installation import shipped_benchmark, shipped_benchmarks
from evaluator.language.cells import source_line
from evaluator.language.lint import check_labels, check_published_options
from evaluator.language.model import Problem, Problemset
from evaluator.language.parsing import parse_problemset
from evaluator.language.python_source import code_nodes
from evaluator.language.validators.own_validators import OWN_VALIDATORS_FILE, OwnValidators, read_own_validators
from evaluator.language.versions import (
    LANGUAGE_VERSION,
    PUBLISHED_LANGUAGE_VERSION,
    UNSTATED_VERSION,
    language_version_of,
    with_language_version,
)
from evaluator.language.yaml_text.reader import YamlDocument, read_yaml
from evaluator.registry import nearest_name

_GLOB: Final = set("*?[")


class RefusedLink(NamedTuple):
    """A link in an inputs folder that no session follows."""

    path: Path
    what: str  # completes "... is a link that"


def inputs_folder(path: Path) -> Path | None:
    """Return the folder with the input files of the problemset at `path`: its own, else the common one, else None."""
    common = path.parent / "_inputs"
    own = common / path.stem
    if own.is_dir():
        return own
    return common if common.is_dir() else None


def refused_links(inputs: Path) -> Iterator[RefusedLink]:
    """Yield the links in a folder, or below it, that sessions are not shown; those to files of it are as good as files.

    The folder itself may be a link.
    """
    root = inputs.resolve()
    for parent, folders, files in os.walk(inputs):
        for name in sorted((*folders, *files)):
            path = Path(parent, name)
            if path.is_symlink() and (what := _refusal(path, root)):
                yield RefusedLink(path, what)


def _refusal(path: Path, root: Path) -> str:
    try:
        leads_to = path.resolve(strict=True)
    except (OSError, RuntimeError):  # a circle of links, before Python 3.13
        return "leads nowhere"
    if not leads_to.is_relative_to(root):
        return "leads out of the inputs folder"
    return "" if leads_to.is_file() else "leads to no file"


def check_inputs(problemset: Problemset, inputs: Path | None, findings: Findings) -> None:
    """Report links that no session follows, and warn of files that code reads from `inputs/` and that are not there."""
    for link in refused_links(inputs) if inputs is not None else ():
        what = f"the input file {str(link.path)!r} is a link that {link.what}"
        findings.error("link-in-inputs", 1, what, "put a copy of the file in its place")
    for cell in problemset.cells:
        if isinstance(cell, Problem):
            code, code_line = cell.code, cell.code_line
        else:
            code, code_line = cell.source, source_line(cell.raw or "", cell.line)
        for node in code_nodes(code):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                _check_input(node.value, inputs, code_line + node.lineno - 1, findings)


def _check_input(text: str, inputs: Path | None, line: int, findings: Findings) -> None:
    name = text.removeprefix("./")
    if not name.startswith("inputs/") or name == "inputs/" or _GLOB & set(name) or "\0" in name or len(name) > 255:
        return
    if inputs is None or not (inputs / name.removeprefix("inputs/")).exists():
        what = f"the code names {name!r}, but there is no such input file"
        fix = f"put it into {inputs or '_inputs'}, or correct the name"
        findings.warning("missing-input", line, what, fix)


MANIFEST_NAMES = ("_manifest.yaml", "_manifest.yml")  # the second one stands in some published benchmarks


class Rules(StrEnum):
    """How validators judge: `PUBLISHED` as DSEval's own implementation does, `SOUND` with its faults repaired."""

    SOUND = "sound"
    PUBLISHED = "published"


_KEYS = ("name", "version", "environment", "licence", "authors", "language_version", "rules", "isolation", "sets")


@dataclass(frozen=True)
class Manifest:
    """What a benchmark says about itself."""

    name: str
    version: str
    environment: str | None = None
    licence: str | None = None
    authors: tuple[str, ...] = ()
    language_version: int = UNSTATED_VERSION
    rules: str | None = None  # sound | published: how validators judge; None: `Benchmark.rules` decides
    isolation: str | None = None  # fork | replay: what keeps submissions apart; None: each problemset decides
    extra: Mapping[str, Any] = field(default_factory=dict)  # `sets` and every other key, as written


def read_manifest(text: str, folder_name: str, findings: Findings) -> Manifest:
    """Read a manifest; whatever is wrong is reported, and its place taken by a default."""
    document = read_yaml(text)
    for fault in document.faults:
        findings.fatal(fault.code, fault.line, fault.what, fault.fix)
    if not document.is_readable or findings.broken:
        return Manifest(folder_name, "0")
    if not isinstance(document.value, Mapping):
        findings.error("bad-manifest", 1, "the manifest is not a mapping", "write 'name:' and 'version:'")
        return Manifest(folder_name, "0")
    return _manifest(document, folder_name, findings)


def _manifest(document: YamlDocument, folder_name: str, findings: Findings) -> Manifest:
    given: Mapping[Any, Any] = document.value
    reader = _Fields(given, document, findings)
    for key in given:
        near = nearest_name(str(key), list(_KEYS))
        if key not in _KEYS and key != "license" and near is not None:
            findings.warning("unknown-key", document.line(key), f"no key is called {key!r}", f"use {near!r}")
    return Manifest(
        name=reader.text("name", required=True) or folder_name,
        version=reader.version(),
        environment=reader.text("environment"),
        licence=reader.text("licence") or reader.text("license"),
        authors=reader.authors(),
        language_version=reader.language_version(),
        rules=reader.choice("rules", list(Rules)),
        isolation=reader.choice("isolation", ["fork", "replay"]),
        extra={str(key): value for key, value in given.items() if key not in _KEYS[:-1] and key != "license"},
    )


@dataclass(frozen=True)
class _Fields:
    given: Mapping[Any, Any]
    document: YamlDocument
    findings: Findings

    def _wrong(self, key: str, wanted: str) -> None:
        what = f"{key!r} must be {wanted}, not {self.given[key]!r}"
        self.findings.error("bad-manifest", self.document.line(key), what, f"write {wanted} after '{key}:'")

    def text(self, key: str, *, required: bool = False) -> str | None:
        value = self.given.get(key)
        if value is None:
            if required:
                what = f"the manifest has no {key!r}"
                self.findings.error("bad-manifest", 1, what, f"write a line '{key}: ...'")
            return None
        if not isinstance(value, str) or not value.strip():
            self._wrong(key, "text")
            return None
        return value

    def version(self) -> str:
        value = self.given.get("version")
        if isinstance(value, float):
            what = f"the version {value!r} is a number, which loses zeros at its end"
            self.findings.warning("version-not-text", self.document.line("version"), what, f"write version: '{value}'")
            return str(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text("version", required=True) or "0"

    def authors(self) -> tuple[str, ...]:
        value = self.given.get("authors")
        if value is None:
            return ()
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(author, str) for author in listed):
            self._wrong("authors", "a list of names")
            return ()
        return tuple(listed)

    def language_version(self) -> int:
        value = self.given.get("language_version")
        if value is None:
            return UNSTATED_VERSION
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self._wrong("language_version", f"a number from 1 to {LANGUAGE_VERSION}")
            return UNSTATED_VERSION
        if value > LANGUAGE_VERSION:
            what = f"the benchmark is written in language version {value}, newer than {LANGUAGE_VERSION}"
            fix = "use a newer Benchwright"
            self.findings.error("newer-language", self.document.line("language_version"), what, fix)
        return value

    def choice(self, key: str, known: Sequence[str]) -> str | None:
        value = self.given.get(key)
        if value is not None and value not in known:
            self._wrong(key, f"one of {', '.join(known)}")
            return None
        return value


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

    @property
    def portable_text(self) -> str:
        """Its text as it may leave its folder: it states its language version where only the manifest did."""
        version = UNSTATED_VERSION if self.problemset is None else self.problemset.language_version
        is_told = language_version_of(self.text) == version or version < UNSTATED_VERSION
        return self.text if is_told else with_language_version(self.text, version)


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as it lies on disk."""

    name: str
    version: str
    root: Path
    manifest: Manifest
    sets: tuple[LoadedSet, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = field(default=())  # of the manifest and of all sets

    @classmethod
    def load(cls, path: Path | str) -> "Benchmark":
        """Read a folder with a manifest, or one `.py` file.

        Raises:
            UsageError: If there is nothing at `path`, or a folder without a manifest, or a file that is no `.py`.
            ToolkitError: If the folder cannot be read.
        """
        return read_benchmark(Path(path))

    @classmethod
    def of(cls, problemset: Problemset) -> "Benchmark":
        """Return the benchmark that one problemset makes, its version "0"."""
        loaded = LoadedSet(
            problemset.name, Path(f"{problemset.name}.py"), problemset.render(), problemset, inputs=problemset.inputs
        )
        language_version = problemset.language_version
        manifest = Manifest(problemset.name, "0", rules=problemset.rules, language_version=language_version)
        return cls(problemset.name, "0", Path(), manifest, (loaded,))

    @property
    def path(self) -> Path:
        """Where it lies: its folder, or the one file that it is."""
        is_folder = _manifest_path(self.root) is not None
        return self.root if is_folder or not self.sets else self.sets[0].path

    @property
    def problemsets(self) -> tuple[Problemset, ...]:
        """Its problemsets, in order, without those that no objects could be made of."""
        return tuple(loaded.problemset for loaded in self.sets if loaded.problemset is not None)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of all of them, in order."""
        return tuple(problem for problemset in self.problemsets for problem in problemset.problems)

    @property
    def rules(self) -> str:
        """How validators judge: what the manifest says, else `published` for DSEval's own benchmarks, else `sound`.

        DSEval's own are those of language version 1, and those that spell every query `question`.
        """
        if self.manifest.rules is not None:
            return self.manifest.rules
        spelled = bool(self.problems) and all(problem.spelling == "question" for problem in self.problems)
        is_published = spelled or self.manifest.language_version == PUBLISHED_LANGUAGE_VERSION
        return "published" if is_published else "sound"


def read_benchmark(path: Path, *, own_validators: OwnValidators | None = None) -> Benchmark:
    """Read a folder with a manifest, one `.py` file (its name is the stem, its version "0"), or a shipped benchmark.

    Args:
        path: Its place; a name that is no place here may be that of a benchmark that comes with the program.
        own_validators: Those that hold where its folder has none, such as those of a workspace that it shall come into.

    Raises:
        UsageError: If there is nothing at `path`, or a folder without a manifest, or a file that is no `.py`.
        ToolkitError: If the folder cannot be read.
    """
    path = path if path.exists() else shipped_benchmark(str(path)) or path
    if path.is_dir():
        return _read_folder(path, own_validators)
    if not path.exists():
        shipped = ", ".join(shipped_benchmarks())
        fix = f"name a folder with _manifest.yaml, one .py file, or a benchmark that is shipped ({shipped})"
        raise UsageError(f"there is nothing at {str(path)!r}", where=str(path), fix=fix)
    if path.suffix != ".py":
        raise UsageError(
            f"{str(path)!r} is not a problemset",
            where=str(path),
            fix="name a folder with _manifest.yaml, or a file that ends with .py",
        )
    loaded = load_problemset(path, language_version=_version_beside(path), own_validators=own_validators)
    manifest = Manifest(name=path.stem, version="0")
    own = loaded.own_validators.diagnostics if loaded.own_validators is not None else ()
    return _with_rules_checked(Benchmark(path.stem, "0", path.parent, manifest, (loaded,), own))


def load_problemset(
    path: Path, *, language_version: int = UNSTATED_VERSION, own_validators: OwnValidators | None = None
) -> LoadedSet:
    """Read and check one problemset file; whatever is wrong with it comes back as diagnostics."""
    return _load(path, language_version, load_own_validators(path.parent) or own_validators)


def _version_beside(path: Path) -> int:
    """Return the language version that the manifest beside a file states; a single file is never read as one of 1."""
    manifest = manifest_in(path.parent)
    return UNSTATED_VERSION if manifest is None else max(manifest.language_version, UNSTATED_VERSION)


def manifest_in(folder: Path) -> Manifest | None:
    """Return the manifest in a folder, as far as it can be read; None if there is none."""
    path = _manifest_path(folder)
    if path is None:
        return None
    findings = Findings(path)
    return read_manifest(_read_text(path, findings), folder.name, findings)


def _manifest_path(folder: Path) -> Path | None:
    return next((folder / name for name in MANIFEST_NAMES if (folder / name).is_file()), None)


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
        problemset = replace(problemset, inputs=inputs)
    every = sorted((*diagnostics, *findings.in_order()), key=lambda diagnostic: diagnostic.line)
    return LoadedSet(path.stem, path, text, problemset, tuple(every), inputs, own)


def _read_folder(root: Path, own_validators: OwnValidators | None) -> Benchmark:
    manifest_path = _manifest_path(root)
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
    own = load_own_validators(root) or own_validators
    sets = tuple(_load(path, manifest.language_version, own) for path in paths)
    if not sets:
        what, fix = "the benchmark has no problemsets", "put at least one .py file beside the manifest"
        findings.error("no-problemsets", 1, what, fix)
    _check_set_names(manifest, sets, findings)
    diagnostics = (*findings.in_order(), *(own.diagnostics if own is not None else ()))
    return _with_rules_checked(Benchmark(manifest.name, manifest.version, root, manifest, sets, diagnostics))


def _with_rules_checked(benchmark: Benchmark) -> Benchmark:
    """Return a benchmark with what its problemsets say under its rules, and with the diagnostics of all of them."""
    rules = benchmark.rules
    published = rules == "published"
    told = (_with_rules(loaded, rules) for loaded in benchmark.sets)
    sets = tuple(_under_published_rules(loaded) if published else loaded for loaded in told)
    of_sets = tuple(diagnostic for loaded in sets for diagnostic in loaded.diagnostics)
    return replace(benchmark, sets=sets, diagnostics=(*benchmark.diagnostics, *of_sets))


def _with_rules(loaded: LoadedSet, rules: str) -> LoadedSet:
    problemset = loaded.problemset
    return loaded if problemset is None else replace(loaded, problemset=replace(problemset, rules=rules))


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
