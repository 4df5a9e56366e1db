"""Changes one key of settings as they are written and leaves every other line as it is."""

from collections.abc import Mapping
from typing import Any

from evaluator.errors import ContentError
from evaluator.language.yaml_reader import YamlDocument, read_yaml
from evaluator.language.yaml_writer import write_yaml


def changed_settings(written: str, key: str, value: Any) -> str:
    """Return settings (YAML) with one key changed, added, or taken out where `value` is None.

    The other keys keep their comments and order; a key that is replaced keeps its place.

    Raises:
        ContentError: If the settings cannot be read as they are.
    """
    document = _readable(written)
    wanted = _with(_mapping(document.value), key, value, drop=value is None)
    made = _spliced(written, document, (key,), {} if value is None else {key: value}, 0)
    return made if _says(made, wanted) else write_yaml(wanted)


def changed_part(written: str, parent: str, key: str, value: Any, *, drop: bool = False) -> str:
    """Return settings (YAML) with one key below `parent` changed or added, or taken out where `drop` says so.

    The other keys keep their comments and order; a parent that is left with nothing is taken out too.

    Raises:
        ContentError: If the settings cannot be read as they are.
    """
    document = _readable(written)
    settings = _mapping(document.value)
    below = _with(_mapping(settings.get(parent)), key, value, drop=drop)
    siblings = [line for path, line in document.key_lines.items() if len(path) == 2 and path[0] == parent]
    if not below or not siblings:
        return changed_settings(written, parent, below or None)
    first = written.split("\n")[min(siblings) - 1]
    indent = len(first) - len(first.lstrip())
    made = _spliced(written, document, (parent, key), {} if drop else {key: value}, indent)
    return made if _says(made, {**settings, parent: below}) else changed_settings(written, parent, below)


def _readable(written: str) -> YamlDocument:
    document = read_yaml(written)
    if not document.is_readable or document.faults:
        line = document.faults[0].line if document.faults else 1
        raise ContentError("the settings cannot be read", where=f"settings, line {line}", fix="mend them first")
    return document


def _mapping(value: Any) -> dict[Any, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _with(mapping: Mapping[Any, Any], key: str, value: Any, *, drop: bool) -> dict[Any, Any]:
    if drop:
        return {name: each for name, each in mapping.items() if name != key}
    return {**mapping, key: value}


def _says(made: str, wanted: Mapping[Any, Any]) -> bool:
    reread = read_yaml(made)
    return reread.is_readable and not reread.faults and (reread.value or {}) == wanted


def _spliced(written: str, document: YamlDocument, path: tuple[str, ...], new: Mapping[str, Any], indent: int) -> str:
    """Return the text with `new` in the place of the lines of a key, or behind its siblings."""
    lines = written.rstrip("\n").split("\n") if written.strip() else []
    last = len(lines) + 1
    if len(path) == 2:
        parent = document.key_lines[path[:1]]
        last = min(
            (line for other, line in document.key_lines.items() if len(other) == 1 and line > parent), default=last
        )
    first = document.key_lines.get(path, last)
    siblings = (
        line for other, line in document.key_lines.items() if other[:-1] == path[:-1] and len(other) == len(path)
    )
    end = min((line for line in siblings if line > first), default=last)
    while end - 1 > first and lines[end - 2].lstrip().startswith("#"):
        end -= 1  # what is said above the next key stays with it
    if path not in document.key_lines:
        while first - 1 > 0 and first <= len(lines) and lines[first - 2].startswith("#"):
            first -= 1
        end = first
    text = write_yaml(new).rstrip("\n").split("\n") if new else []
    made = "\n".join(
        [*lines[: first - 1], *(" " * indent + line if line else line for line in text), *lines[end - 1 :]]
    )
    return f"{made}\n" if made.strip() else ""
