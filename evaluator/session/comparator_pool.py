"""The host's end of comparator processes: ask, wait with a limit, replace what broke.

What a submission may take is measured by what the reference takes beside itself. Processor time is limited, so that a
busy machine makes no difference; an author's own code runs in processes and limits of its own, and costs none of it.
"""

import hashlib
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from evaluator.errors import ToolkitError
from evaluator.inside.runtime.frames import FrameError, FrameKind, pack_parts
from evaluator.session.cell_report import read_hostile_json
from evaluator.session.grader_pool import Grade
from evaluator.session.outcome import Ending, Outcome
from evaluator.session.sandboxing.interpreter import Interpreter
from evaluator.session.sandboxing.launcher import Worker
from evaluator.session.template import WorkerDiedError, receive_within
from evaluator.session.worker_pool import WorkerPool, start_answering

_START_S: Final = 60.0
_BASE_S: Final = 5.0  # of processor time: of every comparison
_AGAIN_S: Final = 1.0  # of the second one, in case the first comparator was ill and the reference takes no time
_PER_REFERENCE: Final = 20.0  # times what the reference takes beside itself, where values are the same at a glance
_PER_MIB_S: Final = 0.25  # for each MiB that the reference left: sorting what stands in another order takes its time
_REFERENCE_S: Final = 10.0
_PATIENCE: Final = 4.0  # wall time per processor time, before a comparator counts as hung
_CHECKER_S: Final = 6.0  # wall time of one run of an author's code: its limit, and starting it
_MOST_SLOW: Final = 100
_RECYCLE_AFTER: Final = 1000
MODULE: Final = "evaluator.inside.validators.comparator"


class _Broken(Exception):  # noqa: N818  # an event, handled here
    """A comparator died, hung or answered nonsense."""


class _BadPayload(_Broken):
    """A comparator could not read the bytes of one side."""


@dataclass(frozen=True)
class _Answered:
    """What a comparator said, and the processor time that it took."""

    said: dict[str, Any]
    seconds: float


@dataclass(frozen=True)
class UnmatchableValue:
    """A value of a reference that equals nothing."""

    where: str  # the validator that compares it, and after a dot the variable
    what: str
    fix: str


class ComparatorPool:
    """A small pool of comparators; each is used by one thread at a time."""

    def __init__(
        self,
        backend: str,
        *,
        scratch: Path,
        count: int = 1,
        module: str = MODULE,
        interpreter: Interpreter | None = None,
    ) -> None:
        interpreter = interpreter or Interpreter.own()
        self._pool = WorkerPool(
            lambda: _Comparator(start_answering(backend, module, scratch=scratch, interpreter=interpreter)), count=count
        )
        self._lock = threading.Lock()
        self._slow: dict[bytes, float] = {}  # seconds that references take beside themselves

    def warm_up(self) -> None:
        """Start a comparator now, so that it imports what it needs while other work goes on."""
        self._pool.warm_up()

    def judge(
        self,
        reference: Outcome,
        submission: Outcome,
        validators: Mapping[str, Any],
        *,
        rules: str,
        protected: Collection[str] | None = None,
        grades: Sequence[Grade] = (),
        is_recorded: bool = False,
    ) -> dict[str, Any]:
        """Return the findings tree; see `Engine.judge`."""
        is_itself = reference is submission
        limit_s = _REFERENCE_S if is_itself else self._limit_s(reference, _BASE_S, self._known_seconds(reference))
        asked = _Request(
            reference, submission, validators, rules, limit_s,
            protected=protected, grades=tuple(grades), is_recorded=is_recorded,
        )  # fmt: skip
        try:
            return self._ask(asked).said
        except _Broken as error:
            reason, is_unreadable = str(error), isinstance(error, _BadPayload)
        if not is_itself:  # is it the reference that breaks comparators?
            more_s = self._limit_s(reference, 0.0, self._measure(reference, validators, rules, grades))
            limit_s = _BASE_S + more_s if more_s > _AGAIN_S else _AGAIN_S
        if not is_unreadable:  # or was it this one comparator?
            try:
                return self._ask(replace(asked, limit_s=limit_s)).said
            except _Broken as error:
                reason = str(error)
        bad = replace(submission, ending=Ending.BAD_REPORT, payload=None, answers=())
        try:
            answered = self._ask(replace(asked, submission=bad, limit_s=_REFERENCE_S))
        except _Broken as error:
            raise ToolkitError(f"no comparator answers: {error}", fix="try again") from error
        return {**answered.said, "bad_report": reason}

    def _limit_s(self, reference: Outcome, base_s: float, measured_s: float) -> float:
        """Return what judging may take beside a reference that is so large and took so long beside itself."""
        size = len(reference.payload or b"") + sum(len(answer.data or b"") for answer in reference.answers)
        return base_s + _PER_REFERENCE * measured_s + _PER_MIB_S * size / (1 << 20)

    def _measure(
        self, reference: Outcome, validators: Mapping[str, Any], rules: str, grades: Sequence[Grade] = ()
    ) -> float:
        """Compare a reference with itself and return how long that took.

        Raises:
            ToolkitError: If it cannot be done.
        """
        try:
            asked = _Request(reference, reference, validators, rules, _REFERENCE_S, grades=tuple(grades))
            seconds = self._ask(asked).seconds
        except _Broken as error:
            raise ToolkitError(
                f"the reference's outcome cannot be compared with itself: {error}",
                fix="make the reference leave smaller or simpler values, or ask for other variables",
            ) from error
        if _PER_REFERENCE * seconds > _AGAIN_S:
            with self._lock:
                while len(self._slow) >= _MOST_SLOW:
                    del self._slow[next(iter(self._slow))]
                self._slow[_digest(reference)] = seconds
        return seconds

    def _known_seconds(self, reference: Outcome) -> float:
        with self._lock:
            slow = dict(self._slow)
        return slow.get(_digest(reference), 0.0) if slow else 0.0

    def inspect(self, reference: Outcome, validators: Mapping[str, Any]) -> tuple[UnmatchableValue, ...]:
        """Return the values that no submission could equal; see `Engine.inspect`."""
        request = _Request(reference, reference, validators, "sound", _REFERENCE_S, inspect=True)
        try:
            found = self._ask(request).said["opaque"]
            return tuple(UnmatchableValue(str(one["where"]), str(one["what"]), str(one["fix"])) for one in found)
        except (_Broken, KeyError, TypeError) as error:
            raise ToolkitError(f"no comparator answers: {error}", fix="try again") from error

    def _ask(self, request: "_Request") -> _Answered:
        with self._pool.lent(survives=(_BadPayload,)) as comparator:
            return comparator.ask(request.body(), request.wall_s)

    def close(self) -> None:
        """Kill every comparator."""
        self._pool.close()


