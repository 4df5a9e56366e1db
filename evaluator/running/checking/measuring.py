"""Executes a benchmark's references to measure what reading them cannot tell: calls by type, variables, bytes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from evaluator.language import LoadedSet, Problem, Problemset, SetupCell
from evaluator.running.checking.call_tracing import REPORT_CELL, TRACING_CELL, read_report, traced
from evaluator.running.execution.executed_cell import Conditions, ExecutedCell
from evaluator.running.execution.executor import ProblemsetExecutor
from evaluator.running.execution.reference_session import EngineFailedError
from evaluator.running.plan import modules_to_preload
from evaluator.session import Ending, Engine, Environment, Outcome, SandboxChoice, own_environment

_CELL_S: Final = 120.0


@dataclass(frozen=True)
class MeasuredProblem:
    """The session after one problem's reference code."""

    problemset: str
    index: int  # counts from 1
    calls: tuple[str, ...]  # library functions, one entry per place in the code that called it
    bytes_by_variable: Mapping[str, int]  # without modules, functions and classes


@dataclass(frozen=True)
class Measured:
    """What executing all references showed."""

    problems: tuple[MeasuredProblem, ...]
    failed: tuple[str, ...]  # "set: why" of problemsets that could not be executed to their end

    @property
    def calls(self) -> Mapping[str, int]:
        """Places (count) by called function, most frequent first."""
        counts = Counter(name for problem in self.problems for name in problem.calls)
        return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        calls = self.calls
        sizes = [size for problem in self.problems for size in problem.bytes_by_variable.values()]
        variables = [len(problem.bytes_by_variable) for problem in self.problems]
        return {
            "executed_problems": len(self.problems),
            "failed": list(self.failed),
            "api_calls": sum(calls.values()),
            "apis": len(calls),
            "libraries": len({name.partition(".")[0] for name in calls}),
            "by_api": calls,
            "variables_per_problem": sum(variables) / len(variables) if variables else None,
            "most_variables": max(variables, default=0),
            "median_variable_bytes": sorted(sizes)[len(sizes) // 2] if sizes else None,
            "largest_variable_bytes": max(sizes, default=0),
        }


def measure_benchmark(
    sets: Iterable[LoadedSet],
    *,
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    rng_seed: int = 0,
    environment: Environment | None = None,
) -> Measured:
    """Execute problemsets that parse and measure their sessions.

    Args:
        sets: Problemsets; those that do not parse are passed over.
        sandbox: Where to run them.
        rng_seed: Seeds the random states.
        environment: Where their code runs; None: our own Python.

    Raises:
        ToolkitError: If the engine cannot start.
    """
    chosen = [loaded for loaded in sets if loaded.problemset is not None]
    used = environment or own_environment()
    preload = modules_to_preload((each.problemset for each in chosen if each.problemset is not None), used)
    problems: list[MeasuredProblem] = []
    failed: list[str] = []
    with Engine(sandbox=sandbox, rng_seed=rng_seed, preload=preload, environment=used) as engine:
        for loaded in chosen:
            try:
                why = _measure_set(engine, loaded, problems)
            except EngineFailedError as error:
                why = error.what
            if why:
                failed.append(f"{loaded.name}: {why}")
    return Measured(tuple(problems), tuple(failed))


def _measure_set(engine: Engine, loaded: LoadedSet, found: list[MeasuredProblem]) -> str:
    """Execute one problemset and append what its problems showed; return why it ended early, if it did."""
    assert loaded.problemset is not None
    rewritten, sites = _traced(loaded.problemset)
    conditions = Conditions(goes_on=True)
    with ProblemsetExecutor(engine, rewritten, loaded.path, loaded.inputs, conditions=conditions) as executor:
        for cell in executor.cells(asks=lambda _: False, looks=(REPORT_CELL,)):
            if cell.outcome is None or cell.outcome.ending is not Ending.OK:
                return _why(cell)
            if cell.index:
                sizes, calls = read_report(_printed(cell.looks[0]))
                here = tuple(name for place, name in sorted(calls.items()) if place in sites[cell.position - 1])
                found.append(MeasuredProblem(loaded.name, cell.index, here, sizes))
    return ""


def _traced(problemset: Problemset) -> tuple[Problemset, list[range]]:
    """Return a problemset that counts its calls, and the places of each cell in that count."""
    cells: list[Problem | SetupCell] = [SetupCell(TRACING_CELL)]
    sites = [range(0)]
    site = 0
    for cell in problemset.cells:
        code = cell.code if isinstance(cell, Problem) else cell.source
        first, (rewritten, site) = site, traced(code, first_site=site)
        sites.append(range(first, site))
        if isinstance(cell, Problem):
            execution = replace(cell.execution, max_time_s=_CELL_S, max_memory_mb=None)
            cells.append(replace(cell, code=rewritten, execution=execution))
        else:
            cells.append(replace(cell, source=rewritten))
    return replace(problemset, cells=tuple(cells)), sites


def _why(executed: ExecutedCell) -> str:
    if executed.outcome is None:
        return f"the engine failed at the cell at line {executed.cell.line}"
    error = f" with {executed.outcome.error.name}" if executed.outcome.error is not None else ""
    return f"the cell at line {executed.cell.line} ended as {executed.outcome.ending.value}{error}"


def _printed(outcome: Outcome) -> str:
    return "".join(str(each["text"]) for each in outcome.outputs if each["output_type"] == "stream")
