"""An agent's own way through a problemset: its code, not the reference's, makes the state of the next problem."""

from itertools import takewhile
from pathlib import Path
from typing import Final

from evaluator.errors import ToolkitError
from evaluator.language import Problem, Problemset, SetupCell
from evaluator.running.execution.author_errors import SETUP_WALL_S
from evaluator.running.execution.persistent_state import ExecutedStep, PersistentState
from evaluator.running.execution.reference_session import limits_of
from evaluator.running.isolation import isolation_of
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, PersistentFork, Session
from evaluator.session.outcome import NO_CAPTURE

_DEFAULT_MEMORY_MB: Final = 4096.0
_LIFE_S: Final = 3600.0  # processor time besides the cells' own limits: for replays, and for threads that wait


class AgentSession:
    """A session in which the leading setup cells ran, and the trial forked from it in which the agent's code runs."""

    def __init__(
        self,
        engine: Engine,
        problemset: Problemset,
        inputs: Path | None,
        *,
        rng_seed: int | None = None,
        magics: bool = True,
    ) -> None:
        self._engine = engine
        self._name = problemset.name
        self._inputs = inputs
        self._rng_seed = rng_seed
        self._magics = magics
        self._isolation = isolation_of(problemset, engine.environment)
        self._leading = tuple(takewhile(lambda cell: isinstance(cell, SetupCell), problemset.cells))
        self._life = life_of(problemset.problems)
        self._origin: Session | None = None
        self.state = PersistentState(self._begin)

    def set_up(self, cell: SetupCell) -> Outcome | None:
        """Run a setup cell of the author's; None for the leading ones, which run where the trial is forked from."""
        if any(cell is leading for leading in self._leading):
            return None
        return self.state.run(ExecutedStep(cell.source, CellLimits(wall_s=SETUP_WALL_S)))

    def answer(self, code: str, problem: Problem, capture: CaptureSpec = NO_CAPTURE) -> Outcome:
        """Run a submission on the agent's own state."""
        return self.state.run(ExecutedStep(code, limits_of(problem, magics=self._magics)), capture)

    def correct(self, problem: Problem) -> Outcome:
        """Run the reference code on the agent's own state, once its problem is judged."""
        return self.state.run(ExecutedStep(problem.code, limits_of(problem)))

    def close(self) -> None:
        """End all processes."""
        self.state.close()
        origin, self._origin = self._origin, None
        if origin is not None:
            origin.close()

    def _begin(self) -> PersistentFork:
        if self._origin is not None and self._origin.is_lost:
            self._origin.close()
            self._origin = None
        if self._origin is None:
            self._origin = self._open()
        return self._origin.keep(self._life)

    def _open(self) -> Session:
        session = self._engine.open(
            key=self._name, inputs=self._inputs, rng_seed=self._rng_seed, isolation=self._isolation
        )
        for cell in self._leading:
            assert isinstance(cell, SetupCell)
            outcome = session.execute(cell.source, limits=CellLimits(wall_s=SETUP_WALL_S))
            if outcome.ending is not Ending.OK:  # it ran well in the reference's session a moment ago
                session.close()
                raise ToolkitError("a setup cell failed in an agent's own session", where=self._name)
        return session


def life_of(problems: tuple[Problem, ...]) -> CellLimits:
    """Return what a trial that runs the answers to these problems may use in all."""
    seconds = sum(problem.time_limit_s for problem in problems)
    memory_mb = max((problem.execution.max_memory_mb or _DEFAULT_MEMORY_MB for problem in problems), default=0.0)
    return CellLimits(wall_s=_LIFE_S + 4 * seconds, memory_mb=2 * memory_mb)
