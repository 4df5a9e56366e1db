"""Which probes a problem's validators need, with inputs recorded from the reference's side."""

from collections.abc import Iterator
from typing import Any, Final, Protocol

from evaluator.errors import ContentError, ToolkitError
from evaluator.inside.frames import FrameError, unpack_parts
from evaluator.language import ValidatorSpec, probing_validators
from evaluator.session.outcome import CellLimits, Ending, Outcome, Probe, ProbeAnswer, ProbeEnding, Wants

TABLE_S: Final = 60.0
"""The least time that a whole table of cases, or a model's `predict`, is given."""


class ProbeFault(ContentError):  # noqa: N818  # named after what it tells
    """A validator's own inputs are wrong: a case that cannot be built or is refused, inputs that are not there."""


class Attempts(Protocol):
    """What recording needs of a session."""

    def attempt(self, source: str, *, wants: Wants, limits: CellLimits) -> Outcome:
        """Run code on a copy of the session."""
        ...


def record_probes(
    session: Attempts, validators: ValidatorSpec, reference: str, limits: CellLimits
) -> tuple[Probe, ...]:
    """Return the probes of a problem, in the order of the validators that need them.

    Test cases are built, and a model's inputs are taken, on a copy of the session that ends before any submission
    starts. Nothing is run when no validator needs a probe.

    Args:
        session: In the state that submissions will start from.
        validators: Of the problem.
        reference: The reference code; run only where a model's inputs are asked for.
        limits: Of the reference code.

    Returns:
        No probes when the reference code does not run: executing it will say why.

    Raises:
        ProbeFault: If a case cannot be built or is refused, or inputs are missing.
        ToolkitError: If the copy was lost.
    """
    nodes = tuple(probing_validators(validators))
    if not nodes:
        return ()
    source = reference if any(node.name == "model" for node in nodes) else ""
    recorders = tuple(_recorder(node) for node in nodes)
    outcome = session.attempt(source, wants=Wants(probes=recorders), limits=limits)
    if outcome.ending is Ending.ENGINE_ERROR:
        raise ToolkitError("the inputs of a validator could not be recorded", fix="try again")
    if outcome.ending is not Ending.OK:
        return ()
    limit_s = max(TABLE_S, limits.wall_s)
    pairs = zip(nodes, outcome.answers, strict=True)
    return tuple(_probe(node, _read(node, answer), limit_s) for node, answer in pairs)


def _recorder(node: ValidatorSpec) -> Probe:
    options = node.options
    if node.name == "table_test":
        header = {"kind": "build", "cases": options["test_cases"], "input_validator": options.get("input_validator")}
        return Probe(header, limit_s=TABLE_S)
    return Probe({"kind": "take", "name": options["inputs_name"]}, limit_s=TABLE_S)


def _read(node: ValidatorSpec, answer: ProbeAnswer) -> bytes:
    if answer.ending is ProbeEnding.TIMED_OUT:
        what = f"{node.name}: preparing its inputs takes longer than {TABLE_S:g} s"
        raise ProbeFault(what, where=node.name, fix="use smaller inputs")
    try:
        header, (data,) = unpack_parts(answer.data or b"")
        faults = list(_faults(header))
    except (FrameError, ValueError) as error:
        what = f"{node.name}: its inputs cannot be prepared"
        raise ProbeFault(what, where=node.name, fix="use simpler inputs") from error
    if faults or data is None:
        fix = "correct the case" if node.name == "table_test" else "name a plain value, array or table"
        where = "table_test.test_cases" if node.name == "table_test" else "model.inputs_name"
        raise ProbeFault(f"{node.name}: {'; '.join(faults) or 'its inputs are not there'}", where=where, fix=fix)
    return data


def _faults(header: dict[str, Any]) -> Iterator[str]:
    if header.get("fault"):
        yield str(header["fault"])[:1000]
    for fault in header.get("faults") or ():
        yield str(fault)[:1000]


def _probe(node: ValidatorSpec, data: bytes, limit_s: float) -> Probe:
    options = node.options
    if node.name == "table_test":
        header = {"kind": "call", "name": options["function_name"], "cases": options["test_cases"]}
        return Probe(header, data, limit_s)
    return Probe({"kind": "predict", "name": options["model_name"], "inputs": options["inputs_name"]}, data, limit_s)
