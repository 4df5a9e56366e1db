"""The host's end of grader processes: scores of texts and pictures, computed where a hostile picture can do no harm."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from evaluator.errors import ToolkitError
from evaluator.inside.runtime.frames import FrameError, FrameKind, pack_parts
from evaluator.session.cell_report import read_hostile_json
from evaluator.session.sandboxing.backends import SandboxChoice, resolve_backend
from evaluator.session.sandboxing.launcher import Worker
from evaluator.session.sandboxing.scratch import make_scratch_folder, remove_scratch_folder
from evaluator.session.template import WorkerDiedError, receive_within
from evaluator.session.worker_pool import WorkerPool, start_answering

MODULE: Final = "evaluator.inside.grading.grader"
_LIMIT_S: Final = 30.0  # of processor time: of one item
_PATIENCE: Final = 4.0  # wall time per processor time, before a grader counts as hung
_RECYCLE_AFTER: Final = 5_000
_BATCH: Final = 64  # items in one frame
_BATCH_BYTES: Final = 32 * 1024 * 1024


@dataclass(frozen=True)
class GradeItem:
    """What is compared with what."""

    metric: str  # numeric | text | visual | final_answer
    expected: bytes | None = field(repr=False)  # text in UTF-8, or a PNG; None: nothing, which nothing is like
    found: bytes | None = field(repr=False)
    sound: bool = True  # else as the published harness scores

    @property
    def size(self) -> int:
        """How large it is (bytes)."""
        return len(self.expected or b"") + len(self.found or b"")


@dataclass(frozen=True)
class Grade:
    """How an item was graded."""

    score: float | None  # visual: in [-1, 1], else in [0, 1]; None: not graded
    why: str = ""  # one word: why it scores 0 without a comparison, or is not graded
    told: str = ""  # what is said of that, for people; nothing rests on it


class _Broken(Exception):  # noqa: N818  # an event, handled here
    """A grader died, hung or answered nonsense."""


class GraderPool:
    """A few grader processes under a sandbox; each is used by one thread at a time. Use it as a context manager."""

    def __init__(
        self,
        *,
        sandbox: SandboxChoice = SandboxChoice.AUTO,
        count: int = 1,
        trusted: bool = False,
        backend: str = "",
    ) -> None:
        """Prepare; processes start when they are needed.

        Args:
            sandbox: Where pictures are decoded.
            count: How many grade at once (count, >= 1).
            trusted: What is graded is our own: it may be without a sandbox where there is none.
            backend: The sandbox by name, where it has been resolved.

        Raises:
            ToolkitError: If there is no sandbox.
        """
        chosen = backend or resolve_backend(sandbox, trusted=trusted)
        self._scratch = make_scratch_folder()
        self.count = max(1, count)
        self._pool = WorkerPool(
            lambda: _Grader(start_answering(chosen, MODULE, scratch=self._scratch)), count=self.count
        )

    def grade(self, items: Sequence[GradeItem]) -> list[Grade]:
        """Return one grade per item, in order.

        An item on which two graders broke (`broke-grader`) scores 0 if the found side is to blame, else nothing.

        Raises:
            ToolkitError: If no grader can be started.
        """
        grades: list[Grade] = []
        for batch in _batches(items):
            grades += self._graded(batch)
        return grades

    def _graded(self, batch: Sequence[GradeItem]) -> list[Grade]:
        try:
            return self._ask(batch)
        except _Broken:
            if len(batch) > 1:  # one of them is to blame
                return [grade for item in batch for grade in self._graded([item])]
        try:
            return self._ask(batch)
        except _Broken:
            return [self._blamed(batch[0])]

    def _blamed(self, item: GradeItem) -> Grade:
        """Grade an item on which two graders broke: 0 if the expected side beside itself does no harm."""
        try:
            (itself,) = self._ask([replace(item, found=item.expected)])
        except _Broken:
            return Grade(None, "broke-grader")
        return Grade(None if itself.score is None else 0.0, "broke-grader")

    def _ask(self, batch: Sequence[GradeItem]) -> list[Grade]:
        with self._pool.lent() as grader:
            return grader.ask(batch)

    def close(self) -> None:
        """End every process."""
        self._pool.close()
        remove_scratch_folder(self._scratch)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _batches(items: Sequence[GradeItem]) -> list[list[GradeItem]]:
    batches: list[list[GradeItem]] = []
    size = 0
    for item in items:
        if not batches or len(batches[-1]) == _BATCH or size + item.size > _BATCH_BYTES:
            batches.append([])
            size = 0
        batches[-1].append(item)
        size += item.size
    return batches


class _Grader:
    """One process."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._answered = 0

    @property
    def is_worn(self) -> bool:
        return self._answered >= _RECYCLE_AFTER or self._worker.process.poll() is not None

    def ask(self, batch: Sequence[GradeItem]) -> list[Grade]:
        limit_s = _LIMIT_S * len(batch)
        header = {
            "limit_s": limit_s,
            "items": [{"metric": item.metric, "sound": item.sound} for item in batch],
        }
        sides = [side for item in batch for side in (item.expected, item.found)]
        try:
            self._worker.channel.set_patience(_PATIENCE * limit_s)
            self._worker.channel.send(FrameKind.GRADE, pack_parts(header, *sides))
            message = receive_within(self._worker.channel, _PATIENCE * limit_s)
            answer: Any = read_hostile_json(message.body)
            if message.kind != FrameKind.FINDINGS:
                raise _Broken(str(answer))
            grades = [_read(each) for each in answer["grades"]]
        except (WorkerDiedError, ToolkitError, OSError, FrameError, ValueError, KeyError, TypeError) as error:
            raise _Broken(self._worker.complaint() or str(error)) from error
        if len(grades) != len(batch):
            raise _Broken("a grader graded other items than were asked")
        self._answered += len(batch)
        return grades

    def kill(self) -> None:
        self._worker.end()


def _read(raw: Any) -> Grade:
    score, why = raw["score"], raw["why"]
    if not isinstance(why, str) or not (score is None or isinstance(score, int | float)):
        raise ValueError("no grade")
    if score is not None and not -1.000001 <= score <= 1.000001:
        raise ValueError("a score out of bounds")
    return Grade(None if score is None else min(1.0, max(-1.0, float(score))), why)
