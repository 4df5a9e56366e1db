"""Changes one key of settings as they are written and leaves every other line as it is."""

from collections.abc import Mapping
from typing import Any

from evaluator.errors import ContentError
from evaluator.language.yaml_reader import read_yaml
from evaluator.language.yaml_writer import write_yaml


def changed_settings(written: str, key: str, value: Any) -> str:
    """Return settings (YAML) with one key changed, added, or taken out where `value` is None.

    The other keys keep their comments and order; a key that is replaced keeps its place.

    Raises:
        ContentError: If the settings cannot be read as they are.
    """
    document = read_yaml(written)
    if not document.is_readable or document.faults:
        line = document.faults[0].line if document.faults else 1
        raise ContentError("the settings cannot be read", where=f"settings, line {line}", fix="mend them first")
    old = document.value if isinstance(document.value, dict) else {}
    new = {} if value is None else {key: value}
    settings = {name: each for name, each in old.items() if name != key} if value is None else {**old, **new}
    lines = written.rstrip("\n").split("\n") if written.strip() else []
    starts = sorted(line for path, line in document.key_lines.items() if len(path) == 1)
    first = document.key_lines.get((key,), len(lines) + 1)
    end = min((line for line in starts if line > first), default=len(lines) + 1)
    while end - 1 > first and lines[end - 2].startswith("#"):
        end -= 1  # what is said above the next key stays with it
    kept = "\n".join([*lines[: first - 1], *_written(new), *lines[end - 1 :]])
    kept = f"{kept}\n" if kept.strip() else ""
    reread = read_yaml(kept)
    says_it = reread.is_readable and not reread.faults and (reread.value or {}) == settings
    return kept if says_it else write_yaml(settings)


def _written(mapping: Mapping[str, Any]) -> list[str]:
    return write_yaml(mapping).rstrip("\n").split("\n") if mapping else []
