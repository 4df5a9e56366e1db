"""The order of a run, its tasks and their results: written and read as bytes, with everything in them looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ToolkitError
from evaluator.records import Record
from evaluator.running.attempt_details import AttemptDetails, details_from_json, details_json
from evaluator.running.cluster.messages import (
    MAX_LONG,
    MAX_RESULT,
    MAX_TASK,
    BadMessageError,
    Fields,
    arrived_from,
    error_json,
    read_error,
    read_message,
    write_message,
)
from evaluator.running.config import RunConfig
from evaluator.running.execution.candidate import PriorAnswer
from evaluator.running.run_keeper import JudgedProblem
from evaluator.running.run_manifest import RunIdentity, SetIdentity
from evaluator.running.tally import ProblemKey
from evaluator.scoring import Verdict

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_ORDER, _TASK, _RESULT = "order", "task", "result"
_OPTIONAL: Final[Mapping[str, Any]] = {"agent_isolation": "", "family": {}, "answer": None, "labels": []}
"""Fields that a record leaves out where they say nothing."""
_FIELDS: Final = tuple(each.name for each in fields(Record))


@dataclass(frozen=True)
class RunOrder:
    """What a worker must know of a run before its first task."""

    config: RunConfig  # its paths are those on the client
    benchmark: str  # where it lies among the files that were shipped
    agent: str  # as it is named on a worker
    trusted: bool = False
    hidden: tuple[str, ...] = ()  # paths on the client, which agents on the same machine must not see either
    threads_of_machine: int = 1  # of workers, at most (count)
    concurrency: int = 1  # requests to models that wait for an answer at once, of one task

    def to_bytes(self) -> bytes:
        """Return it as bytes.

        Raises:
            ToolkitError: If it is too large.
        """
        content = asdict(self) | {"config": _config_json(self.config)}
        return write_message(_ORDER, content, limit=MAX_TASK)

    @classmethod
    def from_bytes(cls, data: bytes) -> "RunOrder":
        """Read what `to_bytes` wrote.

        Raises:
            ToolkitError: If it is something else.
        """
        read = read_message(_ORDER, data, limit=MAX_TASK)
        read.refuse_unlike(cls)
        return cls(
            _read_config(read.inner("config")),
            inside(read, "benchmark"),
            read.text("agent", limit=MAX_TASK),
            read.flag("trusted"),
            read.texts("hidden"),
            read.count("threads_of_machine"),
            read.count("concurrency"),
        )


def _config_json(config: RunConfig) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, Path) else value for name, value in asdict(config).items()}


def _read_config(read: Fields) -> RunConfig:
    read.refuse_unlike(RunConfig)
    try:
        return _config_adapter().validate_python(read.content)
    except ValueError as error:
        raise BadMessageError(f"{read.where} cannot be read: {error}") from error


@cache
def _config_adapter() -> "TypeAdapter[RunConfig]":
    from pydantic import TypeAdapter  # late: it takes long to import

    return TypeAdapter(RunConfig)


def inside(read: Fields, name: str) -> str:
    """Return a path that leads nowhere out of the files that were shipped."""
    place = PurePosixPath(read.text(name))
    if place.is_absolute() or ".." in place.parts:
        raise BadMessageError(f"{read.where}: {name} leads out of the files that were shipped")
    return str(place)


@dataclass(frozen=True)
class SetTask:
    """What of a problemset a worker shall ask in one epoch."""

    identity: SetIdentity  # the set, as the client has it
    epoch: int  # from 1
    missing: frozenset[int]  # problems (from 1) that have no verdict
    answered: Mapping[int, PriorAnswer]  # to the others, as they are kept, where later answers rest on them

    def to_bytes(self) -> bytes:
        """Return it as bytes.

        Raises:
            ToolkitError: If it is too large.
        """
        content = {
            "set": asdict(self.identity),
            "epoch": self.epoch,
            "missing": sorted(self.missing),
            "answered": [
                {"index": index, "codes": list(each.codes), "verdict": each.verdict, "state_after": each.state_after}
                for index, each in sorted(self.answered.items())
            ],
        }
        return write_message(_TASK, content, limit=MAX_TASK)

    @classmethod
    def from_bytes(cls, data: bytes) -> "SetTask":
        """Read what `to_bytes` wrote.

        Raises:
            ToolkitError: If it is something else.
        """
        read = read_message(_TASK, data, limit=MAX_TASK)
        read.refuse_others("set", "epoch", "missing", "answered")
        about = read.inner("set")
        identity = SetIdentity(
            about.text("name"), about.count("problems"), about.text("digest"), about.text("inputs_digest")
        )
        answered = {
            each.count("index"): PriorAnswer(
                each.texts("codes", limit=MAX_LONG), each.text("verdict"), each.text("state_after")
            )
            for each in read.each("answered")
        }
        return cls(identity, read.count("epoch"), frozenset(read.counts("missing")), answered)


@dataclass(frozen=True)
class SetResult:
    """What came of a task: all that was judged, also where an error ended it."""

    judged: tuple[JudgedProblem, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()  # why the set is refused from some problem on
    error: ToolkitError | None = None

    def to_bytes(self, files: Path) -> bytes:
        """Return it as bytes; details are left out where they would not fit.

        Args:
            files: Where what was shipped lies: paths of diagnostics are told relative to it.

        Raises:
            ToolkitError: If even the records are too large.
        """
        content = self._json(files)
        try:
            return write_message(_RESULT, content, limit=MAX_RESULT)
        except BadMessageError:
            for each in content["judged"]:
                each["details"] = [details_json(AttemptDetails(is_shortened=True)) for _ in each["details"]]
            return write_message(_RESULT, content, limit=MAX_RESULT)

    def _json(self, files: Path) -> dict[str, Any]:
        return {
            "judged": [
                {
                    "records": [record.to_json() for record in each.records],
                    "details": [details_json(details) for details in each.details],
                }
                for each in self.judged
            ],
            "diagnostics": [{**each.to_json(), "path": _relative(each.path, files)} for each in self.diagnostics],
            "error": None if self.error is None else error_json(self.error),
        }


def _relative(path: Path, files: Path) -> str:
    return path.relative_to(files).as_posix() if path.is_relative_to(files) else path.name


def read_result(data: bytes, task: SetTask, identity: RunIdentity, *, root: Path, place: str) -> SetResult:
    """Read what came of a task; it may tell of nothing that was not asked.

    Args:
        data: What the worker returned.
        task: What it was asked.
        identity: Of the run.
        root: The benchmark's folder on the client, in which diagnostics name their files.
        place: The worker, named where something is wrong.

    Raises:
        ToolkitError: If it is no result of this task.
    """
    with arrived_from(place):
        return _read_result(read_message(_RESULT, data, limit=MAX_RESULT), task, identity, root, place)


def _read_result(read: Fields, task: SetTask, identity: RunIdentity, root: Path, place: str) -> SetResult:
    read.refuse_others("judged", "diagnostics", "error")
    judged = tuple(_read_judged(each, task, identity) for each in read.each("judged"))
    indexes = [each.key.index for each in judged]
    if len(indexes) != len(set(indexes)) or not set(indexes) <= task.missing:
        raise BadMessageError(f"a result of {task.identity.name!r} tells of problems that were not asked")
    error = None if read.content.get("error") is None else read_error(read.inner("error"), place=place)
    return SetResult(judged, tuple(_read_diagnostic(each, root) for each in read.each("diagnostics")), error)


def _read_judged(read: Fields, task: SetTask, identity: RunIdentity) -> JudgedProblem:
    records = tuple(_read_record(each) for each in read.each("records", most=10_000))
    details = tuple(details_from_json(each.content) for each in read.each("details", most=10_000))
    if not records or len(records) != len(details):
        raise BadMessageError(f"{read.where} has {len(records)} records and {len(details)} details")
    _refuse_foreign(records, task, identity)
    first = records[0]
    return JudgedProblem(ProblemKey(first.problemset, first.index, first.epoch), records, details)


def _refuse_foreign(records: Sequence[Record], task: SetTask, identity: RunIdentity) -> None:
    """Refuse records of another run, of another problem, or that are not in order."""
    wanted = replace(
        records[0],
        benchmark=identity.benchmark,
        version=identity.version,
        problemset=task.identity.name,
        epoch=task.epoch,
        environment=identity.environment,
        sandbox=identity.sandbox,
        scoring_version=identity.scoring_version,
        digests={"problemset": task.identity.digest, "inputs": task.identity.inputs_digest},
    )
    in_order = [(each.index, each.attempt) for each in records]
    fitting = [(records[0].index, number) for number in range(1, len(records) + 1)]
    same = all(
        (each.benchmark, each.version, each.problemset, each.epoch, each.environment, each.sandbox)
        == (wanted.benchmark, wanted.version, wanted.problemset, wanted.epoch, wanted.environment, wanted.sandbox)
        and (each.scoring_version, each.digests) == (wanted.scoring_version, wanted.digests)
        for each in records
    )
    last = [each.is_last for each in records]
    if not same or in_order != fitting or last != [False] * (len(records) - 1) + [True]:
        raise BadMessageError(f"a result of {task.identity.name!r} holds records of something else")


def _read_record(read: Fields) -> Record:
    """Return a record; one that is written again is the same, byte by byte."""
    read.refuse_others(*_FIELDS)
    read.content = {**_OPTIONAL, **read.content}
    stats = read.content.get("agent_stats")
    return Record(
        benchmark=read.text("benchmark"),
        version=read.text("version"),
        problemset=read.text("problemset"),
        index=read.count("index"),
        attempt=read.count("attempt"),
        verdict=_verdict(read),
        subverdict=read.text("subverdict"),
        extended_verdict=read.text("extended_verdict"),
        question=read.text("question", limit=MAX_LONG),
        agent_exception=read.optional_text("agent_exception", limit=MAX_LONG),
        validation=read.content.get("validation"),
        code=read.optional_text("code", limit=MAX_LONG),
        agent_stats=None if stats is None else read.inner("agent_stats").content,
        epoch=read.count("epoch"),
        seconds=None if read.content.get("seconds") is None else read.number("seconds"),
        environment=read.text("environment"),
        sandbox=read.text("sandbox"),
        engine=read.text("engine"),
        ending=read.text("ending"),
        limits_hit=read.texts("limits_hit"),
        marks=read.texts("marks"),
        scoring_version=read.text("scoring_version"),
        digests={str(name): str(digest) for name, digest in read.inner("digests").content.items()},
        is_last=read.flag("is_last"),
        state_after=read.text("state_after"),
        agent_isolation=read.text("agent_isolation"),
        family=read.inner("family").content,
        answer=read.optional_text("answer", limit=MAX_LONG),
        labels=read.texts("labels"),
    )


def _verdict(read: Fields) -> str:
    verdict = read.text("verdict")
    if verdict not in list(Verdict):
        raise BadMessageError(f"{read.where} has no known verdict: {verdict[:80]!r}")
    return verdict


def _read_diagnostic(read: Fields, root: Path) -> Diagnostic:
    place = PurePosixPath(inside(read, "path"))
    inner = PurePosixPath(*place.parts[2:]) if place.parts[:1] == ("benchmark",) else place
    return read_diagnostic(read, root / inner)


def read_diagnostic(read: Fields, path: Path) -> Diagnostic:
    """Return a diagnostic of a file that lies here, as `Diagnostic.to_json` told it."""
    read.refuse_others("code", "severity", "path", "line", "what", "fix")
    severity = read.text("severity")
    if severity not in list(Severity):
        raise BadMessageError(f"{read.where} has no known severity: {severity[:80]!r}")
    what, fix = read.text("what", limit=MAX_LONG), read.text("fix", limit=MAX_LONG)
    return Diagnostic(read.text("code"), Severity(severity), path, read.count("line", least=0), what, fix)