class _Comparator:
    """One process."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._answered = 0

    @property
    def is_worn(self) -> bool:
        return self._answered >= _RECYCLE_AFTER or self._worker.process.poll() is not None

    def ask(self, body: bytes, limit_s: float) -> _Answered:
        limit = limit_s if self._answered else max(limit_s, _START_S)
        try:
            self._worker.channel.set_patience(limit)
            self._worker.channel.send(FrameKind.JUDGE, body)
            message = receive_within(self._worker.channel, limit)
        except (WorkerDiedError, OSError, FrameError) as error:
            raise _Broken(self._worker.complaint() or str(error)) from error
        self._answered += 1
        try:
            answer = read_hostile_json(message.body)
        except ValueError as error:
            raise _Broken("a comparator answered nonsense") from error
        if not isinstance(answer, dict):
            raise _Broken("a comparator answered nonsense")
        if message.kind == FrameKind.BAD_PAYLOAD:
            raise _BadPayload(f"the payload of the {answer.get('side')} cannot be read: {answer.get('reason')}")
        if message.kind != FrameKind.FINDINGS:
            raise _Broken(str(answer.get("reason", "a comparator failed")))
        seconds = answer.pop("seconds", 0.0)
        return _Answered(answer, float(seconds) if isinstance(seconds, (int, float)) else 0.0)

    def kill(self) -> None:
        self._worker.end()


@dataclass(frozen=True)
class _Request:
    """One question to a comparator."""

    reference: Outcome
    submission: Outcome
    validators: Mapping[str, Any]
    rules: str
    limit_s: float  # of the comparator's processor time
    inspect: bool = False
    protected: Collection[str] | None = None  # names that `namespace_intact` is about; None: all
    grades: tuple[Grade, ...] = ()  # one per graded validator
    is_recorded: bool = False  # they come of stored outputs

    def body(self) -> bytes:
        """Return what is sent."""
        header = {
            "reference": _evidence(self.reference),
            "submission": _evidence(self.submission),
            "validators": dict(self.validators),
            "rules": self.rules,
            "limit_s": self.limit_s,
            "inspect": self.inspect,
            "protected": None if self.protected is None else sorted(self.protected),
            "grades": [[grade.score, grade.why] for grade in self.grades],
            "is_recorded": self.is_recorded,
        }
        answers = [answer.data for outcome in (self.reference, self.submission) for answer in outcome.answers]
        return pack_parts(header, self.reference.payload, self.submission.payload, *answers)

    @property
    def wall_s(self) -> float:
        """How long to wait for the answer: an author's own code may take its whole limit each time that it runs."""
        return _PATIENCE * self.limit_s + _CHECKER_S * _checker_runs(self.validators)


def _checker_runs(validator: Mapping[str, Any]) -> int:
    """Return how often an author's own code may run to judge one submission."""
    options = validator.get("options") or {}
    runs = sum(map(_checker_runs, validator.get("children") or ()))
    if validator.get("code"):
        return runs + 1
    if validator.get("name") == "table_test":
        checkers = [options.get("input_checker"), options.get("output_checker")]
        return runs + _texts(checkers) * (len(options.get("test_cases") or ()) + 1)  # once for all cases, then for each
    return runs + _texts(options)


def _texts(part: object) -> int:
    """Return how many texts stand in the options of comparisons: all of them are code."""
    if isinstance(part, Mapping):
        return sum(map(_texts, part.values()))
    if isinstance(part, list):
        return sum(map(_texts, part))
    return int(isinstance(part, str))


def _digest(outcome: Outcome) -> bytes:
    """Tell outcomes apart by what they left behind."""
    digest = hashlib.sha256(outcome.payload or b"")
    for answer in outcome.answers:
        digest.update(answer.data or b"")
    return digest.digest()


def _evidence(outcome: Outcome) -> dict[str, Any]:
    """Return what the host itself saw of an outcome."""
    streams = [[o["name"], o["text"]] for o in outcome.outputs if o["output_type"] == "stream"]
    return {
        "ending": outcome.ending.value,
        "source": outcome.source,
        "streams": streams,
        "limits_hit": list(outcome.limits_hit),
        "names": list(outcome.capture.names),
        "figures": outcome.capture.figures,
        "files": list(outcome.capture.files),
        "watched": [list(each) for each in outcome.watched],
        "probes": [
            {
                "kind": probe.header["kind"],
                "cases": len(probe.header.get("cases", ())),
                "ending": answer.ending.value,
                "as": probe.header.get("as"),
            }
            for probe, answer in zip(outcome.capture.probes, outcome.answers, strict=False)
        ],
    }
