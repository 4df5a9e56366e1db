"""Turns the validator mapping of a problem into the tree that runs: template merged, names canonical."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evaluator.errors import ContentError
from evaluator.language.model import Problem, Problemset, ValidatorSpec
from evaluator.language.names import names_read_and_written
from evaluator.language.problem_settings import declared_probes
from evaluator.language.validators.own_validators import VARIABLES_OPTION, OwnValidators
from evaluator.language.validators.schemas import (
    DEFAULT_TEMPLATE,
    TEMPLATES,
    VALIDATOR_SCHEMAS,
    ValidatorShape,
    canonical_validator,
    known_validator_names,
)
from evaluator.registry import nearest_name

_KEPT: Final = "_resolved_validators"


def resolve_validators(problem: Problem) -> ValidatorSpec:
    """Return the validators of a problem as one `and` over the merged template.

    Options are as written, except that code given as text becomes `{"compare_fn": code}`, a mapping below
    `compare_fn` takes the place of the options, and nothing becomes `{}`. `namespace_check` has one entry per variable.
    A benchmark's own validator carries the code that defines it. A problem keeps them once they are resolved.

    Raises:
        ContentError: If the mapping cannot run: `parse_problemset` reports the same as diagnostics.
    """
    kept: ValidatorSpec | None = vars(problem).get(_KEPT)  # no property of problems, which know nothing of this module
    if kept is None:
        kept = vars(problem)[_KEPT] = _resolved(problem)
    return kept


def _resolved(problem: Problem) -> ValidatorSpec:
    written = dict(problem.validator or {})
    template = written.pop("template", DEFAULT_TEMPLATE)
    if not isinstance(template, str) or template not in TEMPLATES:
        raise ContentError(f"no validator template is called {template!r}", fix=f"use one of {', '.join(TEMPLATES)}")
    merged: dict[str, Any] = dict.fromkeys(TEMPLATES[template])
    own = problem.own_validators
    for name, options in _canonical_items(written, own):
        merged[name] = options
    return ValidatorSpec("and", {}, tuple(_resolve(name, options, own) for name, options in merged.items()))


def wanted_names(spec: ValidatorSpec) -> tuple[str, ...]:
    """Return the variables whose values the validators need, in the order of their first mention."""
    names: dict[str, None] = {}
    for node in spec.nodes:
        if node.name == "namespace_check":
            names.update(dict.fromkeys(node.options))
        if node.code and isinstance(node.options.get(VARIABLES_OPTION), list):
            names.update(dict.fromkeys(map(str, node.options[VARIABLES_OPTION])))
        for option in ("function_name", "model_name", "inputs_name", "labels_name"):
            if node.name in ("table_test", "model") and isinstance(node.options.get(option), str):
                names[node.options[option].partition(".")[0]] = None
    return tuple(names)


def withheld_names(problem: Problem) -> tuple[str, ...]:
    """Return the forbidden variables that nobody needs after the code has run: no validator and no probe."""
    needed = set(wanted_names(resolve_validators(problem)))
    for probe in declared_probes(problem):
        needed |= {probe.inputs, *names_read_and_written(probe.target).reads}
    return tuple(name for name in problem.execution.forbid_names if name not in needed)


def probing_validators(spec: ValidatorSpec) -> tuple[ValidatorSpec, ...]:
    """Return the validators that need more than a payload, parents first: they call a function or a model."""
    return tuple(node for node in spec.nodes if node.name in ("table_test", "model"))


def graded_validators(spec: ValidatorSpec) -> tuple[ValidatorSpec, ...]:
    """Return the validators that give a score, parents first."""
    return tuple(node for node in spec.nodes if not node.code and is_graded(node.name))


def is_graded(name: str) -> bool:
    """Return whether a validator of this canonical name gives a score."""
    schema = VALIDATOR_SCHEMAS.get(name)
    return schema is not None and schema.graded


def wants_figures(spec: ValidatorSpec) -> bool:
    """Return whether validators need to know what figures show."""
    return any(node.name == "visual" for node in graded_validators(spec))


def holds_code(spec: ValidatorSpec) -> bool:
    """Return whether something in the tree is compared by an author's own code."""
    compares_by_code = any(isinstance(options.get("compare_fn"), str) for _, options in compared_values(spec))
    return compares_by_code or any(node.code for node in spec.nodes)


