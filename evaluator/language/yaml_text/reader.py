"""Reads the YAML of a cell or a manifest into plain values and the line of every key.

Plain means: dict, list, str, int, float, bool, None. The reader works on parser events, without recursion, so that
no nesting can exhaust the stack. Dates stay text, since a benchmark's settings travel as JSON. The package `yaml` is
imported with the first text, because it doubles the time that importing the language takes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.errors import ContentError, UsageError

MAX_DEPTH = 50
MAX_ALIASES = 8
MAX_CHARS = 200_000
KeyPath = tuple[str | int, ...]  # keys and list positions from the top


class YamlFault(NamedTuple):
    """One thing wrong with the text; `line` counts from 1 within it."""

    code: str
    line: int
    what: str
    fix: str


@dataclass(frozen=True)
class YamlDocument:
    """The value of a text and where its parts stand (lines count from 1 within the text)."""

    value: Any = None
    key_lines: Mapping[KeyPath, int] = field(default_factory=dict)  # of each key or list item
    text_lines: Mapping[KeyPath, int] = field(default_factory=dict)  # of the first line of each scalar's text
    faults: tuple[YamlFault, ...] = ()
    is_readable: bool = True  # False: `value` says nothing

    def line(self, *path: str | int) -> int:
        """Return the line of the key at `path`, or of the nearest thing around it."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.key_lines:
                return self.key_lines[path[:length]]
        return self.key_lines.get((), 1)


def read_yaml(text: str) -> YamlDocument:
    """Read one YAML document; what is wrong with it comes back as faults, never as an exception."""
    from evaluator.language.yaml_text.events import build_document

    if len(text) > MAX_CHARS:
        what = f"the YAML is {len(text)} characters long, more than {MAX_CHARS}"
        return YamlDocument(
            faults=(YamlFault("yaml-too-long", 1, what, "move data into an input file"),), is_readable=False
        )
    return build_document(text)


def write_yaml(mapping: Mapping[str, Any]) -> str:
    """Return `mapping` as YAML text that ends with a line end; empty text for an empty mapping."""
    from evaluator.language.yaml_text.dumper import dump_mapping

    return dump_mapping(plain_values(mapping)) if mapping else ""


def plain_values(value: Any) -> Any:
    """Return `value` with mappings and sequences as dicts and lists."""
    if isinstance(value, Mapping):
        return {key: plain_values(below) for key, below in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_values(item) for item in value]
    return value


def text_of_file(path: Path, *, most_bytes: int) -> str:
    """Return the text of a plain file; pipes, devices and what is too large are not read.

    Raises:
        UsageError: If there is no such file, or it is no plain one.
        ContentError: If it is too large, or not UTF-8.
    """
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path.name!r} is no plain file", where=str(path), fix="check the path")
        if path.stat().st_size > most_bytes:
            fix = f"keep it under {most_bytes:,} bytes"
            raise ContentError(f"{path.name!r} is too large", where=str(path), fix=fix)
        return path.read_text(encoding="utf-8")
    except OSError as error:
        what = f"{path.name!r} cannot be read: {error.strerror}"
        raise UsageError(what, where=str(path), fix="check the path") from error
    except UnicodeDecodeError:
        raise ContentError(f"{path.name!r} is not UTF-8", where=str(path), fix="save it as UTF-8") from None
