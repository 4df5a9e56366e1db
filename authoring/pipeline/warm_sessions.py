"""Sessions that wait at the problem somebody works on, so that what comes before it need not be executed again.

A session cannot go back. After a run two fresh ones are therefore brought to the state before that problem, by the same
cells in the same order, while nobody waits. The next run takes them if every cell before is the same, and takes over
what these cells left behind when they were executed and judged; whatever differs is executed anew.
"""

import contextlib
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from authoring.pipeline.executed import ExecutedCell
from authoring.pipeline.tracks import Tracks, open_tracks, preloaded
from evaluator.errors import ToolkitError
from evaluator.language import Problem, Problemset, SetupCell
from evaluator.scoring import Verdict
from evaluator.session import Engine

KEPT_S: Final = 600.0
MAX_REPLAY_S: Final = 10.0  # cells that take longer are not executed ahead: a person's next job would wait for them


@dataclass
class Waiting:
    """Two sessions that have executed some cells, or are about to."""

    engine: Engine
    key: str
    modules: tuple[str, ...]
    cells: tuple[Problem | SetupCell, ...]
    executed: tuple[ExecutedCell, ...]  # what these cells left behind in the run before
    tracks: Tracks
    stack: ExitStack  # closes the sessions

    def serves(self, engine: Engine, key: str, problemset: Problemset) -> bool:
        """Tell whether a run of a problemset would be in the very same state here."""
        same_place = self.engine is engine and self.key == key and self.modules == preloaded(engine, problemset)
        return same_place and problemset.cells[: len(self.cells)] == self.cells

    def is_sound(self) -> bool:
        """Tell whether both sessions are there."""
        return not any(track.lost or track.session.is_lost for track in self.tracks)


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
        """Return sessions that stand before problem `number` or earlier, if they serve; the caller closes them.

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
        if not waiting.is_sound():
            waiting.stack.close()
            return None
        return waiting

    def begin(
        self,
        engine: Engine,
        key: str,
        problemset: Problemset,
        inputs: Path | None,
        number: int,
        executed: Sequence[ExecutedCell],
    ) -> None:
        """Open the sessions for the next run; `rest` brings them to the state before problem `number`."""
        before = tuple(replace(cell, tries=()) for cell in executed[: _cells_before(problemset, number)])
        self.drop()
        slow = sum(cell.outcome.seconds for cell in before) > MAX_REPLAY_S
        if not before or slow or any(cell.failed and cell.outcome.error is None for cell in before):
            return
        with ExitStack() as stack, contextlib.suppress(ToolkitError):  # without them the next run takes longer, no more
            tracks = open_tracks(engine, problemset, inputs, stack)
            cells, modules = problemset.cells[: len(before)], preloaded(engine, problemset)
            self._put(Waiting(engine, key, modules, cells, before, tracks, stack.pop_all()))

    def _put(self, waiting: Waiting) -> None:
        with self._lock:
            self._waiting, self._is_ready = waiting, False

    def rest(self) -> None:
        """Execute what the sessions on the shelf have before them; to be called while nobody waits."""
        with self._lock:
            waiting = None if self._is_ready else self._waiting
        if waiting is None:
            return
        try:
            waiting.tracks.warm_up(waiting.modules)
            for cell in waiting.cells:
                waiting.tracks.pass_over(cell)
        except ToolkitError:
            self.drop()
            return
        with self._lock:
            self._is_ready = True
            self._timer = threading.Timer(self._kept_s, self.drop)
            self._timer.daemon = True
            self._timer.start()
        if not waiting.is_sound():
            self.drop()

    def drop(self) -> None:
        """Close the sessions on the shelf."""
        with self._lock:
            waiting = self._waiting
            self._forget()
        if waiting is not None:
            waiting.stack.close()

    def _forget(self) -> None:
        self._waiting, self._is_ready = None, False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@dataclass(frozen=True)
class WarmPlace:
    """Where a run finds and leaves sessions."""

    shelf: WarmSessions
    key: str  # of the problemset and its input files
    number: int  # of the problem that somebody works on


def _cells_before(problemset: Problemset, number: int) -> int:
    """Return how many cells come before problem `number`."""
    problem = problemset.problems[number - 1]
    return next(at for at, cell in enumerate(problemset.cells) if cell is problem)


def _known(executed: Sequence[ExecutedCell], judges: Callable[[int], bool]) -> bool:
    return all(_is_judged(cell) for cell in executed if cell.problem is not None and judges(cell.problem))


def _is_judged(cell: ExecutedCell) -> bool:
    judged = (cell.reference, cell.empty)
    return all(each is not None and (each.verdict is not Verdict.NOT_JUDGED or each.author_fault) for each in judged)
