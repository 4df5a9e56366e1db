"""Runs one agent on one benchmark: plan, engine, workers, records; stops and resumes at any instant."""

import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace

from evaluator.agents import Agent, ReplayAgent, parse_agent
from evaluator.environments import choose_environment
from evaluator.errors import UsageError
from evaluator.language import Benchmark, read_benchmark
from evaluator.records import AttemptKey, Record
from evaluator.running.config import EventKind, RunConfig, RunEvent, RunSummary
from evaluator.running.folder import RunFolder
from evaluator.running.manifest import Policies, RefusedSet, RunIdentity, SetIdentity
from evaluator.running.plan import PlannedSet, RunPlan, identify_sets, modules_to_preload, plan_run
from evaluator.running.pool import work_off
from evaluator.running.problemset_run import Attempted, ScoredProblem, score_problemset
from evaluator.scoring import SCORING_VERSION, Verdict, pass_rate
from evaluator.session import Engine, Environment

REASON_CHARS = 500
"""Of a record's `extended_verdict`; the whole reason stands in its `validation`."""


def run_benchmark(
    config: RunConfig,
    *,
    on_event: Callable[[RunEvent], None] | None = None,
    trusted: bool = False,
    engine: Engine | None = None,
) -> RunSummary:
    """Run an agent on a benchmark and keep records; resume if the folder holds a stopped run of the same config.

    Args:
        config: What to run.
        on_event: Told what happens, from any thread, one event at a time.
        trusted: The benchmark is our own shipped code: it may run without a sandbox where there is none.
        engine: Used instead of a new one; then its environment, its sandbox, its rng_seed and what it preloads count,
            not the config's.

    Raises:
        UsageError: If the benchmark, the agent or a problemset's name does not exist, or a number is out of bounds.
        ContentError: If the manifest or a replay file is broken, the manifest names an environment that is not here, or
            the folder holds another run.
        ToolkitError: If there is no sandbox, or records cannot be written.
        KeyboardInterrupt: After Ctrl-C, once the records are safe; its text says how to go on.
    """
    _refuse_bad_numbers(config)
    agent = parse_agent(config.agent, allow_mismatch=config.allow_mismatch)
    benchmark = read_benchmark(config.benchmark)
    plan = plan_run(benchmark, names=config.sets, limit=config.limit)
    environment = choose_environment(config.environment, benchmark) if engine is None else engine.environment
    folder = RunFolder.claim(config.out)
    try:
        with contextlib.ExitStack() as stack:
            used = engine or stack.enter_context(_own_engine(config, plan, agent, environment, trusted))
            used.warm_up()
            identity = _identify(config, benchmark, plan, agent, used)
            on_stop = used.close if engine is None else (lambda: None)
            run = _Run(config, plan, agent, used, folder, identity, on_event or (lambda _event: None))
            return run.finish(on_stop)
    finally:
        folder.close()


def _own_engine(config: RunConfig, plan: RunPlan, agent: Agent, environment: Environment, trusted: bool) -> Engine:
    recorded = agent.recorded_code() if isinstance(agent, ReplayAgent) else ()
    return Engine(
        sandbox=config.sandbox,
        rng_seed=config.rng_seed,
        comparators=min(config.workers, max(1, len(plan.sets))),
        preload=modules_to_preload((each.problemset for each in plan.sets), environment, more=recorded),
        environment=environment,
        trusted=trusted,
    )


def _refuse_bad_numbers(config: RunConfig) -> None:
    for name, value in (("workers", config.workers), ("limit", config.limit)):
        if value is not None and value < 1:
            raise UsageError(f"{name} is {value}, but must be at least 1", fix=f"use --{name} 1 or more")
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
        policies=Policies(),
        rules=config.rules or benchmark.rules,
        scoring_version=str(SCORING_VERSION),
        rng_seed=engine.rng_seed,
        limit=config.limit,
        sets=identify_sets(plan.sets),
    )


