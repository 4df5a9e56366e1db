"""Reads the manifest of a benchmark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from evaluator.language.cells import LANGUAGE_VERSION
from evaluator.language.findings import Findings
from evaluator.language.yaml_reader import YamlDocument, read_yaml
from evaluator.registry import nearest_name

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
    language_version: int = LANGUAGE_VERSION
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
            return LANGUAGE_VERSION
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self._wrong("language_version", f"a number from 1 to {LANGUAGE_VERSION}")
            return LANGUAGE_VERSION
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
