"""What an author wants tried with what a cell left behind (`probes:` of a problem): names for values to compare."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluator.language.model import Problem

PROBE_KEYS: Final = ("eval", "take", "predict", "transform")
"""What a probe does, by the key that says so."""
_BESIDE: Final[Mapping[str, str]] = {"take": "count", "predict": "inputs", "transform": "inputs"}
MAX_COUNT: Final = 10_000
_WANTED: Final = "an expression, or a mapping with 'eval', 'take' and 'count', or 'predict' or 'transform' and 'inputs'"


@dataclass(frozen=True)
class DeclaredProbe:
    """One value that is made after a cell, in a fork of its process, and compared under `name`."""

    name: str
    kind: str  # one of PROBE_KEYS
    target: str  # an expression, or the name of what is taken from or predicts; dots lead to attributes
    count: int = 0  # take: items at most
    inputs: str = ""  # predict, transform: the reference's variable with the rows


def declared_probes(problem: Problem) -> tuple[DeclaredProbe, ...]:
    """Return the probes that a problem declares, in order."""
    written = problem.metadata.get("probes")
    if not isinstance(written, Mapping):
        return ()
    return tuple(_declared(str(name), options) for name, options in written.items() if not probe_fault(name, options))


def _declared(name: str, options: Any) -> DeclaredProbe:
    if isinstance(options, str):
        return DeclaredProbe(name, "eval", options)
    kind = next(key for key in PROBE_KEYS if key in options)
    return DeclaredProbe(name, kind, options[kind], options.get("count", 0), options.get("inputs", ""))


def probe_fault(name: Any, options: Any) -> str:
    """Return what a probe must be where it is something else; empty for a good one."""
    if not (isinstance(name, str) and name.isidentifier()):
        return "a name that could be a variable's"
    if isinstance(options, str):
        options = {"eval": options}
    if not isinstance(options, Mapping):
        return _WANTED
    kinds = [key for key in PROBE_KEYS if key in options]
    beside = _BESIDE.get(kinds[0], "") if len(kinds) == 1 else ""
    if len(kinds) != 1 or set(options) - {kinds[0], beside} or (beside and beside not in options):
        return _WANTED
    if kinds[0] == "eval":
        return "" if _is_expression(options["eval"]) else "one Python expression"
    if not _is_dotted(options[kinds[0]]):
        return "the name of a variable, maybe with attributes after dots"
    if beside == "count":
        return "" if _is_count(options["count"]) else f"a number of items from 1 to {MAX_COUNT} under 'count'"
    return (
        "" if isinstance(options["inputs"], str) and options["inputs"].isidentifier() else "a variable under 'inputs'"
    )


def _is_expression(text: Any) -> bool:
    try:
        compile(text.strip(), "<probe>", "eval", dont_inherit=True)
    except (AttributeError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _is_dotted(text: Any) -> bool:
    return isinstance(text, str) and all(part.isidentifier() for part in text.split("."))


def _is_count(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= MAX_COUNT
