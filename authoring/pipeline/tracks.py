"""The two sessions in which a problemset is executed: the reference, and its replay under other random states."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evaluator.errors import ToolkitError
from evaluator.language import Problem, Problemset, SetupCell, resolve_validators, wanted_names
from evaluator.running import REFERENCE_GRACE_S, SETUP_WALL_S, limits_of, modules_to_preload
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session


@dataclass
class Track:
    """One session on its way; `lost` says why it went no further."""

    session: Session
    lost: str = ""
    by_author: bool = False  # a cell of the author ended the session, not the machine

    def advance(self, source: str, wants: CaptureSpec, limits: CellLimits) -> Outcome:
        """Execute a cell; a session that is gone leaves an outcome of the engine's failure instead."""
        if not self.lost:
            try:
                outcome = self.session.execute(source, wants=wants, limits=limits)
            except ToolkitError as error:
                self.lost = error.what
            else:
                if outcome.ending not in (Ending.OK, Ending.ERROR):
                    self.lost = f"a cell ended the session ({outcome.ending.value})"
                    self.by_author = outcome.ending is not Ending.ENGINE_ERROR
                return outcome
        return Outcome(ending=Ending.ENGINE_ERROR, source=source)

    def attempt(self, source: str, wants: CaptureSpec, limits: CellLimits) -> Outcome | None:
        """Try a submission on a fork; None when the session is gone."""
        if self.lost:
            return None
        try:
            return self.session.attempt(source, wants=wants, limits=limits)
        except ToolkitError as error:
            self.lost = error.what
            return None


class Tracks(NamedTuple):
    """Both sessions, at the same cell."""

    reference: Track
    replay: Track

    def warm_up(self, modules: tuple[str, ...]) -> None:
        """Import what is slow to import, as a run does, so that no problem's time limit pays for it."""
        for module in modules:
            source = f"__import__('importlib').import_module({module!r}) is None"
            for track in self:
                track.advance(source, CaptureSpec(), CellLimits(wall_s=SETUP_WALL_S))

    def pass_over(self, cell: Problem | SetupCell) -> None:
        """Execute a cell for the state alone that it leaves."""
        for track in self:
            if isinstance(cell, SetupCell):
                track.advance(cell.source, CaptureSpec(), CellLimits(wall_s=SETUP_WALL_S))
            else:
                names = wanted_names(resolve_validators(cell))
                track.advance(cell.code, CaptureSpec(names), limits_of(cell, grace_s=REFERENCE_GRACE_S))


def open_tracks(engine: Engine, problemset: Problemset, inputs: Path | None, stack: ExitStack) -> Tracks:
    """Open both sessions; `stack` closes them.

    Raises:
        ToolkitError: If the engine cannot start.
    """
    keys = problemset.name, f"{problemset.name} replayed"  # another key gives other random states
    first, second = (stack.enter_context(engine.open(key=key, inputs=inputs)) for key in keys)
    return Tracks(Track(first), Track(second))


def preloaded(engine: Engine, problemset: Problemset) -> tuple[str, ...]:
    """Return the modules that the sessions of a problemset import first."""
    return modules_to_preload([problemset], engine.environment)
