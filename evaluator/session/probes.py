"""Which probes a problem needs, for its validators and of its author's own, with inputs from the reference's side."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from evaluator.errors import ContentError, ToolkitError
from evaluator.inside.isolation.run_in_fork import parts_of
from evaluator.inside.runtime.frames import FrameError, unpack_parts
from evaluator.language import DeclaredProbe, Problem, declared_probes, probing_validators, resolve_validators
from evaluator.session.outcome import CaptureSpec, CellLimits, Ending, Outcome, Probe, ProbeAnswer, ProbeEnding

TABLE_S: Final = 60.0
"""The least time that a whole table of cases, or a model's `predict`, is given."""
VALUE_S: Final = 10.0
"""The least time that a probe of the author's own is given."""
_PLAIN: Final = "name a plain value, array or table"


class ProbeFault(ContentError):  # noqa: N818  # named after what it tells
    """A validator's own inputs are wrong: a case that cannot be built or is refused, inputs that are not there."""


class Attempts(Protocol):
    """What recording needs of a session."""

    def attempt(self, source: str, *, capture: CaptureSpec, limits: CellLimits) -> Outcome:
        """Run code on a copy of the session."""
        ...


@dataclass(frozen=True)
class _Plan:
    """One probe before its inputs are known."""

    who: str  # asks for it, in messages
    header: dict[str, Any]
    limit_s: float
    recorder: Probe | None = None  # prepares its inputs
    advice: str = ""  # what to do when they are not there
    where: str = ""  # the setting that asks for them


def record_probes(session: Attempts, problem: Problem, limits: CellLimits) -> tuple[Probe, ...]:
    """Return the probes of a problem: in the order of the validators that need them, then those that it declares.

    Test cases are built, and a model's inputs are taken, on a copy of the session that ends before any submission
    starts. Nothing is run when no probe has inputs.

    Args:
        session: In the state that submissions will start from.
        problem: Its reference code is run only where a variable of the reference is asked for.
        limits: Of the reference code.

    Returns:
        No probes when the reference code does not run: executing it will say why.

    Raises:
        ProbeFault: If a case cannot be built or is refused, or inputs are missing.
        ToolkitError: If the copy was lost.
    """
    plans = tuple(_plans(problem, limits))
    recorders = tuple(plan.recorder for plan in plans if plan.recorder is not None)
    if not recorders:
        return tuple(Probe(plan.header, None, plan.limit_s) for plan in plans)
    needs_reference = any(recorder.header["kind"] == "inputs" for recorder in recorders)
    source = problem.code if needs_reference else ""
    outcome = session.attempt(source, capture=CaptureSpec(probes=recorders), limits=limits)
    if outcome.ending is Ending.ENGINE_ERROR:
        raise ToolkitError("the inputs of a validator could not be recorded", fix="try again")
    if outcome.ending is not Ending.OK:
        return ()
    answers = iter(outcome.answers)
    data = [None if plan.recorder is None else _read(plan, next(answers)) for plan in plans]
    return tuple(Probe(plan.header, given, plan.limit_s) for plan, given in zip(plans, data, strict=True))


def _plans(problem: Problem, limits: CellLimits) -> Iterator[_Plan]:
    table_s, value_s = max(TABLE_S, limits.wall_s), max(VALUE_S, limits.wall_s)
    for node in probing_validators(resolve_validators(problem)):
        options = node.options
        if node.name == "table_test":
            cases = {"cases": options["test_cases"]}
            header = {"kind": "call", "name": options["function_name"], **cases}
            if problem.metadata.get("fresh") is True:
                header["fresh"] = True
            build = {"kind": "build", **cases, "input_validator": options.get("input_validator")}
            yield _Plan(
                node.name, header, table_s, Probe(build, limit_s=TABLE_S), "correct the case", "table_test.test_cases"
            )
        else:
            header = {"kind": "predict", "name": options["model_name"], "inputs": options["inputs_name"]}
            yield _Plan(node.name, header, table_s, _inputs(options["inputs_name"]), _PLAIN, "model.inputs_name")
    for probe in declared_probes(problem):
        yield _declared_plan(probe, value_s)


def _declared_plan(probe: DeclaredProbe, limit_s: float) -> _Plan:
    who = f"the probe {probe.name!r}"
    header: dict[str, Any] = {"as": probe.name}
    if probe.kind == "eval":
        return _Plan(who, {**header, "kind": "eval", "source": probe.target.strip()}, limit_s)
    if probe.kind == "take":
        return _Plan(who, {**header, "kind": "take", "name": probe.target, "count": probe.count}, limit_s)
    header |= {"kind": "predict", "name": probe.target, "inputs": probe.inputs, "method": probe.kind}
    return _Plan(who, header, limit_s, _inputs(probe.inputs), _PLAIN)


def _inputs(name: str) -> Probe:
    return Probe({"kind": "inputs", "name": name}, limit_s=TABLE_S)


def _read(plan: _Plan, answer: ProbeAnswer) -> bytes:
    if answer.ending is ProbeEnding.TIMED_OUT:
        what = f"{plan.who}: preparing its inputs takes longer than {TABLE_S:g} s"
        raise ProbeFault(what, where=plan.where, fix="use smaller inputs")
    try:
        header, (data,) = unpack_parts(next(parts_of(answer.data or b""), b""))
        faults = list(_faults(header))
    except (FrameError, ValueError) as error:
        what = f"{plan.who}: its inputs cannot be prepared"
        raise ProbeFault(what, where=plan.where, fix="use simpler inputs") from error
    if faults or data is None:
        what = f"{plan.who}: {'; '.join(faults) or 'its inputs are not there'}"
        raise ProbeFault(what, where=plan.where, fix=plan.advice)
    return data


def _faults(header: dict[str, Any]) -> Iterator[str]:
    if header.get("fault"):
        yield str(header["fault"])[:1000]
    for fault in header.get("faults") or ():
        yield str(fault)[:1000]
