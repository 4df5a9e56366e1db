"""The runs of an experiment: each benchmark with each agent under each policy, all of it checked before one starts."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Final

from evaluator.agents import Agent, SupportsClose
from evaluator.errors import UsageError
from evaluator.experiments.experiment_file import (
    AgentEntry,
    BadExperimentError,
    BenchmarkEntry,
    Experiment,
    PolicyEntry,
)
from evaluator.families import qwen
from evaluator.families.live_run import rules_of_run
from evaluator.language import Benchmark, read_benchmark
from evaluator.models import Budget, ModelClient, ModelSettings
from evaluator.running import ROUNDS, FamilyRules, Mode, RunConfig, agent_of_run, policies_of
from evaluator.running.plan import identify_sets, plan_run
from evaluator.running.run_manifest import RunIdentity, SetIdentity
from evaluator.session import SandboxChoice

MOST_RUNS: Final = 10_000
"""An experiment of more runs is refused whatever is agreed to."""
_TITLE_CHARS: Final = 80
Clients = Callable[[ModelSettings], ModelClient]


@dataclass(frozen=True)
class PlannedRun:
    """One run of an experiment."""

    benchmark: BenchmarkEntry
    agent: AgentEntry
    policy: PolicyEntry
    config: RunConfig
    problems: int  # that it asks, in all epochs (count)
    found: RunIdentity | None = None  # of the run that its folder holds; None: it holds none, or was not looked at
    other: str = ""  # in what that is another run, in words; empty: it is this one

    @property
    def titles(self) -> tuple[str, str, str]:
        """What tables call its benchmark, agent and policy."""
        return self.benchmark.title, self.agent.title, title_of(self.policy)


@dataclass(frozen=True)
class PlannedBenchmark:
    """A benchmark of an experiment, and the runs on it: all share what its references leave."""

    content: Benchmark
    runs: tuple[PlannedRun, ...]

    @cached_property
    def sets(self) -> tuple[SetIdentity, ...]:
        """The problemsets, the same for all runs, as their identities name them; all data is read for that, once."""
        config = self.runs[0].config
        return identify_sets(plan_run(self.content, names=config.sets, limit=config.limit).sets)

    def family(self, run: PlannedRun) -> FamilyRules | None:
        """Return how problems of a run are asked and scored, where they are of a family.

        Raises:
            UsageError: If its mode is not one of the benchmark's family, or that of Qwen and it is of none.
        """
        family = self.content.manifest.extra.get("family")
        if run.config.mode == Mode.QWEN and family != qwen.FAMILY:
            title = run.titles[0]
            what = f"the mode 'qwen' scores records of the Qwen benchmark, and {title!r} is no benchmark of that family"
            fix = "leave the policy out, or run it on such a benchmark: qwen-mini, or one of 'benchwright import qwen'"
            raise UsageError(what, where="policies", fix=fix)
        return rules_of_run(self.content, mode=run.config.mode, rules=run.config.rules)


def title_of(policy: PolicyEntry) -> str:
    """Return what tables call a policy."""
    if policy.label:
        return policy.label
    attempts = f", {policy.max_attempts} attempts" if (policy.max_attempts or 1) > 1 else ""
    return (policy.mode.value if policy.mode is not None else policy.policies.to_text()) + attempts


def plan_experiment(
    experiment: Experiment, *, out: Path | None = None, sandbox: SandboxChoice = SandboxChoice.AUTO
) -> tuple[PlannedBenchmark, ...]:
    """Return the runs of an experiment, grouped by benchmark; nothing is started or written.

    Args:
        experiment: As its file says it.
        out: Where the runs lie, each in a folder of its own; None: as the file says.
        sandbox: Where code runs.

    Raises:
        UsageError: If there is no such benchmark or problemset, or there are too many runs.
        ContentError: If a benchmark's manifest is broken, or two entries have one title.
    """
    runs_in_all = len(experiment.benchmarks) * len(experiment.agents) * len(experiment.policies)
    if runs_in_all > MOST_RUNS:
        what = f"the experiment has {runs_in_all:,} runs; at most {MOST_RUNS:,} are planned"
        raise UsageError(what, where=experiment.name, fix="leave out agents, benchmarks or policies")
    root = out or output_folder(experiment)
    benchmarks = _folders("benchmarks", [each.title for each in experiment.benchmarks])
    agents = _folders("agents", [each.title for each in experiment.agents])
    policies = _folders("policies", [title_of(each) for each in experiment.policies])
    planned = []
    contents = _read_all(experiment.benchmarks)
    for entry, place, content in zip(experiment.benchmarks, benchmarks, contents, strict=True):
        problems = plan_run(content, names=entry.sets, limit=entry.limit).total * experiment.epochs
        runs = tuple(
            PlannedRun(
                entry,
                agent,
                policy,
                _config(experiment, entry, agent, policy, root / place / agent_place / policy_place, sandbox),
                problems,
            )
            for agent, agent_place in zip(experiment.agents, agents, strict=True)
            for policy, policy_place in zip(experiment.policies, policies, strict=True)
        )
        planned.append(PlannedBenchmark(content, runs))
    return tuple(planned)


def output_folder(experiment: Experiment) -> Path:
    """Return the folder in which the runs of an experiment are to lie, as its file says or by its name."""
    return experiment.out or Path("runs") / _slug(experiment.name)


def experiment_folder(planned: Sequence[PlannedBenchmark]) -> Path:
    """Return the folder in which all runs of an experiment lie."""
    return planned[0].runs[0].config.out.parents[2]


def _read_all(entries: Sequence[BenchmarkEntry]) -> list[Benchmark]:
    """Return the benchmarks of an experiment.

    Raises:
        UsageError: If some are not there; all of them are told together, with what gets them.
    """
    found: list[Benchmark] = []
    missing: list[tuple[BenchmarkEntry, UsageError]] = []
    for entry in entries:
        try:
            found.append(read_benchmark(Path(entry.benchmark)))
        except UsageError as error:
            missing.append((entry, error))
    if not missing:
        return found
    if len(missing) == 1 and not missing[0][0].needs:
        raise missing[0][1]
    ways: dict[str, list[str]] = {}
    for entry, fault in missing:
        ways.setdefault(entry.needs or fault.fix, []).append(entry.benchmark)
    told = [way if len(ways) == 1 else f"{', '.join(names)}: {way}" for way, names in ways.items()]
    what = "; ".join(fault.what for _, fault in missing)
    raise UsageError(what, where="benchmarks", fix="; ".join(told))


def _config(
    experiment: Experiment,
    entry: BenchmarkEntry,
    agent: AgentEntry,
    policy: PolicyEntry,
    out: Path,
    sandbox: SandboxChoice,
) -> RunConfig:
    usual = ROUNDS if policy.mode is not None else 1
    return RunConfig(
        Path(entry.benchmark),
        agent.text,
        out,
        experiment.workers,
        entry.limit,
        entry.sets,
        sandbox,
        experiment.rng_seed,
        experiment.engine,
        rules=entry.rules,
        environment=experiment.environment,
        policies=policy.policies if policy.mode is None else policies_of(policy.mode),
        max_attempts=policy.max_attempts if policy.max_attempts is not None else usual,
        mode=policy.mode.value if policy.mode is not None else "",
        judge=experiment.judge,
        epochs=experiment.epochs,
        agent_timeout_s=agent.timeout_s,
        executions=agent.executions,
        agent_environment=agent.environment,
        agent_network=agent.network,
        agent_model=agent.model,
        agent_calls=agent.calls,
        agent_tokens=agent.tokens,
        agent_folder=agent.folder,
        agent_variables=agent.variables,
        concurrency=experiment.concurrency,
    )


def _folders(part: str, titles: list[str]) -> list[str]:
    """Return a folder's name for each title.

    Raises:
        BadExperimentError: If two titles are the same.
    """
    for title in titles:
        if titles.count(title) > 1:
            fix = "give one of them another 'label'"
            raise BadExperimentError(f"two entries are called {title!r}", where=part, fix=fix)
    folders: list[str] = []
    for slug in map(_slug, titles):  # the first keeps its name, so that entries added later move no run
        numbered = (f"{slug}-{number}" for number in count(2))
        folders.append(slug if slug not in folders else next(name for name in numbered if name not in folders))
    return folders


def _slug(title: str) -> str:
    """Return what a folder may be called after a title; never with an underscore at its ends."""
    words = re.sub(r"[^A-Za-z0-9._=-]+", "-", title).strip("-._")[:_TITLE_CHARS].strip("-._")
    return words or "unnamed"


def made_agents(
    planned: PlannedBenchmark,
    purse: Budget | None = None,
    clients: Callable[[PlannedRun], Clients | None] = lambda _: None,
    *,
    has_log: bool = True,
) -> list[Agent]:
    """Return the agents of all runs on a benchmark, each its own; they are to be closed where they can be.

    Args:
        planned: The runs.
        purse: What models may take.
        clients: Gives what makes the clients of a run's agent; None: those that ask.
        has_log: As `agent_of_run` takes it.

    Raises:
        UsageError: If there is no such agent, option, environment or command, or a mode does not fit.
        ContentError: If a file that an agent names is broken.
        ToolkitError: If a model is asked, and there is no key.
    """
    agents: list[Agent] = []
    try:
        for run in planned.runs:
            planned.family(run)
            agents.append(agent_of_run(run.config, purse, clients(run), has_log=has_log))
    except BaseException:
        close_agents(agents)
        raise
    return agents


def close_agents(agents: list[Agent]) -> None:
    """End the processes of agents that have some."""
    for agent in agents:
        if isinstance(agent, SupportsClose):
            agent.close()
