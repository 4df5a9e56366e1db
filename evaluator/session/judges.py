"""The host's end of comparator processes: ask, wait with a limit, replace what broke."""

import queue
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from evaluator.errors import ToolkitError, UsageError
from evaluator.inside.frames import FrameError, Kind, pack_parts
from evaluator.session.hostile_json import read_hostile_json
from evaluator.session.interpreter import Interpreter
from evaluator.session.launcher import Worker
from evaluator.session.outcome import Ending, Outcome
from evaluator.session.template import WorkerDiedError, receive_within, start_in_sandbox

_START_S: Final = 60.0
_ANSWER_S: Final = 10.0
_CODE_ANSWER_S: Final = 60.0  # where an author's own code compares
_RECYCLE_AFTER: Final = 1000
MODULE: Final = "evaluator.inside.comparator"


class _Broken(Exception):  # noqa: N818  # an event, handled here
    """A comparator died, hung or answered nonsense."""


class _BadClaim(_Broken):
    """A comparator could not read the bytes of one side."""


@dataclass(frozen=True)
class Incomparable:
    """A value of a reference that equals nothing."""

    where: str  # the validator that compares it, and after a dot the variable
    what: str
    fix: str


class Judges:
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
        self._backend = backend
        self._interpreter = interpreter or Interpreter.own()
        self._scratch = scratch
        self._module = module
        self._free: queue.SimpleQueue[_Comparator | None] = queue.SimpleQueue()
        self._all: set[_Comparator] = set()
        self._lock = threading.Lock()
        self._is_closed = False
        for _ in range(max(1, count)):
            self._free.put(None)

    def warm_up(self) -> None:
        """Start a comparator now, so that it imports what it needs while other work goes on."""
        try:
            comparator = self._free.get_nowait()
        except queue.Empty:
            return  # all are at work
        try:
            comparator = comparator or self._start()
        finally:
            self._free.put(comparator)

    def judge(
        self, reference: Outcome, submission: Outcome, validators: Mapping[str, Any], *, rules: str
    ) -> dict[str, Any]:
        """Return the findings tree; see `Engine.judge`."""
        body = _request(reference, submission, validators, rules)
        limit_s = _CODE_ANSWER_S if _holds_code(validators) else _ANSWER_S
        reason = ""
        for _ in range(2):
            try:
                return self._ask(body, limit_s)
            except _BadClaim as error:  # the comparator is well and says so itself
                reason = str(error)
                break
            except _Broken as error:
                reason = str(error)
        if reference is not submission:  # is it the reference that breaks comparators?
            try:
                self._ask(_request(reference, reference, validators, rules), limit_s)
            except _Broken as error:
                raise ToolkitError(
                    f"the reference's outcome cannot be compared with itself: {error}",
                    fix="make the reference leave smaller or simpler values, or ask for other variables",
                ) from error
        bad = replace(submission, ending=Ending.BAD_REPORT, claim=None, answers=())
        try:
            return {**self._ask(_request(reference, bad, validators, rules), limit_s), "bad_report": reason}
        except _Broken as error:
            raise ToolkitError(f"no comparator answers: {error}", fix="try again") from error

    def inspect(self, reference: Outcome, validators: Mapping[str, Any]) -> tuple[Incomparable, ...]:
        """Return the values that no submission could equal; see `Engine.inspect`."""
        body = _request(reference, reference, validators, "sound", inspect=True)
        try:
            found = self._ask(body, _ANSWER_S)["opaque"]
            return tuple(Incomparable(str(one["where"]), str(one["what"]), str(one["fix"])) for one in found)
        except (_Broken, KeyError, TypeError) as error:
            raise ToolkitError(f"no comparator answers: {error}", fix="try again") from error

    def _ask(self, body: bytes, limit_s: float) -> dict[str, Any]:
        comparator = self._free.get()
        try:
            if comparator is not None and comparator.is_worn:
                self._retire(comparator)
                comparator = None
            if comparator is None:
                comparator = self._start()
            findings = comparator.ask(body, limit_s)
        except _BadClaim:
            self._free.put(comparator)
            raise
        except BaseException:
            if comparator is not None:
                self._retire(comparator)
            self._free.put(None)
            raise
        self._free.put(comparator)
        return findings

    def _start(self) -> "_Comparator":
        if self._is_closed:
            raise UsageError("the engine is closed", fix="make a new one")
        arguments = [self._module, "isolated"] if self._backend == "bwrap" else [self._module]
        start = "evaluator.inside.confined"
        worker = start_in_sandbox(self._backend, start, arguments, scratch=self._scratch, interpreter=self._interpreter)
        comparator = _Comparator(worker)
        with self._lock:
            self._all.add(comparator)
        return comparator

    def _retire(self, comparator: "_Comparator") -> None:
        with self._lock:
            known = comparator in self._all
            self._all.discard(comparator)
        if known:
            comparator.kill()

    def close(self) -> None:
        """Kill every comparator."""
        with self._lock:
            self._is_closed = True
            doomed, self._all = list(self._all), set()
        for comparator in doomed:
            comparator.kill()


