"""Finding what validators compare of a reference although no submission could equal it."""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.inside.codec.decode.decoded import ABSENT, DecodedOutcome
from evaluator.inside.compare.identity import find_incomparable
from evaluator.inside.compare.value_text import brief, remedy
from evaluator.inside.validators.result import has_result


def inspect(reference: DecodedOutcome, validators: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return `where` (validator and variable), `what` and `fix` of every compared value that equals nothing."""
    found = []
    for where, value in _compared(reference, validators):
        part = find_incomparable(value)
        if part is not None:
            found.append({"where": where, "what": brief(part), "fix": remedy(part)})
    return found


def _compared(reference: DecodedOutcome, validators: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    name, options = str(validators.get("name")), validators.get("options") or {}
    for child in validators.get("children") or ():
        yield from _compared(reference, child)
    if name == "result" and has_result(reference) and _looks_at_the_value(options):
        yield name, reference.result
    elif name == "namespace_check":
        for variable, matcher in options.items():
            value = reference.variables.get(variable, ABSENT)
            if value is not ABSENT and _looks_at_the_value(matcher):
                yield f"{name}.{variable}", value


def _looks_at_the_value(matcher: Any) -> bool:
    """Return whether options compare values: code may look at plain attributes, and a type needs no value."""
    if not isinstance(matcher, Mapping):
        return matcher is None
    return matcher.get("type_only") is not True and not isinstance(matcher.get("compare_fn"), str)
