"""The order of a check, its tasks and what came of them: written and read as bytes."""

from dataclasses import asdict, dataclass
from typing import NamedTuple

from evaluator.language import LoadedSet
from evaluator.running.checking.set_check import SelfCheck
from evaluator.running.cluster.messages import (
    MAX_LONG,
    MAX_RESULT,
    MAX_TASK,
    BadMessageError,
    Fields,
    arrived_from,
    read_message,
    write_message,
)
from evaluator.running.cluster.tasks import inside, read_diagnostic
from evaluator.session import SandboxChoice

_ORDER, _TASK, _RESULT = "check", "set", "findings"


class SetPlace(NamedTuple):
    """Where a problemset is found."""

    benchmark: int  # its place among those of the order, from 0
    position: int  # among the sets of that one, from 0


@dataclass(frozen=True)
class CheckOrder:
    """What a worker must know of a check before its first task."""

    benchmarks: tuple[str, ...]  # where each lies among the files that were shipped
    sets: tuple[SetPlace, ...]  # that are checked
    environment: str
    sandbox: SandboxChoice
    rng_seed: int
    cheats: bool

    def to_bytes(self) -> bytes:
        """Return it as bytes."""
        content = asdict(self) | {
            "benchmarks": [{"place": place} for place in self.benchmarks],
            "sets": [each._asdict() for each in self.sets],
        }
        return write_message(_ORDER, content, limit=MAX_TASK)

    @classmethod
    def from_bytes(cls, data: bytes) -> "CheckOrder":
        """Read what `to_bytes` wrote.

        Raises:
            ToolkitError: If it is something else.
        """
        read = read_message(_ORDER, data, limit=MAX_TASK)
        read.refuse_unlike(cls)
        sandbox = read.text("sandbox")
        if sandbox not in list(SandboxChoice):
            raise BadMessageError(f"no sandbox is called {sandbox[:80]!r}")
        return cls(
            tuple(inside(each, "place") for each in read.each("benchmarks")),
            tuple(_read_place(each) for each in read.each("sets")),
            read.text("environment"),
            SandboxChoice(sandbox),
            read.count("rng_seed", least=0),
            read.flag("cheats"),
        )


def _read_place(read: Fields) -> SetPlace:
    return SetPlace(read.count("benchmark", least=0), read.count("position", least=0))


def task_bytes(number: int) -> bytes:
    """Return the task to check a problemset of the order (from 0)."""
    return write_message(_TASK, {"number": number}, limit=MAX_TASK)


def read_task(data: bytes) -> int:
    """Return which problemset of the order shall be checked (from 0).

    Raises:
        ToolkitError: If it is no task of a check.
    """
    return read_message(_TASK, data, limit=MAX_TASK).count("number", least=0)


def check_bytes(found: SelfCheck) -> bytes:
    """Return what was found in one problemset as bytes."""
    content = asdict(found) | {"diagnostics": [each.to_json() for each in found.diagnostics]}
    return write_message(_RESULT, content, limit=MAX_RESULT)


def read_check(data: bytes, loaded: LoadedSet, *, place: str) -> SelfCheck:
    """Read what was found in a problemset; diagnostics name its file here.

    Args:
        data: What the worker returned.
        loaded: The problemset, which parses.
        place: The worker, named where something is wrong.

    Raises:
        ToolkitError: If it is no result of this task.
    """
    with arrived_from(place):
        read = read_message(_RESULT, data, limit=MAX_RESULT)
        read.refuse_unlike(SelfCheck)
        found = SelfCheck(
            tuple(read_diagnostic(each, loaded.path) for each in read.each("diagnostics")),
            read.count("problems", least=0),
            read.texts("not_judged"),
            read.texts("waived", limit=MAX_LONG),
            read.flag("cheated"),
        )
        problems = len(loaded.problemset.problems) if loaded.problemset is not None else 0
        if max(found.problems, len(found.not_judged)) > problems:
            raise BadMessageError(f"a result of {loaded.name!r} tells of more problems than it has")
        return found
