"""What a run needs before its first problem, here and on a worker of a cluster: its agent, its engine, its identity."""

import contextlib
from typing import NamedTuple

from evaluator.agents import Agent, AgentCard, ReplayAgent, SupportsClose, SupportsLoad
from evaluator.language import Benchmark
from evaluator.running.config import RunConfig
from evaluator.running.isolation import isolation_of_run, kernels_to_preload
from evaluator.running.plan import RunPlan, identify_sets, modules_to_preload
from evaluator.running.run_agent import process_text
from evaluator.running.run_manifest import RunIdentity, SetIdentity
from evaluator.scoring import SCORING_VERSION
from evaluator.session import Engine, EngineChoice, Environment


def load_agent(agent: Agent, stack: contextlib.ExitStack) -> None:
    """Load what an agent is made of, before anything is written or started; the stack frees it.

    Raises:
        UsageError: If it cannot be loaded.
    """
    close_at_end(agent, stack)
    if isinstance(agent, SupportsLoad):
        agent.load()


def close_at_end(agent: Agent, stack: contextlib.ExitStack) -> None:
    """Let the stack free what an agent holds."""
    if isinstance(agent, SupportsClose):
        stack.callback(agent.close)


def own_engine(
    config: RunConfig, benchmark: Benchmark, plan: RunPlan, agent: Agent, environment: Environment, trusted: bool
) -> Engine:
    """Return the engine that a run needs: with what its code imports imported beforehand."""
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


def identify_run(config: RunConfig, benchmark: Benchmark, plan: RunPlan, agent: Agent, engine: Engine) -> RunIdentity:
    """Return everything that may change a verdict of a run."""
    place = RunPlace(
        environment=engine.environment.label,
        sandbox=engine.sandbox_name,
        engine=engine.isolation.value if engine.isolation is not None else EngineChoice.AUTO.value,
        rng_seed=engine.rng_seed,
    )
    return identity_at(place, config, benchmark, agent.describe(), identify_sets(plan.sets))


class RunPlace(NamedTuple):
    """Where a run executes, as its identity names it."""

    environment: str
    sandbox: str
    engine: str
    rng_seed: int


def identity_at(
    place: RunPlace, config: RunConfig, benchmark: Benchmark, card: AgentCard, sets: tuple[SetIdentity, ...]
) -> RunIdentity:
    """Return the identity of a run at a place, which need not be there yet."""
    return RunIdentity(
        benchmark=benchmark.name,
        version=benchmark.version,
        environment=place.environment,
        sandbox=place.sandbox,
        agent=card.name,
        agent_version=card.version,
        policies=config.policies,
        rules=config.rules or benchmark.rules,
        scoring_version=str(SCORING_VERSION),
        rng_seed=place.rng_seed,
        engine=place.engine,
        limit=config.limit,
        sets=sets,
        epochs=config.epochs,
        max_attempts=config.max_attempts,
        mode=config.mode,
        judge=config.judge,
        executions=config.executions,
        agent_process=process_text(config),
    )
