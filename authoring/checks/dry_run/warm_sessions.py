"""Sessions that wait at the problem somebody works on, so that what comes before it need not be executed again.

A session cannot go back. After a run fresh ones are therefore brought to the state before that problem, by the same
cells in the same order, while nobody waits. The next run takes them if every cell before is the same, and takes over
what these cells left behind when they were executed and judged; whatever differs is executed anew.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.errors import ToolkitError
from evaluator.language import Problem, Problemset, SetupCell
from evaluator.running import ExecutedCell, ProblemsetExecutor, modules_to_preload
from evaluator.scoring import Judged, Verdict
from evaluator.session import Ending, Engine

KEPT_S: Final = 600.0
MAX_REPLAY_S: Final = 10.0  # cells that take longer are not executed ahead: a person's next job would wait for them


@dataclass
class Waiting:
    """An executor that has executed some cells, or is about to."""

    engine: Engine
    key: str
    modules: tuple[str, ...]
    cells: tuple[Problem | SetupCell, ...]
    executed: tuple[ExecutedCell, ...]  # what these cells left behind in the run before
    executor: ProblemsetExecutor

    def serves(self, engine: Engine, key: str, problemset: Problemset) -> bool:
        """Return whether a run of a problemset would be in the very same state here."""
        same_place = self.engine is engine and self.key == key and self.modules == _modules(engine, problemset)
        return same_place and problemset.cells[: len(self.cells)] == self.cells


class WarmSessions:
    """Keeps the sessions of the problemset that was executed last, for ten minutes."""

    def __init__(self, kept_s: float = KEPT_S) -> None:
        self._kept_s = kept_s
        self._lock = threading.Lock()
        self._waiting: Waiting | None = None
        self._is_ready = False
        self._timer: threading.Timer | None = None

    def take(
        self, engine: Engine, key: str, problemset: Problemset, number: int, judges: Callable[[int], bool]
    ) -> Waiting | None:
        """Return what waits before problem `number` or earlier, if it serves; the caller closes it.

        Args:
            engine: Where the run is.
            key: Names the problemset and its input files.
            problemset: What runs.
            number: The problem that somebody works on.
            judges: Tells which problems the run judges; those that were not judged before are not taken over.
        """
        with self._lock:
            waiting, ready = self._waiting, self._is_ready
            if waiting is None or not ready or not waiting.serves(engine, key, problemset):
                return None
            if len(waiting.cells) > _cells_before(problemset, number) or not _known(waiting.executed, judges):
                return None
            self._forget()
        if not waiting.executor.is_sound:
            waiting.executor.close()
            return None
        return waiting

    def begin(
        self,
        engine: Engine,
        key: str,
        problemset: Problemset,
        number: int,
        executed: Sequence[ExecutedCell],
        open_executor: Callable[[], ProblemsetExecutor],
    ) -> None:
        """Prepare the next run; `rest` brings its sessions to the state before problem `number`."""
        before = tuple(executed[: _cells_before(problemset, number)])
        self.drop()
        outcomes = [cell.outcome for cell in before if cell.outcome is not None]
        slow = sum(outcome.seconds for outcome in outcomes) > MAX_REPLAY_S
        whole = len(outcomes) == len(before) and all(each.ending in (Ending.OK, Ending.ERROR) for each in outcomes)
        if not before or slow or not whole:
            return
        cells, modules, executor = problemset.cells[: len(before)], _modules(engine, problemset), open_executor()
        try:
            executor.open()
        except ToolkitError:  # without it the next run takes longer, no more
            executor.close()
            return
        if not executor.is_sound:
            executor.close()
            return
        with self._lock:
            self._waiting = Waiting(engine, key, modules, cells, before, executor)
            self._is_ready = False

    def give_back(
        self,
        engine: Engine,
        key: str,
        problemset: Problemset,
        executor: ProblemsetExecutor,
        executed: Sequence[ExecutedCell],
    ) -> bool:
        """Let sessions wait that have executed these cells and nothing else; false where they cannot go on."""
        if not executed or not executor.is_sound:
            return False
        self.drop()
        cells = problemset.cells[: len(executed)]
        with self._lock:
            self._waiting = Waiting(engine, key, _modules(engine, problemset), cells, tuple(executed), executor)
        self._begin_to_wait()
        return True

    def rest(self) -> None:
        """Execute what comes before the problem that somebody works on; to be called while nobody waits."""
        with self._lock:
            waiting = None if self._is_ready else self._waiting
        if waiting is None:
            return
        try:
            waiting.executor.advance(len(waiting.cells))
        except ToolkitError:
            self.drop()
            return
        self._begin_to_wait()
        if not waiting.executor.is_sound:
            self.drop()

    def _begin_to_wait(self) -> None:
        with self._lock:
            self._is_ready = True
            self._timer = threading.Timer(self._kept_s, self.drop)
            self._timer.daemon = True
            self._timer.start()

    def drop(self) -> None:
        """End the sessions that wait."""
        with self._lock:
            waiting = self._waiting
            self._forget()
        if waiting is not None:
            waiting.executor.close()

    def _forget(self) -> None:
        self._waiting, self._is_ready = None, False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@dataclass(frozen=True)
class WarmPlace:
    """Where a run finds and leaves sessions."""

    sessions: WarmSessions
    key: str  # of the problemset and its input files
    number: int  # of the problem that somebody works on

    def take(self, engine: Engine, problemset: Problemset, judges: Callable[[int], bool]) -> Waiting | None:
        """Return what waits for a run of a problemset; the caller closes it."""
        return self.sessions.take(engine, self.key, problemset, self.number, judges)

    def begin(
        self,
        engine: Engine,
        problemset: Problemset,
        open_executor: Callable[[], ProblemsetExecutor],
        executed: Sequence[ExecutedCell],
    ) -> None:
        """Prepare the next run after one that executed these cells."""
        self.sessions.begin(engine, self.key, problemset, self.number, executed, open_executor)

    def give_back(
        self,
        engine: Engine,
        problemset: Problemset,
        executor: ProblemsetExecutor,
        executed: Sequence[ExecutedCell],
    ) -> bool:
        """Let sessions wait that have executed these cells and nothing else; false where they cannot go on."""
        return self.sessions.give_back(engine, self.key, problemset, executor, executed)


def _modules(engine: Engine, problemset: Problemset) -> tuple[str, ...]:
    return modules_to_preload([problemset], engine.environment)


def _cells_before(problemset: Problemset, number: int) -> int:
    """Return how many cells come before problem `number`."""
    places = [at for at, cell in enumerate(problemset.cells) if isinstance(cell, Problem)]
    return places[number - 1]


def _known(executed: Sequence[ExecutedCell], judges: Callable[[int], bool]) -> bool:
    return all(_is_judged(cell) for cell in executed if cell.index and judges(cell.index))


def _is_judged(cell: ExecutedCell) -> bool:
    found = (cell.replayed, cell.answers[0].judged if cell.answers else None)
    return all(each is not None and _is_settled(each) for each in found)


def _is_settled(judged: Judged) -> bool:
    return judged.verdict is not Verdict.NOT_JUDGED or judged.author_fault is not None