class _Run:
    """One run under way. Workers call `_score_set`; whatever they share is guarded by one lock."""

    def __init__(
        self,
        config: RunConfig,
        plan: RunPlan,
        agent: Agent,
        engine: Engine,
        folder: RunFolder,
        identity: RunIdentity,
        on_event: Callable[[RunEvent], None],
    ) -> None:
        self._config = config
        self._plan = plan
        self._agent = agent
        self._engine = engine
        self._folder = folder
        self._identity = identity
        self._on_event = on_event
        self._lock = threading.Lock()
        self._refused = {entry.problemset: entry for entry in plan.refused}
        self._records: dict[AttemptKey, Record] = {}
        self._resumed = 0

    def finish(self, on_stop: Callable[[], None]) -> RunSummary:
        """Judge what is missing and return the summary of everything."""
        source = str(self._config.benchmark)
        self._records = self._folder.begin(self._identity, source=source)
        self._resumed = len(self._records)
        self._tell(EventKind.STARTED)
        for entry in self._plan.refused:
            self._tell(EventKind.REFUSED, problemset=entry.problemset, refused=entry)
        try:
            work_off(self._plan.sets, self._score_set, workers=self._config.workers, on_stop=on_stop)
        except KeyboardInterrupt as error:
            said = f"interrupted: {len(self._records)} of {self._plan.total} problems are judged and kept"
            raise KeyboardInterrupt(said) from error
        self._folder.write_manifest(self._identity, source=source, refused=self._refused_in_order())
        return self._summary()

    def _score_set(self, planned: PlannedSet, stopped: Callable[[], bool]) -> None:
        name = planned.loaded.name
        wanted = [i for i in range(1, planned.problems + 1) if AttemptKey(name, i) not in self._records]
        if not wanted:
            return
        identity = next(entry for entry in self._identity.sets if entry.name == name)
        diagnostics = score_problemset(
            self._engine,
            planned.loaded,
            (self._agent,),
            wanted=wanted,
            rules=self._identity.rules,
            on_scored=lambda scored: self._keep(scored, identity),
            cancelled=stopped,
        )
        if diagnostics:
            refused = RefusedSet(name, diagnostics)
            with self._lock:
                self._refused[name] = refused
                self._tell(EventKind.REFUSED, problemset=name, refused=refused)

    def _keep(self, scored: ScoredProblem, identity: SetIdentity) -> None:
        (attempted,) = scored.attempts
        record = self._record(scored, attempted, identity)
        with self._lock:
            self._folder.append(record)
            self._records[record.key] = record
            self._tell(EventKind.JUDGED, problemset=scored.problemset, index=scored.index, verdict=record.verdict)

    def _record(self, scored: ScoredProblem, attempted: Attempted, identity: SetIdentity) -> Record:
        submission, judged, outcome = attempted.submission, attempted.judged, attempted.outcome
        return Record(
            benchmark=self._identity.benchmark,
            version=self._identity.version,
            problemset=scored.problemset,
            index=scored.index,
            attempt=1,
            verdict=judged.verdict.value,
            subverdict=judged.subverdict.value,
            extended_verdict=judged.reason[:REASON_CHARS],
            question=scored.problem.query,
            agent_exception=submission.error.message if submission.error is not None else None,
            validation=judged.validation,
            code=submission.code,
            agent_stats=dict(submission.usage),
            seconds=round(outcome.seconds, 6) if outcome is not None else None,
            environment=self._identity.environment,
            sandbox=self._identity.sandbox,
            ending=outcome.ending.value if outcome is not None else "",
            limits_hit=outcome.limits_hit if outcome is not None else (),
            marks=outcome.marks if outcome is not None else (),
            scoring_version=self._identity.scoring_version,
            digests={"problemset": identity.digest, "inputs": identity.inputs_digest},
        )

    def _tell(
        self,
        kind: EventKind,
        *,
        problemset: str = "",
        index: int = 0,
        verdict: str = "",
        refused: RefusedSet | None = None,
    ) -> None:
        event = RunEvent(kind, len(self._records), self._plan.total, problemset, index, verdict)
        self._on_event(replace(event, diagnostics=refused.diagnostics) if refused is not None else event)

    def _refused_in_order(self) -> tuple[RefusedSet, ...]:
        return tuple(self._refused[name] for name in sorted(self._refused))

    def _summary(self) -> RunSummary:
        verdicts = [record.verdict for record in self._records.values()]
        counts = {name: verdicts.count(name) for name in sorted(set(verdicts))}
        not_judged = counts.get(Verdict.NOT_JUDGED.value, 0)
        refused = self._refused_in_order()
        return RunSummary(
            out=self._config.out,
            benchmark=self._identity.benchmark,
            version=self._identity.version,
            agent=self._identity.agent,
            total=self._plan.total,
            judged=len(verdicts) - not_judged,
            not_judged=not_judged,
            resumed=self._resumed,
            counts=counts,
            pass_rate=pass_rate(list(self._records.values())),
            refused=tuple(entry.problemset for entry in refused),
            diagnostics=tuple(diagnostic for entry in refused for diagnostic in entry.diagnostics),
            notes=self._agent.describe().notes,
        )
