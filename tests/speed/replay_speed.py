"""Prints how long a replay of 400 recorded submissions over 250 problemsets takes, beside two ways of not isolating.

The floor runs the same code in bare forks, one per session and one per submission, two at a time, and judges nothing.
The loop runs it in one process, with deep copies of the namespace, and judges with the same validators.
"""

import contextlib
import copy
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))

from evaluator.language import Problem, load_problemset, resolve_validators  # noqa: E402
from tests.speed.workload import Asked, workload, write_workload  # noqa: E402

COMMAND = str(Path(sys.executable).parent / "benchwright")
ROUNDS = 3
WORKERS = 2
GOAL_OVER_FLOOR = 1.5
GOAL_OVER_LOOP = 2.0


def run_code(code: str, names: dict[str, Any]) -> Any:
    """Execute a cell as a session would: its last expression is its result."""
    import ast

    tree = ast.parse(code)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "<cell>", "exec"), names)
        return None
    tree.body.pop()
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def quietly(action: Callable[[], Any]) -> Any:
    """Run something whose failures and prints are not looked at."""
    with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
        return action()
    return None


def cases_of(asked: Asked, problem: Problem) -> Sequence[Any]:
    """Build the arguments of a problem's unit tests."""
    from evaluator.inside.validators.test_cases import build_case

    options = next(node.options for node in resolve_validators(problem).children if node.name == "table_test")
    return [build_case(options["test_cases"], number) for number in range(len(options["test_cases"]))]


Sets = list[tuple[list[Asked], list[Problem]]]


def read_sets(bench: Path) -> Sets:
    """Return the workload by problemset, with the problems as parsed."""
    sets: Sets = []
    for name, group in groupby(workload(), key=lambda asked: asked.problemset):
        problemset = load_problemset(bench / f"{name}.py", language_version=1).problemset
        assert problemset is not None
        sets.append((list(group), list(problemset.problems)))
    return sets


def in_fork(action: Callable[[], Any]) -> None:
    """Run something in a fork and wait for it."""
    pid = os.fork()
    if pid == 0:
        quietly(action)
        os._exit(0)
    os.waitpid(pid, 0)


def floor_of(sets: Sets) -> None:
    """Run the sets in bare forks: one per session, one per submission."""
    for asked, problems in sets:
        in_fork(partial(floor_session, asked, problems))


def floor_session(asked: list[Asked], problems: list[Problem]) -> None:
    """Run one session of the floor."""
    names: dict[str, Any] = {}
    run_code(asked[0].setup, names)
    for each, problem in zip(asked, problems, strict=True):
        in_fork(partial(floor_cell, each, problem, each.submission, names))
        floor_cell(each, problem, each.reference, names)


def floor_cell(asked: Asked, problem: Problem, code: str, names: dict[str, Any]) -> None:
    """Run a cell and its unit tests."""
    run_code(code, names)
    if asked.function:
        for arguments in cases_of(asked, problem):
            names[asked.function](*arguments)


def floor_seconds(sets: Sets) -> float:
    """Run the floor in as many processes at once as the run has workers; the imports are not counted."""
    import numpy
    import pandas

    assert numpy is not None
    assert pandas is not None
    begin = time.perf_counter()
    children = []
    for number in range(WORKERS):
        pid = os.fork()
        if pid == 0:
            floor_of(sets[number::WORKERS])
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    return time.perf_counter() - begin


def loop_seconds(sets: Sets) -> float:
    """Run and judge everything in this process, one after the other, as an evaluator without isolation does."""
    from evaluator.inside.codec.decode.decoded import DecodedOutcome, ErrorFacts, NamespaceDiff, ProbeReport
    from evaluator.inside.validators.judging import judge

    def outcome(code: str, names: dict[str, Any], asked: Asked, problem: Problem) -> DecodedOutcome:
        before, result, error = set(names), None, None
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                result = run_code(code, names)
            except Exception as raised:  # noqa: BLE001  # a submission may raise anything
                kinds = tuple(kind.__name__ for kind in type(raised).__mro__)
                error = ErrorFacts(kinds[0], kinds, str(raised), f"{kinds[0]}: {raised}")
        reports: tuple[ProbeReport, ...] = ()
        if asked.function and error is None:
            reports = (called(names[asked.function], cases_of(asked, problem)),)
        return DecodedOutcome(
            "ok" if error is None else "error",
            code,
            result,
            {name: names.get(name) for name in ("sales",)},
            NamespaceDiff(added=tuple(sorted(set(names) - before))),
            error,
            reports=reports,
        )

    def called(function: Callable[..., Any], cases: Sequence[Any]) -> ProbeReport:
        from evaluator.inside.codec.decode.decoded import CaseAnswer

        return ProbeReport("call", "ok", True, tuple(CaseAnswer(function(*case), list(case)) for case in cases))

    begin = time.perf_counter()
    for asked, problems in sets:
        names: dict[str, Any] = {}
        run_code(asked[0].setup, names)
        for each, problem in zip(asked, problems, strict=True):
            modules = {name: value for name, value in names.items() if type(value).__name__ == "module"}
            memo: dict[int, Any] = {id(value): value for value in modules.values()}
            names.pop("__builtins__", None)
            mine = copy.deepcopy(names, memo)
            submission = outcome(each.submission, mine, each, problem)
            reference = outcome(each.reference, names, each, problem)
            judge(reference, submission, resolve_validators(problem).to_json(), rules="published")
    return time.perf_counter() - begin


def run_seconds(bench: Path, records: Path, out: Path) -> float:
    """Time the whole command, from its start to its summary."""
    command = [COMMAND, "run", str(bench), "--agent", f"replay:{records}", "--out", str(out)]
    begin = time.perf_counter()
    subprocess.run([*command, "--workers", str(WORKERS)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main() -> None:
    """Measure side by side and print."""
    with tempfile.TemporaryDirectory(prefix="benchwright-speed-") as folder:
        bench, records = write_workload(Path(folder))
        sets = read_sets(bench)
        found: dict[str, list[float]] = {"run": [], "floor": [], "loop": []}
        for number in range(ROUNDS):
            found["run"].append(run_seconds(bench, records, Path(folder) / f"out-{number}"))
            found["floor"].append(floor_seconds(sets))
            found["loop"].append(loop_seconds(sets))
    run, floor, loop = (statistics.median(found[name]) for name in ("run", "floor", "loop"))
    print(f"benchwright run, {WORKERS} workers, start to summary   median {run:6.2f} s")
    print(f"bare forks, {WORKERS} at once, nothing judged          median {floor:6.2f} s")
    print(f"one process, deep copies, same validators   median {loop:6.2f} s")
    print(f"run / floor   ratio {run / floor:5.2f}   goal {GOAL_OVER_FLOOR}")
    print(f"run / loop    ratio {run / loop:5.2f}   goal {GOAL_OVER_LOOP}")


if __name__ == "__main__":
    main()
