"""Runs one agent on one benchmark: plan, engine, workers, records; stops and resumes at any instant."""

import contextlib
from collections.abc import Callable, Mapping
from functools import partial

from evaluator.agents import Agent, SupportsLoad
from evaluator.environments import choose_environment
from evaluator.errors import UsageError
from evaluator.language import Benchmark, read_benchmark
from evaluator.running.config import MAX_AGENT_TIMEOUT_S, MAX_CONCURRENCY, Executor, RunConfig, RunEvent, RunSummary
from evaluator.running.execution.asking_ahead import AskingPool, are_answered
from evaluator.running.execution.executed_cell import Contender
from evaluator.running.family_rules import FamilyRules
from evaluator.running.machine import measure_time_scale, usable_cores
from evaluator.running.plan import PlannedSet, plan_run
from evaluator.running.pool import Ahead, run_parallel_ahead
from evaluator.running.run_agent import agent_of_run
from evaluator.running.run_folder import RunFolder
from evaluator.running.run_keeper import RunKeeper
from evaluator.running.run_setup import close_at_end, identify_run, own_engine
from evaluator.running.set_runner import SetRunner
from evaluator.scoring.grading import FigureJudge
from evaluator.session import Engine


def run_benchmark(
    config: RunConfig,
    *,
    on_event: Callable[[RunEvent], None] | None = None,
    trusted: bool = False,
    engine: Engine | None = None,
    agent: Agent | None = None,
    benchmark: Benchmark | None = None,
    family: FamilyRules | None = None,
    figure_judge: FigureJudge | None = None,
    discarded: tuple[str, ...] | None = None,
) -> RunSummary:
    """Run an agent on a benchmark and keep records; resume if the folder holds a stopped run of the same config.

    Args:
        config: What to run.
        on_event: Told what happens, from any thread, one event at a time.
        trusted: The benchmark is our own shipped code: it may run without a sandbox where there is none.
        engine: Used instead of a new one; then its environment, its sandbox, its rng_seed and what it preloads count,
            not the config's.
        agent: Runs instead of the one that the config names, which then says nothing but its name.
        benchmark: Runs instead of what lies where the config says.
        family: How problems are asked and scored, where they are of a family.
        figure_judge: Looks at figures where problems ask for it; None: what hangs on it is NOT_JUDGED.
        discarded: Names of files that go, with the records and the manifest of an earlier run, once everything is
            ready for a new one; None: nothing goes.

    Raises:
        UsageError: If the benchmark, the agent or a problemset's name does not exist, the agent cannot be loaded, or
            a number is out of bounds.
        ContentError: If the manifest or a replay file is broken, the manifest names an environment that is not here, or
            the folder holds another run.
        ToolkitError: If there is no sandbox, or records cannot be written.
        KeyboardInterrupt: After Ctrl-C, once the records are safe; its text says how to go on.
    """
    refuse_bad_numbers(config)
    benchmark = benchmark or read_benchmark(config.benchmark)
    if config.executor == Executor.DASK:
        from evaluator.running.cluster.run_on_cluster import run_on_cluster  # late: few runs are on a cluster

        what_travels_not = {"an engine": engine, "an agent object": agent, "a judge of figures": figure_judge}
        refuse_what_stays(config, what_travels_not)
        tell = on_event or (lambda _event: None)
        return run_on_cluster(config, benchmark, on_event=tell, trusted=trusted, family=family, discarded=discarded)
    agent = agent or agent_of_run(config)
    with contextlib.ExitStack() as stack:
        close_at_end(agent, stack)
        plan = plan_run(benchmark, names=config.sets, limit=config.limit)
        environment = choose_environment(config.environment, benchmark) if engine is None else engine.environment
        if isinstance(agent, SupportsLoad):
            agent.load()
        folder = RunFolder.acquire(config.out)
        stack.callback(folder.close)
        used = engine or stack.enter_context(own_engine(config, benchmark, plan, agent, environment, trusted))
        used.warm_up()
        identity = identify_run(config, benchmark, plan, agent, used)
        if discarded is not None:
            folder.discard(*discarded)
        on_stop = used.close if engine is None else (lambda: None)
        tell = on_event or (lambda _event: None)
        scale, spare = measure_time_scale(), config.workers < usable_cores()
        keeper = RunKeeper(config, plan, identity, folder, tell, time_scale=scale)
        runner = SetRunner(config, identity, agent, used, scale, spare, family, figure_judge)
        return LocalRun(keeper, runner).run(on_stop)


