"""`benchwright check`: what is wrong with problemset files."""

import contextlib
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from authoring.cli.cluster_options import SchedulerOption, executor_option, refuse_no_cluster, refuse_odd_cluster
from authoring.cli.evaluating.run import progress_bar
from authoring.cli.options import EnvironmentOption, JsonOption
from authoring.cli.output import emit, print_diagnostics
from evaluator.diagnostics import Diagnostic, has_errors
from evaluator.errors import ToolkitError, UsageError
from evaluator.language import Benchmark, LoadedSet, read_benchmark
from evaluator.running import Executor
from evaluator.running.run import refuse_bad_seed, refuse_below_one
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from evaluator.running.checking.recorded_outputs import Recorded
    from evaluator.running.checking.set_check import SelfCheck
    from evaluator.session import Environment


class Style(StrEnum):
    """Styles that a set can be held to."""

    NOTEBOOK = "notebook"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check", help="Check problemset files without running them; with --run, execute them too.")(check)


def check(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Problemset files or benchmark folders.")],
    run: Annotated[
        bool, typer.Option("--run", help="Also execute: references must pass, an empty cell must not.")
    ] = False,
    cheat: Annotated[
        bool | None,
        typer.Option("--cheat/--no-cheat", help="For --run: try to pass without solving; by default on few problems."),
    ] = None,
    style: Annotated[
        Style | None, typer.Option(help="Also warn where a set leaves a style: 'notebook' has CIBench's rules.")
    ] = None,
    sandbox: Annotated[SandboxChoice, typer.Option(help="For --run.")] = SandboxChoice.AUTO,
    rng_seed: Annotated[int, typer.Option(help="For --run.")] = 0,
    environment: EnvironmentOption = None,
    workers: Annotated[int, typer.Option(help="Processes to start for --executor dask; not with --scheduler.")] = 1,
    executor: Annotated[Executor, executor_option("Where --run executes problemsets")] = Executor.LOCAL,
    scheduler: SchedulerOption = "",
    as_json: JsonOption = False,
) -> int:
    """Check files; 0: no error, 1: errors, 3: something could not be executed."""
    where = _Where(executor, scheduler, workers)
    _refuse_odd_options(where, run=run)
    refuse_bad_seed(rng_seed)
    benchmarks = [_read(path) for path in paths]
    sets, rules, diagnostics = _gather(benchmarks)
    if style is not None:
        diagnostics += _style_warnings(sets)
    found: list[SelfCheck] = []
    if run:
        sound = [loaded for loaded in sets if not _is_refused(loaded, diagnostics)]
        groups = _by_environment(benchmarks, sound, environment)
        where = where if groups else _Where()  # no cluster is started for nothing
        with _checker(paths, benchmarks, rules, where) as checker:
            found = _executed(groups, partial(checker, sandbox=sandbox, rng_seed=rng_seed, cheat=cheat))
    diagnostics += tuple(each for one in found for each in one.diagnostics)
    not_judged = [each for one in found for each in one.not_judged]
    waived = [each for one in found for each in one.waived]
    uncheated = sum(0 if one.cheated else one.problems for one in found)
    print_diagnostics(diagnostics)
    ok = not has_errors(diagnostics)
    if not_judged:
        raise ToolkitError(f"the engine failed on {', '.join(not_judged)}", fix="repeat the command")
    text = "\n".join([_as_text(ok, sets, diagnostics, run), *waived, *_without_cheats(uncheated, cheat)])
    emit({**_as_json(ok, sets, diagnostics), "waived": waived, "uncheated": uncheated}, as_json, text)
    return 0 if ok else 1


def _read(path: Path) -> Benchmark:
    try:
        return read_benchmark(path)
    except UsageError as error:
        if path.exists() or path.suffix or len(path.parts) != 1:
            raise
        fix = f"{error.fix}; a problemset of a workspace is checked by 'benchwright dry-run {path}'"
        raise UsageError(error.what, where=error.where, fix=fix) from error


def _gather(benchmarks: list[Benchmark]) -> tuple[list[LoadedSet], dict[Path, str], tuple[Diagnostic, ...]]:
    """Return every problemset once, by which rules each is judged (path -> rules), and what is wrong with them."""
    sets: dict[Path, LoadedSet] = {}
    rules: dict[Path, str] = {}
    diagnostics: dict[Diagnostic, None] = {}  # an ordered set: a file may be named twice
    for benchmark in benchmarks:
        diagnostics |= dict.fromkeys(benchmark.diagnostics)
        for loaded in benchmark.sets:
            sets.setdefault(loaded.path.resolve(), loaded)
            rules.setdefault(loaded.path, benchmark.rules)
    return list(sets.values()), rules, tuple(diagnostics)


class _Where(NamedTuple):
    """Where problemsets are executed."""

    executor: Executor = Executor.LOCAL
    scheduler: str = ""
    workers: int = 1


