"""Executes a benchmark's references to measure what reading them cannot tell: calls by type, variables, bytes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluator.language import LoadedSet, Problem
from evaluator.running.call_tracing import REPORT_CELL, TRACING_CELL, read_report, traced
from evaluator.running.plan import modules_to_preload
from evaluator.session import (
    CellLimits,
    Ending,
    Engine,
    Environment,
    Outcome,
    SandboxChoice,
    Session,
    SessionLost,
    own_environment,
)

_CELL_S: Final = 120.0
_REPORT_S: Final = 60.0


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
            with engine.open(key=loaded.name, inputs=loaded.inputs) as session:
                try:
                    why = _measure_set(session, loaded, problems)
                except SessionLost as lost:
                    why = lost.what
            if why:
                failed.append(f"{loaded.name}: {why}")
    return Measured(tuple(problems), tuple(failed))


def _measure_set(session: Session, loaded: LoadedSet, found: list[MeasuredProblem]) -> str:
    """Execute one problemset and append what its problems showed; return why it ended early, if it did."""
    assert loaded.problemset is not None
    session.execute(TRACING_CELL)
    site = index = 0
    for cell in loaded.problemset.cells:
        code = cell.code if isinstance(cell, Problem) else cell.source
        first, (rewritten, site) = site, traced(code, first_site=site)
        outcome = session.execute(rewritten, limits=CellLimits(wall_s=_CELL_S))
        index += isinstance(cell, Problem)
        if outcome.ending is not Ending.OK:
            return _why(outcome, cell.line)
        if isinstance(cell, Problem):
            report = session.attempt(REPORT_CELL, limits=CellLimits(wall_s=_REPORT_S))
            sizes, calls = read_report(_printed(report))
            here = tuple(name for place, name in sorted(calls.items()) if first <= place < site)
            found.append(MeasuredProblem(loaded.name, index, here, sizes))
    return ""


def _why(outcome: Outcome, line: int) -> str:
    error = f" with {outcome.error.name}" if outcome.error is not None else ""
    return f"the cell at line {line} ended as {outcome.ending.value}{error}"


def _printed(outcome: Outcome) -> str:
    return "".join(str(each["text"]) for each in outcome.outputs if each["output_type"] == "stream")