def refuse_what_stays(config: RunConfig, given: Mapping[str, object]) -> None:
    """Refuse what a run over a cluster cannot use: objects of this process, and a judge that keeps files here.

    Args:
        config: Of the run.
        given: What it is -> what was given; None: nothing.

    Raises:
        UsageError: If something was given.
    """
    if config.judge:
        fix = "run without --judge, then repeat the command with it and without --executor: it judges what waits for it"
        raise UsageError("figures are judged on one machine", where=f"--judge {config.judge}", fix=fix)
    for name, value in given.items():
        if value is not None:
            fix = "leave it out, or use the executor 'local'"
            raise UsageError(f"{name} cannot be sent to a cluster", where="executor 'dask'", fix=fix)


def refuse_bad_numbers(config: RunConfig) -> None:
    """Refuse counts and times that no run can have.

    Raises:
        UsageError: If there is one.
    """
    for name in ("workers", "concurrency", "limit", "max_attempts", "epochs"):
        refuse_below_one(name.replace("_", "-"), getattr(config, name))
    if config.concurrency > MAX_CONCURRENCY:
        what = f"concurrency is {config.concurrency:,}, but must be at most {MAX_CONCURRENCY:,}"
        raise UsageError(
            what,
            where="--concurrency",
            fix="use --concurrency 32: each request that waits is a connection and a thread",
        )
    if config.executions < 0:
        what = f"executions is {config.executions}, but must be at least 0"
        raise UsageError(what, where="--executions", fix="use --executions 20")
    if not 0 < config.agent_timeout_s <= MAX_AGENT_TIMEOUT_S:
        bounds = f"more than 0 and at most {MAX_AGENT_TIMEOUT_S:,.0f} seconds"
        what = f"agent-timeout is {config.agent_timeout_s:g}, but must be {bounds}"
        raise UsageError(what, where="--agent-timeout", fix="use --agent-timeout 600")
    refuse_bad_seed(config.rng_seed)


def refuse_bad_seed(rng_seed: int) -> None:
    """Refuse a number that seeds no random state.

    Raises:
        UsageError: If it is one.
    """
    if not 0 <= rng_seed < 2**32:
        what = f"rng_seed is {rng_seed}, out of 0..4294967295"
        raise UsageError(what, where="--rng-seed", fix="use a number in that range")


def refuse_below_one(option: str, value: int | None) -> None:
    """Refuse a count of an option that is below 1; None was not given.

    Raises:
        UsageError: If it is.
    """
    if value is not None and value < 1:
        raise UsageError(
            f"{option} is {value}, but must be at least 1", where=f"--{option}", fix=f"use --{option} 1 or more"
        )


class LocalRun:
    """One run under way on one engine, its problemsets worked on by a few threads of this process."""

    def __init__(self, keeper: RunKeeper, runner: SetRunner) -> None:
        self._keeper = keeper
        self._runner = runner
        self._config = runner.config

    def run(self, on_stop: Callable[[], None]) -> RunSummary:
        """Judge what is missing and return the summary of everything."""
        with self._keeper.opened(), contextlib.closing(AskingPool(self._config.concurrency)) as pool:
            run_parallel_ahead(
                self._keeper.passes(),
                Ahead(partial(self._ask, pool), are_answered, lambda: pool.has_room, pool.changed),
                self._score,
                workers=self._config.workers,
                on_stop=on_stop,
            )
        return self._keeper.end(self._runner.agent.describe().notes)

    def _ask(self, pool: AskingPool, item: tuple[int, PlannedSet], stopped: Callable[[], bool]) -> list[Contender]:
        """Ask the agent what it may be asked before a set of an epoch is judged; nobody where nothing is missing."""
        epoch, planned = item
        contender = contender_of(self._keeper, self._runner, planned, epoch)
        if contender is None:
            return []
        return self._runner.ask(pool, planned, epoch, contender, cancelled=stopped)

    def _score(self, item: tuple[int, PlannedSet], contenders: list[Contender], stopped: Callable[[], bool]) -> None:
        epoch, planned = item
        if not contenders:
            return
        diagnostics = self._runner.score(planned, epoch, contenders, on_judged=self._keeper.keep, cancelled=stopped)
        if diagnostics:
            self._keeper.refuse(planned.loaded.name, diagnostics)


def contender_of(keeper: RunKeeper, runner: SetRunner, planned: PlannedSet, epoch: int) -> Contender | None:
    """Return a run's agent as it is asked about a set in an epoch (from 1): what has no verdict yet.

    It goes on from what it answered to the rest.

    Returns:
        None where nothing lacks a verdict.
    """
    missing = keeper.missing(planned, epoch)
    if not missing:
        return None
    return runner.contender(planned, epoch, missing, keeper.answers(planned, epoch, missing))