def _refuse_odd_options(where: _Where, *, run: bool) -> None:
    """Refuse what does not fit together.

    Raises:
        UsageError: If there is something, Dask is not installed, or the scheduler's address cannot be used.
    """
    refuse_below_one("workers", where.workers)
    refuse_odd_cluster(*where)
    if where.executor is Executor.LOCAL:
        if where.workers > 1:
            what, fix = "on one machine problemsets are checked one after the other", "add --executor dask"
            raise UsageError(what, where="--workers", fix=f"{fix}, or leave it out")
        return
    if not run:
        raise UsageError("nothing is executed without --run", where="--executor dask", fix="add --run")
    refuse_no_cluster(where.scheduler)


@contextlib.contextmanager
def _checker(
    paths: list[Path], benchmarks: list[Benchmark], rules: dict[Path, str], where: _Where
) -> Iterator[Callable[..., "SelfCheck"]]:
    """Yield what executes problemsets of one environment against themselves: `self_check`, or the same on a cluster."""
    from evaluator.families.live_run import rules_of_run

    families = [rules_of_run(benchmark, mode="", rules=None) for benchmark in benchmarks]
    if where.executor is Executor.LOCAL:
        from evaluator.running.checking.self_check import self_check

        recorded: dict[Path, Recorded] = {}  # what sources of problemsets stored of their cells' outputs, by path
        for benchmark, family in zip(benchmarks, families, strict=True):
            recorded |= {loaded.path: family.recorded for loaded in benchmark.sets} if family is not None else {}
        yield partial(self_check, rules=rules, recorded=recorded)
        return
    from evaluator.running.cluster.check_on_cluster import CheckedBenchmark, open_cluster_check

    known = [CheckedBenchmark(*each) for each in zip(paths, benchmarks, families, strict=True)]
    with open_cluster_check(known, scheduler=where.scheduler, workers=where.workers) as over_cluster:
        yield over_cluster.self_check


def _executed(
    groups: list[tuple["Environment", list[LoadedSet]]], checker: Callable[..., "SelfCheck"]
) -> list["SelfCheck"]:
    """Return what executing each group of problemsets found; one bar goes over all of them."""
    found: list[SelfCheck] = []
    done, total = 0, sum(_problem_count(loaded) for _, chosen in groups for loaded in chosen)
    for used, chosen in groups:
        with progress_bar(done, total) as on_event:
            found.append(checker(chosen, environment=used, on_event=on_event))
        done += sum(map(_problem_count, chosen))
    return found


def _style_warnings(sets: list[LoadedSet]) -> tuple[Diagnostic, ...]:
    from authoring.checks import style_diagnostics

    readable = [(loaded, loaded.problemset) for loaded in sets if loaded.problemset is not None]
    return tuple(each for loaded, it in readable for each in style_diagnostics(it, loaded.path, loaded.inputs))


def _by_environment(
    benchmarks: list[Benchmark], sets: list[LoadedSet], named: str | None
) -> list[tuple["Environment", list[LoadedSet]]]:
    """Return which problemsets run in which environment: the one that was named, else the one of their benchmark."""
    from evaluator.environments import choose_environment

    left = {loaded.path.resolve(): loaded for loaded in sets}
    environments: dict[str, Environment] = {}
    chosen: dict[str, list[LoadedSet]] = {}
    for benchmark in benchmarks:
        mine = [left.pop(path) for path in (each.path.resolve() for each in benchmark.sets) if path in left]
        if mine:
            used = choose_environment(named, benchmark)
            environments[used.name] = used
            chosen.setdefault(used.name, []).extend(mine)
    return [(environments[name], chosen[name]) for name in environments]


def _is_refused(loaded: LoadedSet, diagnostics: tuple[Diagnostic, ...]) -> bool:
    mine = tuple(each for each in diagnostics if each.path == loaded.path)
    return loaded.problemset is None or has_errors(mine)


def _as_json(ok: bool, sets: list[LoadedSet], diagnostics: tuple[Diagnostic, ...]) -> dict[str, Any]:
    files = [
        {
            "path": str(loaded.path),
            "ok": not _is_refused(loaded, diagnostics),
            "problems": _problem_count(loaded),
        }
        for loaded in sets
    ]
    return {"ok": ok, "files": files, "diagnostics": [each.to_json() for each in diagnostics]}


def _as_text(ok: bool, sets: list[LoadedSet], diagnostics: tuple[Diagnostic, ...], run: bool) -> str:
    errors = sum(each.severity == "error" for each in diagnostics)
    problems = sum(_problem_count(loaded) for loaded in sets)
    done = "checked and executed" if run else "checked"
    said = "no errors" if ok else _count(errors, "error")
    warnings = len(diagnostics) - errors
    also = f", {_count(warnings, 'warning')}" if warnings else ""
    return f"{_count(len(sets), 'file')} with {_count(problems, 'problem')} {done}: {said}{also}"


def _without_cheats(problems: int, asked: bool | None) -> list[str]:
    """Return a line that says how many problems nobody tried to guess, unless that was asked for."""
    if not problems or asked is not None:
        return []
    return [f"whether {_count(problems, 'problem')} can be guessed was not tried, to save time: add --cheat"]


def _problem_count(loaded: LoadedSet) -> int:
    return len(loaded.problemset.problems) if loaded.problemset is not None else 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
