"""Writes settings as YAML in one canonical form that reads back as the same values."""

from collections.abc import Mapping
from typing import Any


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
