"""What a proposed validator takes over from its problem: the variables asked for, and settings that it leaves alone."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from evaluator.language import Problem, compared_values, parse_code, resolve_validators, wanted_names

_TOLERANCES: Final = ("atol", "rtol")
_NAME: Final = re.compile(r"[^\W\d]\w*")
_CODE: Final = re.compile(r"`([^`]+)`")


class Asked(NamedTuple):
    """Names that a proposal may judge, and how a title calls them."""

    names: tuple[str, ...]
    title: str


def asked_names(problem: Problem, made: Sequence[str]) -> Asked:
    """Return the names made that the query or the validators name; those not private where they name no variable.

    Args:
        problem: With its query, code and validators.
        made: What its code binds or changes.
    """
    quoted = " ".join(_CODE.findall(problem.query))
    named = set(_NAME.findall(quoted)) & set(made) or set(_NAME.findall(problem.query))
    named |= set(wanted_names(resolve_validators(problem)))
    defined = set(_defined(problem.code))
    if any(name in named and name not in defined for name in made):
        return Asked(tuple(name for name in made if name in named), "the variables asked for")
    kept = (name for name in made if name in named or not name.startswith("_"))
    return Asked(tuple(kept), "the variables that it makes")


def _defined(code: str) -> Iterator[str]:
    tree = parse_code(code).tree
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def with_kept_settings(problem: Problem, validator: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return validators with the template and the tolerances that the problem's settings hold, where they set none."""
    template = (problem.validator or {}).get("template")
    held = {where: _tolerances(options) for where, options in compared_values(resolve_validators(problem))}
    kept: dict[str, Any] = {}
    if template and not ("template" in validator and template == "comparison"):  # it would ask for the value, too
        kept["template"] = template
    for name, options in validator.items():
        if name == "result":
            kept[name] = _merged(options, held.get(name))
        elif name == "namespace_check":
            kept[name] = {each: _merged(below, held.get(f"{name}.{each}")) for each, below in options.items()}
        else:
            kept.setdefault(name, options)
    return kept


def _tolerances(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in _TOLERANCES if name in options}


def _merged(options: Mapping[str, Any] | None, held: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return {**(held or {}), **(options or {})} or None