class _Comparator:
    """One process."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._answered = 0

    @property
    def is_worn(self) -> bool:
        return self._answered >= _RECYCLE_AFTER or self._worker.process.poll() is not None

    def ask(self, body: bytes, limit_s: float) -> dict[str, Any]:
        limit = limit_s if self._answered else max(limit_s, _START_S)
        try:
            self._worker.channel.set_patience(limit)
            self._worker.channel.send(Kind.JUDGE, body)
            message = receive_within(self._worker.channel, limit)
        except (WorkerDiedError, OSError, FrameError) as error:
            raise _Broken(self._worker.complaint() or str(error)) from error
        self._answered += 1
        try:
            answer = read_hostile_json(message.body)
        except (ValueError, RecursionError) as error:
            raise _Broken("a comparator answered nonsense") from error
        if not isinstance(answer, dict):
            raise _Broken("a comparator answered nonsense")
        if message.kind == Kind.BAD_CLAIM:
            raise _BadClaim(f"the claim of the {answer.get('side')} cannot be read: {answer.get('reason')}")
        if message.kind != Kind.FINDINGS:
            raise _Broken(str(answer.get("reason", "a comparator failed")))
        return answer

    def kill(self) -> None:
        self._worker.end()


def _holds_code(part: object) -> bool:
    """Tell whether some comparison is written as code, which takes longer."""
    if isinstance(part, Mapping):
        return any(_holds_code(item) for item in part.values())
    if isinstance(part, list):
        return any(_holds_code(item) for item in part)
    return isinstance(part, str) and "def " in part


def _request(
    reference: Outcome, submission: Outcome, validators: Mapping[str, Any], rules: str, *, inspect: bool = False
) -> bytes:
    header = {
        "reference": _evidence(reference),
        "submission": _evidence(submission),
        "validators": dict(validators),
        "rules": rules,
        "inspect": inspect,
    }
    answers = [answer.data for outcome in (reference, submission) for answer in outcome.answers]
    return pack_parts(header, reference.claim, submission.claim, *answers)


def _evidence(outcome: Outcome) -> dict[str, Any]:
    """Return what the host itself saw of an outcome."""
    streams = [[o["name"], o["text"]] for o in outcome.outputs if o["output_type"] == "stream"]
    return {
        "ending": outcome.ending.value,
        "source": outcome.source,
        "streams": streams,
        "limits_hit": list(outcome.limits_hit),
        "names": list(outcome.wants.names),
        "figures": outcome.wants.figures,
        "files": list(outcome.wants.files),
        "probes": [
            {
                "kind": probe.header["kind"],
                "cases": len(probe.header.get("cases", ())),
                "ending": answer.ending.value,
                "as": probe.header.get("as"),
            }
            for probe, answer in zip(outcome.wants.probes, outcome.answers, strict=False)
        ],
    }
