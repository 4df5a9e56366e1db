"""A state that one agent's cells build up, in a trial that lives on; whatever ends the trial is rolled back."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from evaluator.session import CaptureSpec, CellLimits, Ending, Outcome, PersistentFork, SessionLost
from evaluator.session.outcome import NO_CAPTURE

REPLAY_GRACE_S: Final = 10.0
"""How far past its limit a cell that ran once may run when it is replayed."""


class ExecutedStep(NamedTuple):
    """A cell and what it may use."""

    source: str
    limits: CellLimits


@dataclass(eq=False)
class _Executed:
    step: ExecutedStep
    is_doubtful: bool = False  # it failed when it was replayed; the second time it is left out


class PersistentState:
    """The cells that made a state. A lost trial is replaced by a fresh one into which they are replayed.

    Nothing that an agent's code does here is our failure: the session that the trials are forked from, which that
    code cannot reach, is what tells the two apart.
    """

    def __init__(self, begin: Callable[[], PersistentFork]) -> None:
        self._begin = begin
        self._executed: list[_Executed] = []
        self._trial: PersistentFork | None = None

    def mark(self) -> int:
        """Return where the state is now, for `roll_back`."""
        return len(self._executed)

    def roll_back(self, mark: int) -> None:
        """Go back to an earlier state."""
        if len(self._executed) > mark:
            del self._executed[mark:]
            self.close()

    def run(self, step: ExecutedStep, capture: CaptureSpec = NO_CAPTURE) -> Outcome:
        """Run a cell on the state; one that does not end by itself leaves the state as it was.

        Raises:
            ToolkitError: If no trial can be had.
        """
        outcome = self._run(step, capture)
        if outcome is None:  # the trial, or what it was forked from, was gone: once more in a fresh one
            outcome = self._run(step, capture)
        if outcome is None:
            outcome = Outcome(Ending.DIED, step.source, capture=capture)
        if outcome.ending in (Ending.OK, Ending.ERROR):
            self._executed.append(_Executed(step))
        else:
            self.close()
        return outcome

    def copy(self) -> "PersistentState":
        """Return another state of the same cells. The trial of this one ends: a session has one at a time."""
        self.close()
        made = PersistentState(self._begin)
        made._executed = [_Executed(each.step, each.is_doubtful) for each in self._executed]
        return made

    def close(self) -> None:
        """End the trial; the next use replays the cells in another."""
        trial, self._trial = self._trial, None
        if trial is not None:
            trial.close()

    def _run(self, step: ExecutedStep, capture: CaptureSpec) -> Outcome | None:
        """Run a cell; None when its trial was lost by something else than the cell."""
        trial = self._opened()
        try:
            outcome = trial.execute(step.source, capture=capture, limits=step.limits)
        except SessionLost:
            self.close()
            return None
        if outcome.ending is Ending.DIED and trial.origin_is_lost:
            self.close()
            return None
        return outcome

    def _opened(self) -> PersistentFork:
        while self._trial is None:
            trial = self._begin()
            failed = next((each for each in self._executed if not _repeats(trial, each.step)), None)
            if failed is None:
                self._trial = trial
                break
            trial.close()
            if failed.is_doubtful:
                self._executed.remove(failed)
            failed.is_doubtful = True
        return self._trial


def _repeats(trial: PersistentFork, step: ExecutedStep) -> bool:
    limits = replace(step.limits, wall_s=step.limits.wall_s + REPLAY_GRACE_S)
    try:
        return trial.execute(step.source, limits=limits).ending in (Ending.OK, Ending.ERROR)
    except SessionLost:
        return False
