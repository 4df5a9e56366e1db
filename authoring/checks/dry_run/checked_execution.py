"""Execute a problemset and judge each reference against itself, against doing nothing, and against an agent."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from authoring.checks.dry_run.checked_set import CheckedCell, CheckedSet
from authoring.checks.dry_run.sampled_answers import KeptAnswer, Tried, asked_until_one_fails, clustered
from authoring.checks.dry_run.warm_sessions import WarmPlace
from authoring.progress import OnEvent, PipelineEvent, no_progress
from evaluator.agents import Agent
from evaluator.language import OwnValidators, Problem, Problemset, example_answers
from evaluator.language.document import Document
from evaluator.running import Conditions, ExecutedCell, ProblemsetExecutor, modules_to_preload
from evaluator.running.quality.assessing import QualityTrials
from evaluator.scoring import Verdict
from evaluator.session import Ending, Engine, Outcome

ShouldJudge = Callable[[int, Sequence[CheckedCell]], bool]
EMPTY: Final = ""


def always(number: int, before: Sequence[CheckedCell]) -> bool:
    """Judge every problem."""
    del number, before
    return True


def open_executor(engine: Engine, problemset: Problemset, inputs: Path | None) -> ProblemsetExecutor:
    """Return what executes a problemset to be checked: a cell that fails is told, and the rest goes on."""
    imports = modules_to_preload([problemset], engine.environment)
    conditions = Conditions(goes_on=True, replays=True, imports=imports)
    return ProblemsetExecutor(engine, problemset, Path(f"{problemset.name}.py"), inputs, conditions=conditions)


def execute_cells(
    engine: Engine,
    problemset: Problemset,
    inputs: Path | None,
    *,
    upto: int | None = None,
    agents: Sequence[Agent] = (),
    judges: ShouldJudge = always,
    place: WarmPlace | None = None,
    on_event: OnEvent = no_progress,
) -> CheckedSet:
    """Execute and judge the cells of a problemset in order.

    Args:
        engine: Where they run.
        problemset: What runs.
        inputs: The folder that the sessions see as `inputs/`.
        upto: The last problem to execute, from 1; None: every cell.
        agents: Each is asked for a submission to each problem that is judged.
        judges: Tells, from a problem's number and the cells before it, whether it is judged or only executed.
        place: Where sessions wait that stand before the problem somebody works on, and where the next ones shall.
        on_event: Told before each problem and at the end; what it raises ends the execution.

    Returns:
        The executed cells. When a cell ends the session, the cells after it are there as not executed.

    Raises:
        ToolkitError: If the engine cannot start.
    """
    total = min(len(problemset.problems), upto or len(problemset.problems))
    on_event(PipelineEvent(0, total, "starting a session"))
    cells: list[CheckedCell] = []
    executed: list[ExecutedCell] = []
    waiting = None if place is None else place.take(engine, problemset, lambda number: judges(number, ()))
    executor = open_executor(engine, problemset, inputs) if waiting is None else waiting.executor
    trials = QualityTrials()
    with executor:
        if waiting is not None:
            executor.go_on_with(problemset, inputs)
        found = executor.cells(
            asked_until_one_fails(agents),
            asks=lambda number: judges(number, cells),
            upto=upto,
            answers=_answers_to_check,
            trials=trials.codes,
            done=() if waiting is None else waiting.executed,
        )
        for cell in found:
            executed.append(cell)
            cells.append(_checked(engine, cell, trials))
            if cell.index:
                on_event(PipelineEvent(cell.index, total, f"{cell.index} of {total} problems done"))
    if place is not None:
        place.begin(engine, problemset, partial(open_executor, engine, problemset, inputs), executed)
    return CheckedSet(problemset.name, tuple(cells))


def _answers_to_check(number: int, problem: Problem) -> Sequence[str]:
    """Return what is judged at every problem: doing nothing, and the answers that the problem keeps."""
    del number
    return (EMPTY, *(example.code for example in example_answers(problem)))


def _checked(engine: Engine, executed: ExecutedCell, trials: QualityTrials) -> CheckedCell:
    cell = executed.cell
    source = cell.code if isinstance(cell, Problem) else cell.source
    outcome = executed.outcome or Outcome(ending=Ending.ENGINE_ERROR, source=source)
    if not isinstance(cell, Problem):
        return CheckedCell(executed.position, cell.line, outcome)
    tries = tuple(Tried(each.submission.code, each.judged, each.outcome) for each in executed.attempts)
    kept = zip(example_answers(cell), executed.answers[1:], strict=False)
    solved = _solved(tries) if len(tries) > 1 else None
    return CheckedCell(
        position=executed.position,
        line=cell.line,
        outcome=outcome,
        problem=executed.index,
        problem_id=executed.problem_id,
        max_time_s=cell.time_limit_s,
        reference=executed.replayed,
        empty=executed.answers[0].judged if executed.answers else None,
        tries=clustered(engine, cell, tries) if len(tries) > 1 else tries,
        examples=tuple(KeptAnswer(example, answer.judged) for example, answer in kept),
        warnings=trials.warnings(executed, solved) if executed.is_asked else (),
    )


def _solved(tries: Sequence[Tried]) -> tuple[int, int]:
    """Return how many answers are correct, and how many were judged."""
    judged = [tried.judged.verdict for tried in tries if tried.judged.verdict is not Verdict.NOT_JUDGED]
    return sum(verdict is Verdict.CORRECT for verdict in judged), len(judged)


def execute_problemset(
    engine: Engine,
    text: str,
    name: str,
    inputs: Path | None,
    *,
    own_validators: OwnValidators | None = None,
    first: int = 1,
    upto: int | None = None,
    place: WarmPlace | None = None,
    on_event: OnEvent = no_progress,
) -> CheckedSet:
    """Execute the text of a problemset, saved or not, up to a problem (from 1), and judge it from the first one on.

    Raises:
        ContentError: If the text cannot be read as a problemset; it names the first errors.
        ToolkitError: If the engine cannot start.
    """
    problemset = Document.parse(text, name=name, own_validators=own_validators).require_readable()
    return execute_cells(
        engine,
        problemset,
        inputs,
        upto=upto,
        judges=lambda number, _: number >= first,
        place=place,
        on_event=on_event,
    )
