"""An author's own code: it runs in a fork of the comparator, on rebuilt values, against a deadline."""

import json
import random
import resource
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from evaluator.inside.codec.decode.decoded import DecodedRecord, Opaque
from evaluator.inside.codec.protocols import served
from evaluator.inside.isolation.run_in_fork import ForkResult, Send, parts_of, run_in_fork
from evaluator.inside.validators.stateless_code import leaves_nothing

LIMIT_S: Final = 5.0
_MAX_ANSWER: Final = 64 * 1024
_MAX_REASON: Final = 500
_RNG_SEED: Final = 0
_FEWEST: Final = 3  # calls that are worth a fork for all of them


PARTIAL: Final = "partial"
_MAY_NAME: Final = ("SHAPE", "DTYPE", "COLUMNS", "VALUE", "TYPE", "PARTIAL_MATCH", "MISSING_RETURN", "NON_CODE")


class CheckerResult(NamedTuple):
    """What a checker answered."""

    matched: bool
    reason: str
    is_partial: bool = False  # a match, but in another form
    cause: str | None = None  # why it is no match, or only a partial one, as the code says
    failed: bool = False  # it gave no answer: it raised, hung, died or returned something else


class StandIn:
    """A value that the codec has no form for, as code sees it: its type's name and its plain attributes, read-only.

    Attributes whose names begin with an underscore are found in `attributes` only.
    """

    def __init__(self, type_name: str, attributes: Mapping[str, Any]) -> None:
        object.__setattr__(self, "type_name", type_name)
        object.__setattr__(self, "attributes", MappingProxyType(dict(attributes)))

    def __getattr__(self, name: str) -> Any:
        return served(object.__getattribute__(self, "attributes"), name, f"the stand-in of a {self.type_name}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name!r} cannot be set: stand-ins are read-only")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name!r} cannot be deleted: stand-ins are read-only")

    def __repr__(self) -> str:
        return f"<stand-in of {self.type_name}>"


def run_checker(
    code: str,
    function: str,
    values: tuple[Any, ...],
    options: Mapping[str, Any] = MappingProxyType({}),
    *,
    limit_s: float = LIMIT_S,
) -> CheckerResult:
    """Run an author's checker apart from this process.

    Args:
        code: Defines `function`; `pd`, `np` and `random` are in scope.
        function: Called with `values`; returns a truth value, `(match, reason)`, or a mapping with `match` (true, false
            or "partial") and perhaps `reason` and `cause`.
        values: Rebuilt values.
        options: Keyword arguments of the call.
        limit_s: Wall time that it may take.

    Returns:
        A match only if the checker said so in time; a failed assertion is none, any other exception, a hang or a death
        is no answer.
    """

    def work(send: Send) -> bool:
        said = _run(code, function, values, options)
        send(json.dumps(said._replace(reason=said.reason[:_MAX_REASON])).encode())
        return True

    back = _apart(work, limit_s)
    if not back.is_in_time:
        return CheckerResult(False, f"{function} did not answer within {limit_s:g} s", failed=True)
    return _parse(next(parts_of(back.data), b""), function)


def matched_ahead(
    code: str, function: str, values: Sequence[tuple[Any, ...]], *, limit_s: float = LIMIT_S
) -> frozenset[int]:
    """Run an author's checker on one pair of values after the other in one fork, up to the first that is no match.

    A fork costs more than most checkers take; only code that leaves nothing behind shares one.

    Args:
        code: As for `run_checker`.
        function: As well.
        values: For one call each.
        limit_s: Wall time that all of them together may take.

    Returns:
        The places of the values of which the checker said in time that they match and no more. Nothing is known of the
        others: `run_checker` tells what is to be said of them.
    """
    if len(values) < _FEWEST or not leaves_nothing(code):
        return frozenset()

    def work(send: Send) -> bool:
        for place, each in enumerate(values):
            said = _run(code, function, each, {})
            if not said.matched or said.is_partial:
                return False
            send(str(place).encode())
        return True

    return frozenset(map(int, parts_of(_apart(work, limit_s).data)))


def _apart(work: Callable[[Send], bool], limit_s: float) -> ForkResult:
    def prepare() -> None:
        seconds = int(limit_s) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    return run_in_fork(work, seconds=limit_s, prepare=prepare, closes_others=True, most=_MAX_ANSWER)


def _run(code: str, function: str, values: tuple[Any, ...], options: Mapping[str, Any]) -> CheckerResult:
    names: dict[str, Any] = {"__name__": f"<{function}>", "pd": pd, "np": np, "random": random}
    random.seed(_RNG_SEED)
    np.random.seed(_RNG_SEED)  # the global generator is what such code uses
    try:
        exec(compile(code, f"<{function}>", "exec"), names)
        return _understood(names[function](*map(readable, values), **options), function)
    except AssertionError as error:
        return CheckerResult(False, str(error) or f"an assertion of {function} does not hold")
    except BaseException as error:  # noqa: BLE001  # whatever the checker raises is no match
        return CheckerResult(False, f"{function} raised {type(error).__name__}: {error}", failed=True)


def _understood(answer: Any, function: str) -> CheckerResult:
    match, reason, cause = answer, None, None
    if isinstance(answer, Mapping) and "match" in answer:
        match, reason, cause = answer["match"], answer.get("reason"), answer.get("cause")
    elif isinstance(answer, (tuple, list)) and len(answer) == 2:
        match, reason = answer
    is_partial = isinstance(match, str) and match == PARTIAL
    if not is_partial and not isinstance(match, (bool, np.bool_)):
        return CheckerResult(
            False, f"{function} returned {type(answer).__name__} instead of match and reason", failed=True
        )
    if cause is not None and cause not in _MAY_NAME:
        return CheckerResult(
            False, f"{function} names the cause {cause!r}, not one of {', '.join(_MAY_NAME)}", failed=True
        )
    text = str(reason) if reason else ""
    if not match:
        text = text or f"{function} says that the values do not match"
    return CheckerResult(bool(match), text, is_partial, None if match and not is_partial else cause)


def readable(value: Any) -> Any:
    """Return a value as code may see it: opaque parts of plain containers become stand-ins."""
    if isinstance(value, Opaque):
        return StandIn(value.type_name, {name: readable(item) for name, item in value.attributes.items()})
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(readable(item) for item in value)
    if isinstance(value, tuple):  # a named one
        return type(value)(*map(readable, value))
    if isinstance(value, DecodedRecord):
        return DecodedRecord(value.type_name, {name: readable(item) for name, item in value.fields.items()})
    if isinstance(value, dict):
        items = {readable(key): readable(item) for key, item in value.items()}
        if type(value) is dict:
            return items
        copy = value.copy()  # of a class of the standard library, with its default factory
        copy.clear()
        dict.update(copy, items)
        return copy
    return value


def _parse(data: bytes, function: str) -> CheckerResult:
    try:
        matched, reason, is_partial, cause, failed = json.loads(data)
    except (ValueError, TypeError):
        return CheckerResult(False, f"{function} ended its process", failed=True)
    return CheckerResult(
        matched is True, str(reason), is_partial is True, cause if cause in _MAY_NAME else None, failed is True
    )
