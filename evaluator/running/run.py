"""Runs one agent on one benchmark: plan, engine, workers, records; stops and resumes at any instant."""

import contextlib
from collections.abc import Callable

from evaluator.agents import Agent, ReplayAgent, parse_agent
from evaluator.environments import choose_environment
from evaluator.errors import UsageError
from evaluator.language import Benchmark, read_benchmark
from evaluator.running.config import RunConfig, RunEvent, RunSummary
from evaluator.running.folder import RunFolder
from evaluator.running.isolation import isolation_of_run, kernels_to_preload
from evaluator.running.manifest import RunIdentity
from evaluator.running.plan import RunPlan, identify_sets, modules_to_preload, plan_run
from evaluator.running.under_way import RunExecutor
from evaluator.scoring import SCORING_VERSION
from evaluator.session import Engine, EngineChoice, Environment


def run_benchmark(
    config: RunConfig,
    *,
    on_event: Callable[[RunEvent], None] | None = None,
    trusted: bool = False,
    engine: Engine | None = None,
    agent: Agent | None = None,
) -> RunSummary:
    """Run an agent on a benchmark and keep records; resume if the folder holds a stopped run of the same config.

    Args:
        config: What to run.
        on_event: Told what happens, from any thread, one event at a time.
        trusted: The benchmark is our own shipped code: it may run without a sandbox where there is none.
        engine: Used instead of a new one; then its environment, its sandbox, its rng_seed and what it preloads count,
            not the config's.
        agent: Runs instead of the one that the config names, which then says nothing but its name.

    Raises:
        UsageError: If the benchmark, the agent or a problemset's name does not exist, or a number is out of bounds.
        ContentError: If the manifest or a replay file is broken, the manifest names an environment that is not here, or
            the folder holds another run.
        ToolkitError: If there is no sandbox, or records cannot be written.
        KeyboardInterrupt: After Ctrl-C, once the records are safe; its text says how to go on.
    """
    _refuse_bad_numbers(config)
    agent = agent or parse_agent(config.agent, allow_mismatch=config.allow_mismatch)
    benchmark = read_benchmark(config.benchmark)
    plan = plan_run(benchmark, names=config.sets, limit=config.limit)
    environment = choose_environment(config.environment, benchmark) if engine is None else engine.environment
    folder = RunFolder.acquire(config.out)
    try:
        with contextlib.ExitStack() as stack:
            used = engine or stack.enter_context(_own_engine(config, benchmark, plan, agent, environment, trusted))
            used.warm_up()
            identity = _identify(config, benchmark, plan, agent, used)
            on_stop = used.close if engine is None else (lambda: None)
            run = RunExecutor(config, plan, agent, used, folder, identity, on_event or (lambda _event: None))
            return run.finish(on_stop)
    finally:
        folder.close()


def _own_engine(
    config: RunConfig, benchmark: Benchmark, plan: RunPlan, agent: Agent, environment: Environment, trusted: bool
) -> Engine:
    recorded = agent.recorded_code() if isinstance(agent, ReplayAgent) else ()
    problemsets = [each.problemset for each in plan.sets]
    preload = modules_to_preload(problemsets, environment, more=recorded)
    return Engine(
        sandbox=config.sandbox,
        rng_seed=config.rng_seed,
        comparators=(config.workers + 1) // 2,  # comparing takes a small part of the time that running does
        preload=preload + kernels_to_preload(problemsets, environment),
        isolation=isolation_of_run(config.engine, benchmark.manifest),
        environment=environment,
        trusted=trusted,
    )


def _refuse_bad_numbers(config: RunConfig) -> None:
    for name in ("workers", "limit", "max_attempts", "epochs"):
        value = getattr(config, name)
        if value is not None and value < 1:
            option = name.replace("_", "-")
            raise UsageError(f"{option} is {value}, but must be at least 1", fix=f"use --{option} 1 or more")
    if not 0 <= config.rng_seed < 2**32:
        raise UsageError(f"rng_seed is {config.rng_seed}, out of 0..4294967295", fix="use a number in that range")


def _identify(config: RunConfig, benchmark: Benchmark, plan: RunPlan, agent: Agent, engine: Engine) -> RunIdentity:
    card = agent.describe()
    return RunIdentity(
        benchmark=benchmark.name,
        version=benchmark.version,
        environment=engine.environment.label,
        sandbox=engine.sandbox_name,
        agent=card.name,
        agent_version=card.version,
        policies=config.policies,
        rules=config.rules or benchmark.rules,
        scoring_version=str(SCORING_VERSION),
        rng_seed=engine.rng_seed,
        engine=engine.isolation.value if engine.isolation is not None else EngineChoice.AUTO.value,
        limit=config.limit,
        sets=identify_sets(plan.sets),
        epochs=config.epochs,
        max_attempts=config.max_attempts,
    )
