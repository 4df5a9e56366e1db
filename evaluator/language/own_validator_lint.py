"""Checks how a problem uses its benchmark's own validators: names and options, against their signatures."""

from collections.abc import Mapping
from typing import Any

from evaluator.diagnostics import Severity
from evaluator.language.own_validators import VARIABLES_OPTION, OwnValidator, OwnValidators
from evaluator.language.settings import Place, is_name
from evaluator.registry import nearest_name


def why_unknown(own: OwnValidators | None) -> tuple[str, str] | None:
    """Return what is wrong with the file that should define a validator, and the remedy; None if nothing is."""
    errors = [each for each in own.diagnostics if each.severity is Severity.ERROR] if own is not None else []
    if not errors:
        return None
    return f"{errors[0].path.name}, line {errors[0].line}: {errors[0].what}", errors[0].fix


def check_own_options(place: Place, path: tuple[str | int, ...], validator: OwnValidator, options: Any) -> None:
    """Report options that the function does not take, that it needs, and a wrong list of variables."""
    if options is not None and not isinstance(options, Mapping):
        what = f"{validator.name!r} must be a mapping of its options, not {options!r}"
        place.findings.error("wrong-type", place.line(*path), what, f"write each option below '{validator.name}:'")
        return
    given: Mapping[Any, Any] = options or {}
    known = [VARIABLES_OPTION, *validator.options]
    for name in given:
        if name in known or (validator.takes_any_option and is_name(name)):
            continue
        near = nearest_name(str(name), known)
        fix = f"use {near!r}" if near else f"use one of {', '.join(known)}, or give the function such a parameter"
        what = f"{validator.name!r} has no option {name!r}"
        place.findings.error("unknown-option", place.line(*path, name), what, fix)
    for name, is_required in validator.options.items():
        if is_required and name not in given:
            what = f"{validator.name!r} needs the option {name!r}"
            place.findings.error("missing-option", place.line(*path), what, f"write '{name}:' below it")
    names = given.get(VARIABLES_OPTION)
    if names is not None and not (isinstance(names, list) and all(is_name(name) for name in names)):
        what = f"{VARIABLES_OPTION!r} must be a list of variable names, not {names!r}"
        fix = f"write '{VARIABLES_OPTION}: [first, second]'"
        place.findings.error("wrong-type", place.line(*path, VARIABLES_OPTION), what, fix)