def compared_values(spec: ValidatorSpec) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return what matchers compare, each as where it stands (`namespace_check.df`) with its matcher options.

    An author's own code stands as `{"compare_fn": code}`. Models, printed text and own validators have no matcher.
    """
    found: list[tuple[str, Mapping[str, Any]]] = []
    for node in spec.nodes:
        if node.code:
            continue
        if node.name == "result":
            found.append((node.name, node.options))
        elif node.name == "namespace_check":
            found += [(f"{node.name}.{variable}", options) for variable, options in node.options.items()]
        elif node.name == "table_test":
            checkers = {name: node.options.get(name) for name in ("output_checker", "input_checker")}
            given = {name: None if raw is True else raw for name, raw in checkers.items() if raw is not False}
            found += [
                (f"{node.name}.{name}", _matcher(name, raw))
                for name, raw in given.items()
                if raw is None or isinstance(raw, (str, Mapping))
            ]
    return tuple(found)


def used_own_validators(problemset: Problemset) -> OwnValidators | None:
    """Return the benchmark's own validators if some problem asks for one of them."""
    return next((problem.own_validators for problem in problemset.problems if _uses_own(problem)), None)


def _uses_own(problem: Problem) -> bool:
    if problem.own_validators is None:
        return False
    try:
        return any(node.code for node in resolve_validators(problem).nodes)
    except ContentError:
        return False  # reported when the file was parsed


def _canonical_items(written: Mapping[str, Any], own: OwnValidators | None) -> Iterator[tuple[str, Any]]:
    mine = own.validators if own is not None else {}
    for name, options in written.items():
        canonical = name if name in mine else canonical_validator(str(name))
        if canonical is None:
            near = nearest_name(str(name), [*known_validator_names(), *mine])
            fix = f"use {near!r}" if near else f"use one of {', '.join((*VALIDATOR_SCHEMAS, *mine))}"
            raise ContentError(f"no validator is called {name!r}", fix=fix)
        yield canonical, options


def _resolve(name: str, options: Any, own: OwnValidators | None) -> ValidatorSpec:
    if own is not None and name in own.validators:
        return _own(name, options, own)
    schema = VALIDATOR_SCHEMAS[name]
    if schema.takes_code:
        return ValidatorSpec(name, _matcher(name, options))
    if options is None:
        options = {}
    if not isinstance(options, Mapping):
        raise ContentError(
            f"the validator {name!r} takes a mapping, not {options!r}", fix="write option: value below it"
        )
    if schema.shape is ValidatorShape.VALIDATORS:
        children = tuple(_resolve(child, below, own) for child, below in _canonical_items(options, own))
        return ValidatorSpec(name, {}, children)
    if schema.shape is ValidatorShape.VARIABLES:
        return ValidatorSpec(name, {str(variable): _matcher(name, below) for variable, below in options.items()})
    return ValidatorSpec(name, dict(options))


def _own(name: str, options: Any, own: OwnValidators) -> ValidatorSpec:
    if options is not None and not isinstance(options, Mapping):
        raise ContentError(f"the validator {name!r} takes a mapping of options, not {options!r}")
    return ValidatorSpec(name, dict(options or {}), code=own.code)


def _matcher(name: str, options: Any) -> dict[str, Any]:
    if isinstance(options, str):
        return {"compare_fn": options}
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ContentError(f"the validator {name!r} takes matcher options or code, not {options!r}")
    inner = options.get("compare_fn")
    if inner is None or isinstance(inner, Mapping):
        return {**{k: v for k, v in options.items() if k != "compare_fn"}, **(inner or {})}
    return dict(options)
