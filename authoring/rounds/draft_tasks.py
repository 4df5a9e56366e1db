"""What a plan's client and the workers of a cluster say to each other: orders, tasks and results as bytes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from authoring.checks import Check, CheckFailure, Proof
from authoring.checks.dry_run.dry_running import ExecutedRows
from authoring.drafting.template_order import TemplateOrder
from authoring.store.dry_runs import DryRunProblem
from authoring.templates import DraftedSet
from evaluator.errors import ToolkitError
from evaluator.running.cluster.messages import (
    MAX_LONG,
    MAX_RESULT,
    MAX_TASK,
    BadMessageError,
    Fields,
    error_json,
    read_error,
    read_message,
    write_message,
)
from evaluator.session import SandboxChoice

DRAFT, DRY_RUN, PROOF = "draft", "dry run", "proof"
_ORDER, _TASK, _RESULT = "plan", "step", "outcome"


@dataclass(frozen=True)
class PlanOrder:
    """What a worker must know of a plan before its first task."""

    sandbox: SandboxChoice
    own_validators: str | None  # the code of the workspace's; None: it has none

    def to_bytes(self) -> bytes:
        """Return it as bytes."""
        return write_message(_ORDER, asdict(self), limit=MAX_TASK)

    @classmethod
    def from_bytes(cls, data: bytes) -> "PlanOrder":
        """Read what `to_bytes` wrote.

        Raises:
            ToolkitError: If it is something else.
        """
        read = read_message(_ORDER, data, limit=MAX_TASK)
        sandbox = read.text("sandbox")
        if sandbox not in list(SandboxChoice):
            raise BadMessageError(f"no sandbox is called {sandbox[:80]!r}")
        return cls(SandboxChoice(sandbox), read.optional_text("own_validators", limit=MAX_LONG))


@dataclass(frozen=True)
class TextTask:
    """A problemset that shall be executed."""

    kind: str  # dry run | proof
    name: str
    text: str
    inputs: Mapping[str, str]  # its files: name -> sha256

    def to_bytes(self) -> bytes:
        """Return it as bytes."""
        return write_message(_TASK, asdict(self), limit=MAX_TASK)


def draft_bytes(order: TemplateOrder) -> bytes:
    """Return a draft that shall be written as bytes."""
    return write_message(_TASK, {"kind": DRAFT, "order": order.to_json()}, limit=MAX_TASK)


def read_task(data: bytes) -> TextTask | TemplateOrder:
    """Return what a worker shall do.

    Raises:
        ToolkitError: If it is something else.
    """
    read = read_message(_TASK, data, limit=MAX_TASK)
    kind = read.text("kind")
    if kind == DRAFT:
        try:
            order = TemplateOrder.from_json(read.content.get("order"))
        except ValueError as error:
            raise BadMessageError(f"a draft's order cannot be read: {error}") from error
        refuse_bad_names(order.inputs)
        return order
    if kind not in (DRY_RUN, PROOF):
        raise BadMessageError(f"no step is called {kind[:80]!r}")
    inputs = {name: str(digest) for name, digest in read.inner("inputs").content.items()}
    refuse_bad_names(inputs)
    return TextTask(kind, read.text("name"), read.text("text", limit=MAX_LONG), inputs)


def refuse_bad_names(inputs: Mapping[str, str]) -> None:
    """Refuse names of input files that are no plain names, and digests that are none.

    Raises:
        BadMessageError: If there is one.
    """
    for name, digest in inputs.items():
        if not name or name in (".", "..") or {"/", "\0"} & set(name) or len(name) > 255:
            raise BadMessageError(f"no input file can be called {name[:80]!r}")
        if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
            raise BadMessageError(f"{digest[:80]!r} is no digest of a file")


def result_bytes(result: DraftedSet | ExecutedRows | Proof | ToolkitError) -> bytes:
    """Return what came of a task as bytes."""
    content: dict[str, Any]
    match result:
        case ToolkitError():
            content = {"error": error_json(result)}
        case DraftedSet():
            content = {"text": result.text, "report": result.report}
        case ExecutedRows():
            content = asdict(result)
        case Proof():
            failures = [each.to_json() for each in result.failures]
            content = {"failures": failures, "seconds": {str(n): s for n, s in result.seconds.items()}}
    return write_message(_RESULT, content, limit=MAX_RESULT)


def read_result(data: bytes, *, place: str) -> Fields:
    """Return what came of a task.

    Raises:
        ToolkitError: What ended it, or that it is no result.
    """
    read = read_message(_RESULT, data, limit=MAX_RESULT)
    if "error" in read.content:
        raise read_error(read.inner("error"), place=place)
    return read


def read_drafted(read: Fields) -> DraftedSet:
    """Return a draft that was written."""
    return DraftedSet(read.text("text", limit=MAX_LONG), read.inner("report").content)


def read_rows(read: Fields) -> ExecutedRows:
    """Return what an execution showed."""
    problems = tuple(_read_row(each) for each in read.each("problems", most=10_000))
    return ExecutedRows(problems, read.inner("summary").content, read.text("environment"), read.text("sandbox"))


def _read_row(read: Fields) -> DryRunProblem:
    read.refuse_unlike(DryRunProblem)
    return DryRunProblem(
        index=read.count("index"),
        problem_id=read.text("problem_id"),
        seconds=read.number("seconds"),
        reference_verdict=read.text("reference_verdict"),
        empty_verdict=read.text("empty_verdict"),
        agent_verdict=read.text("agent_verdict"),
        outputs=[each.content for each in read.each("outputs")],
        variables=[each.content for each in read.each("variables")],
        error=None if read.content.get("error") is None else read.inner("error").content,
        reasons=read.inner("reasons").content,
        agent_code=read.text("agent_code", limit=MAX_LONG),
        outcome_digest=read.text("outcome_digest"),
        findings=read.inner("findings").content,
        examples=[each.content for each in read.each("examples")],
        warnings=[each.content for each in read.each("warnings")],
    )


def read_proof(read: Fields) -> Proof:
    """Return what several processes proved."""
    told = read.inner("seconds")
    seconds = {_hash_seed(name): told.number(name) for name in told.content}
    return Proof(tuple(_read_failure(each) for each in read.each("failures", most=100_000)), seconds)


def _hash_seed(name: str) -> int:
    if not (name.isascii() and name.isdecimal()) or len(name) > 10:
        raise BadMessageError(f"a proof tells of a process with the hash seed {name[:80]!r}, which is no number from 0")
    return int(name)


def _read_failure(read: Fields) -> CheckFailure:
    check = read.text("check")
    if check not in list(Check):
        raise BadMessageError(f"no check is called {check[:80]!r}")
    what, fix = read.text("what", limit=MAX_LONG), read.text("fix", limit=MAX_LONG)
    return CheckFailure(Check(check), read.count("index", least=0), read.text("problem_id"), what, fix)
