"""Scores agents on one problemset, and says why the set is refused from some cell on."""

from collections.abc import Callable, Collection, Sequence

from evaluator.agents import Agent
from evaluator.diagnostics import Diagnostic
from evaluator.language import LoadedSet
from evaluator.running.execution.executed_cell import (
    USUAL,
    Answers,
    Conditions,
    Contender,
    ExecutedCell,
    no_answers,
)
from evaluator.running.execution.executor import ProblemsetExecutor
from evaluator.running.execution.reference_session import AuthorError
from evaluator.session import Engine


def score_problemset(
    engine: Engine,
    loaded: LoadedSet,
    agents: Sequence[Agent | Contender],
    *,
    wanted: Collection[int] | None = None,
    conditions: Conditions = USUAL,
    trials: Answers = no_answers,
    on_scored: Callable[[ExecutedCell], None] = lambda _scored: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[Diagnostic, ...]:
    """Execute one problemset and tell of each problem that was asked, as `ProblemsetExecutor.cells` does.

    Args:
        engine: Warm or not.
        loaded: A problemset that parses.
        agents: Who is asked; a contender no more than it asks for itself.
        wanted: Indexes of the problems to ask (from 1); None asks all. Nothing after the last of them is executed.
        conditions: Rule set, policies, attempts, epoch.
        trials: Variations of the reference, as `ProblemsetExecutor.cells` takes them.
        on_scored: Called after every problem that was asked, also when it could not be judged.
        cancelled: Asked between cells; True ends the work quietly.

    Returns:
        Why the problemset is refused from some cell on, by its author's fault; empty when it is not.
    """
    assert loaded.problemset is not None, "a problemset that does not parse is refused before"
    asked = range(1, len(loaded.problemset.problems) + 1) if wanted is None else wanted
    executor = ProblemsetExecutor(
        engine, loaded.problemset, loaded.path, loaded.inputs, conditions=conditions, cancelled=cancelled
    )
    with executor:
        try:
            upto = max(asked, default=0)
            for cell in executor.cells(agents, asks=asked.__contains__, upto=upto, trials=trials):
                if cell.is_asked:
                    on_scored(cell)
        except AuthorError as fault:
            return (fault.diagnostic,)
    return ()
