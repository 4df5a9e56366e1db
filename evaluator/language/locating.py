"""Finds the line of a setting in the file that its problem was read from."""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.language.cells import cut, opening_string
from evaluator.language.model import Problem
from evaluator.language.schemas import canonical_validator
from evaluator.language.yaml_reader import KeyPath, read_yaml


def validator_line(problem: Problem, where: str) -> int:
    """Return the file's line of a validator or of one of its options.

    Args:
        problem: As read from its file; the line of another problem is that of its cell.
        where: Canonical name of the validator and perhaps, after a dot, an option or variable: "namespace_check.df".
            What is not found below `validator` stands for the whole problem.
    """
    name, _, below = where.partition(".")
    for path in _paths(problem.validator, name, ("validator",)):
        return setting_line(problem, *path, *((below,) if below else ()))
    return problem.line if where in ("", "reference code") else setting_line(problem, "validator")


def setting_line(problem: Problem, *path: str | int) -> int:
    """Return the file's line of the setting at `path`, or of the nearest thing around it."""
    cells = cut(problem.raw or "").cells
    opening = opening_string(cells[0]) if cells else None
    if opening is None:
        return problem.line
    return problem.line - cells[0].line + opening.line + read_yaml(opening.text).line(*path) - 1


def _paths(validators: Any, name: str, above: KeyPath) -> Iterator[KeyPath]:
    """Yield the paths of a validator, however it is spelled, also below `or` and `and`."""
    if not isinstance(validators, Mapping):
        return
    for key, options in validators.items():
        if name in (key, canonical_validator(str(key))):
            yield (*above, key)
        if key in ("or", "and"):
            yield from _paths(options, name, (*above, key))
