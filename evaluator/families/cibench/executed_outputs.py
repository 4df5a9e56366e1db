"""What the reference code of problemsets shows, as a notebook stores it: a notebook without it expects nothing."""

from collections.abc import Callable, Mapping
from typing import Any

from evaluator.errors import ContentError, ToolkitError
from evaluator.language import Benchmark, LoadedSet, Problem, Problemset, SetupCell
from evaluator.running import REFERENCE_GRACE_S, EventKind, RunEvent, limits_of
from evaluator.running.execution.author_errors import ended, raised
from evaluator.running.isolation import isolation_of, isolation_of_run, kernels_to_preload
from evaluator.running.plan import modules_to_preload
from evaluator.session import Ending, Engine, EngineChoice, Environment, Outcome, SandboxChoice, own_environment

Outputs = Mapping[int, tuple[Mapping[str, Any], ...]]
"""Number of a problem, from 1 -> what its reference showed, shaped as in nbformat."""


def executed_outputs(
    benchmark: Benchmark,
    *,
    environment: Environment | None = None,
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    on_event: Callable[[RunEvent], None] = lambda _event: None,
) -> Mapping[str, Outputs]:
    """Execute each problemset once, from its first cell to its last, and return what the problems showed.

    Args:
        benchmark: Whose problemsets parse.
        environment: Where their code runs; None: our own Python.
        sandbox: Where to run them.
        on_event: Told of each problem that was executed.

    Returns:
        Name of a problemset -> its outputs.

    Raises:
        ContentError: If a cell fails, with its problemset and problem.
        ToolkitError: If the engine fails.
    """
    used = environment or own_environment()
    problemsets = [loaded.problemset for loaded in benchmark.sets if loaded.problemset is not None]
    total, outputs = sum(len(each.problems) for each in problemsets), dict[str, Outputs]()
    preload = modules_to_preload(problemsets, used) + kernels_to_preload(problemsets, used)
    isolation = isolation_of_run(EngineChoice.AUTO, benchmark.manifest)
    done = 0

    def tell(name: str, number: int) -> None:
        nonlocal done
        done += 1
        on_event(RunEvent(EventKind.JUDGED, done, total, name, number))

    with Engine(sandbox=sandbox, preload=preload, environment=used, isolation=isolation) as engine:
        on_event(RunEvent(EventKind.STARTED, 0, total))
        for loaded in benchmark.sets:
            if loaded.problemset is not None:
                outputs[loaded.name] = _outputs_of(engine, loaded, loaded.problemset, tell)
    return outputs


def _outputs_of(
    engine: Engine, loaded: LoadedSet, problemset: Problemset, on_done: Callable[[str, int], None]
) -> Outputs:
    shown: dict[int, tuple[Mapping[str, Any], ...]] = {}
    isolation = isolation_of(problemset, engine.environment)
    with engine.open(key=loaded.name, inputs=loaded.inputs, isolation=isolation) as session:
        for cell in problemset.cells:
            if isinstance(cell, Problem):
                number = len(shown) + 1
                outcome = session.execute(cell.code, limits=limits_of(cell, grace_s=REFERENCE_GRACE_S))
                _refuse_failed(engine, loaded, cell, outcome, f"problem {number}")
                shown[number] = outcome.outputs
                on_done(loaded.name, number)
            else:
                _refuse_failed(engine, loaded, cell, session.execute(cell.source), "a setup cell")
    return shown


def _refuse_failed(engine: Engine, loaded: LoadedSet, cell: Problem | SetupCell, outcome: Outcome, title: str) -> None:
    if outcome.ending is Ending.OK:
        return
    if outcome.ending is Ending.ENGINE_ERROR:
        raise ToolkitError("the engine could not run a cell", where=str(loaded.path))
    failed = outcome.ending is Ending.ERROR
    _, what, fix = raised(cell, outcome, engine.environment.name) if failed else ended(cell, outcome)
    line = cell.code_line if isinstance(cell, Problem) else cell.line
    raise ContentError(f"{title}: the code {what}", where=f"{loaded.path}:{line}", fix=fix)
