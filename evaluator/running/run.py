"""Runs one agent on one benchmark: plan, engine, workers, records; stops and resumes at any instant."""

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from evaluator.agents import Agent, AgentCard, ReplayAgent, SupportsClose, SupportsLoad
from evaluator.diagnostics import Diagnostic
from evaluator.environments import choose_environment
from evaluator.errors import UsageError
from evaluator.language import Benchmark, read_benchmark
from evaluator.records import Record
from evaluator.running.attempt_details import DETAILS, DetailsFile, OutputsKept, details_of
from evaluator.running.config import MAX_AGENT_TIMEOUT_S, MAX_CONCURRENCY, EventKind, RunConfig, RunEvent, RunSummary
from evaluator.running.execution.asking_ahead import AskingPool, are_answered, ask_ahead
from evaluator.running.execution.executed_cell import Conditions, Contender, ExecutedCell, asked_of_any
from evaluator.running.execution.policies import FeedbackPart
from evaluator.running.execution.problem_attempts import AttemptResult
from evaluator.running.execution.problemset_scoring import score_problemset
from evaluator.running.family_rules import FamilyRules
from evaluator.running.isolation import isolation_of_run, kernels_to_preload
from evaluator.running.machine import measure_time_scale, usable_cores
from evaluator.running.plan import PlannedSet, RunPlan, identify_sets, modules_to_preload, plan_run
from evaluator.running.pool import Ahead, run_parallel_ahead
from evaluator.running.redacted import redacted_details, redacted_record, redactor_of, restored_answers
from evaluator.running.run_agent import agent_of_run, process_text
from evaluator.running.run_folder import RunFolder
from evaluator.running.run_manifest import RefusedSet, RunIdentity, SetIdentity
from evaluator.running.tally import ProblemKey, Tally
from evaluator.scoring import SCORING_VERSION, Verdict, why_withheld
from evaluator.scoring.grading import FigureJudge
from evaluator.session import Engine, EngineChoice, Environment


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
        on_stop = used.close if engine is None else (lambda: None)
        tell = on_event or (lambda _event: None)
        executor = RunExecutor(config, plan, agent, used, folder, identity, tell, family, figure_judge)
        return executor.run(on_stop)


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


def refuse_bad_numbers(config: RunConfig) -> None:
    """Refuse counts and times that no run can have.

    Raises:
        UsageError: If there is one.
    """
    for name in ("workers", "concurrency", "limit", "max_attempts", "epochs"):
        value = getattr(config, name)
        if value is not None and value < 1:
            option = name.replace("_", "-")
            raise UsageError(f"{option} is {value}, but must be at least 1", fix=f"use --{option} 1 or more")
    if config.concurrency > MAX_CONCURRENCY:
        what = f"concurrency is {config.concurrency:,}, but must be at most {MAX_CONCURRENCY:,}"
        raise UsageError(what, fix="use --concurrency 32: each request that waits is a connection and a thread")
    if config.executions < 0:
        raise UsageError(f"executions is {config.executions}, but must be at least 0", fix="use --executions 20")
    if not 0 < config.agent_timeout_s <= MAX_AGENT_TIMEOUT_S:
        bounds = f"more than 0 and at most {MAX_AGENT_TIMEOUT_S:,.0f} seconds"
        what = f"agent-timeout is {config.agent_timeout_s:g}, but must be {bounds}"
        raise UsageError(what, fix="use --agent-timeout 600")
    if not 0 <= config.rng_seed < 2**32:
        raise UsageError(f"rng_seed is {config.rng_seed}, out of 0..4294967295", fix="use a number in that range")


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


REASON_CHARS = 500
"""Of a record's `extended_verdict`; the whole reason stands in its `validation`."""


class RunExecutor:
    """One run under way. Workers call `_ask` and `_score`; whatever they share is guarded by one lock."""

    def __init__(
        self,
        config: RunConfig,
        plan: RunPlan,
        agent: Agent,
        engine: Engine,
        folder: RunFolder,
        identity: RunIdentity,
        on_event: Callable[[RunEvent], None],
        family: FamilyRules | None = None,
        figure_judge: FigureJudge | None = None,
    ) -> None:
        self._family = family
        self._figure_judge = figure_judge
        self._redactor = redactor_of(config)
        self._config = config
        self._plan = plan
        self._agent = agent
        self._engine = engine
        self._folder = folder
        self._identity = identity
        self._on_event = on_event
        self._lock = threading.Lock()
        self._refused = {entry.problemset: entry for entry in plan.refused}
        self._tally = Tally()
        self._resumed = 0
        self._details: DetailsFile | None = None
        self._time_scale = measure_time_scale()

    def run(self, on_stop: Callable[[], None]) -> RunSummary:
        """Judge what is missing and return the summary of everything."""
        self.begin()
        try:
            self._run_sets(on_stop)
        except KeyboardInterrupt as error:
            said = f"interrupted: {self._tally.total} of {self._total} problems are judged and kept"
            raise KeyboardInterrupt(said) from error
        finally:
            self.close()
        return self.end()

    def _run_sets(self, on_stop: Callable[[], None]) -> None:
        """Judge each problemset when all that the agent may be asked about it ahead is answered."""
        with contextlib.closing(AskingPool(self._config.concurrency)) as pool:
            run_parallel_ahead(
                self._passes(),
                Ahead(partial(self._ask, pool), are_answered, lambda: pool.has_room, pool.changed),
                self._score,
                workers=self._config.workers,
                on_stop=on_stop,
            )

    def begin(self) -> None:
        """Write the manifest, and find out what an earlier, stopped run has judged.

        Raises:
            ContentError: If the folder holds another run.
        """
        source = str(self._config.benchmark)
        self._tally = self._folder.begin(self._identity, source=source, time_scale=self._time_scale)
        self._resumed = self._tally.total
        if self._config.outputs is not OutputsKept.NONE:
            self._details = DetailsFile.open(self._folder.root / DETAILS)
        self._on_event(self._event(EventKind.STARTED))
        for entry in self._plan.refused:
            self._tell_refused(entry)

    def close(self) -> None:
        """End what is written beside the records."""
        if self._details is not None:
            self._details.close()

    def end(self) -> RunSummary:
        """Write what was refused, and return the summary of everything."""
        source, refused = str(self._config.benchmark), self._refused_in_order()
        self._folder.write_manifest(self._identity, source=source, refused=refused, time_scale=self._time_scale)
        return self._summary()

    def contender(self, planned: PlannedSet, epoch: int) -> Contender | None:
        """Return its agent, under its policies, as one of several that are asked on the same references.

        It is asked what has no verdict yet in an epoch (from 1), and goes on from what it answered to the rest.

        Returns:
            None where nothing lacks a verdict.
        """
        name = planned.loaded.name
        with self._lock:
            missing = frozenset(self._tally.missing(name, epoch, planned.problems))
        if not missing:
            return None
        conditions = self.conditions(epoch, name)
        needs_answers = conditions.policies.needs_own_code and len(missing) < planned.problems
        return Contender(
            *(self._agent, conditions.policies, conditions.max_attempts, conditions.rounds),
            wording=conditions.wording,
            recorded=conditions.recorded,
            asks=missing.__contains__,
            answered=restored_answers(self._folder.answers(name, epoch), self._redactor) if needs_answers else {},
        )

    def refuse(self, name: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Remember why a set was refused from some problem on, and tell it once."""
        refused = RefusedSet(name, diagnostics)
        with self._lock:
            is_news = name not in self._refused  # an epoch before may have said so
            self._refused[name] = refused
            if is_news:
                self._tell_refused(refused)

    @property
    def judged(self) -> int:
        """Problems that have a verdict (count)."""
        return self._tally.total

    @property
    def _total(self) -> int:
        return self._plan.total * self._config.epochs

    def _passes(self) -> Iterator[tuple[int, PlannedSet]]:
        """Yield every problemset of the first epoch, then of the next."""
        for epoch in range(1, self._config.epochs + 1):
            for planned in self._plan.sets:
                yield epoch, planned

    def _ask(self, pool: AskingPool, item: tuple[int, PlannedSet], stopped: Callable[[], bool]) -> list[Contender]:
        """Ask the agent what it may be asked before a set of an epoch is judged; nobody where nothing is missing."""
        epoch, planned = item
        contender = self.contender(planned, epoch)
        if contender is None:
            return []
        return ask_ahead(
            self._engine,
            planned.loaded,
            [contender],
            pool,
            wanted=asked_of_any([contender], planned.problems),
            conditions=self.conditions(epoch, planned.loaded.name),
            cancelled=stopped,
        )

    def _score(self, item: tuple[int, PlannedSet], contenders: list[Contender], stopped: Callable[[], bool]) -> None:
        epoch, planned = item
        name = planned.loaded.name
        if not contenders:
            return
        identity = self.identity_of(name)
        diagnostics = score_problemset(
            self._engine,
            planned.loaded,
            contenders,
            wanted=asked_of_any(contenders, planned.problems),
            conditions=self.conditions(epoch, name),
            on_scored=lambda scored: self.keep(scored, identity),
            cancelled=stopped,
        )
        if diagnostics:
            self.refuse(name, diagnostics)

    def conditions(self, epoch: int, name: str) -> Conditions:
        """Return the conditions under which a set is executed."""
        conditions = self.usual_conditions(epoch)
        if self._family is None:
            return conditions
        return replace(
            conditions,
            wording=partial(self._family.wording, name),
            recorded=partial(self._family.recorded, name),
            rounds=partial(self._family.rounds, name),
        )

    def usual_conditions(self, epoch: int) -> Conditions:
        """Return the conditions of a set of no family."""
        return Conditions(
            figure_judge=self._figure_judge,
            has_spare_core=self._config.workers < usable_cores(),
            rules=self._identity.rules,
            policies=self._config.policies,
            max_attempts=self._config.max_attempts,
            executions=self._config.executions,
            epoch=epoch,
            rng_seed=seed_of_epoch(self._identity.rng_seed, epoch),
            time_scale=self._time_scale,
            renders=self.renders,
        )

    @property
    def renders(self) -> bool:
        """Whether anybody looks at what cells' last values look like."""
        asks = FeedbackPart.OUTPUT in self._config.policies.feedback or self._config.outputs is OutputsKept.SHOWN
        return asks or self._agent.describe().history

    def identity_of(self, name: str) -> SetIdentity:
        """Return what fixes a set of this run."""
        return next(entry for entry in self._identity.sets if entry.name == name)

    def keep(self, scored: ExecutedCell, identity: SetIdentity) -> None:
        """Write the records of a problem that was asked, and tell of it."""
        records = [self._record(scored, attempted, identity) for attempted in scored.attempts]
        records[-1] = replace(records[-1], family=self._told(scored))
        records = [redacted_record(each, self._redactor) for each in records]
        verdict = records[-1].verdict
        details = [redacted_details(details_of(made), self._redactor) for made in scored.attempts]
        kept = [(record.key, each) for record, each in zip(records, details, strict=True)]
        with self._lock:
            if self._details is not None:  # before the records: what has a record has its outputs
                self._details.append(kept)
            self._folder.append(*records)
            self._tally.add(ProblemKey(scored.problemset, scored.index, scored.epoch), verdict)
            event = self._event(EventKind.JUDGED, scored.problemset)
            self._on_event(replace(event, index=scored.index, epoch=scored.epoch, verdict=verdict))

    def _asked(self, scored: ExecutedCell) -> str:
        """Return the query as the agent was asked it: a replay finds its record by it."""
        family = self._family
        return scored.problem.query if family is None else family.wording(scored.problemset, scored.problem)

    def _told(self, scored: ExecutedCell) -> Mapping[str, Any]:
        return {} if self._family is None else self._family.told(self._engine, scored)

    def _record(self, scored: ExecutedCell, attempted: AttemptResult, identity: SetIdentity) -> Record:
        submission, judged, outcome = attempted.submission, attempted.judged, attempted.outcome
        return Record(
            benchmark=self._identity.benchmark,
            version=self._identity.version,
            problemset=scored.problemset,
            index=scored.index,
            attempt=attempted.attempt,
            verdict=judged.verdict.value,
            subverdict=judged.subverdict.value,
            extended_verdict=judged.reason[:REASON_CHARS],
            question=self._asked(scored),
            agent_exception=submission.error.message if submission.error is not None else None,
            validation=judged.validation,
            code=submission.code,
            agent_stats=dict(submission.usage),
            epoch=scored.epoch,
            seconds=round(outcome.seconds, 6) if outcome is not None else None,
            environment=self._identity.environment,
            sandbox=self._identity.sandbox,
            ending=outcome.ending.value if outcome is not None else "",
            limits_hit=outcome.limits_hit if outcome is not None else (),
            engine=outcome.engine if outcome is not None else "",
            marks=outcome.marks if outcome is not None else (),
            scoring_version=self._identity.scoring_version,
            digests={"problemset": identity.digest, "inputs": identity.inputs_digest},
            is_last=attempted.is_last,
            state_after=attempted.state_after,
            agent_isolation=self._agent.describe().isolation,
            answer=submission.answer,
            labels=submission.labels,
        )

    def _tell_refused(self, refused: RefusedSet) -> None:
        event = self._event(EventKind.REFUSED, refused.problemset)
        self._on_event(replace(event, diagnostics=refused.diagnostics))

    def _event(self, kind: EventKind, problemset: str = "") -> RunEvent:
        return RunEvent(kind, self._tally.total, self._total, problemset)

    def _refused_in_order(self) -> tuple[RefusedSet, ...]:
        return tuple(self._refused[name] for name in sorted(self._refused))

    def _summary(self) -> RunSummary:
        counts = self._tally.counts
        not_judged = counts.get(Verdict.NOT_JUDGED.value, 0)
        judged = self._tally.total - not_judged
        refused = self._refused_in_order()
        return RunSummary(
            out=self._config.out,
            benchmark=self._identity.benchmark,
            version=self._identity.version,
            agent=self._identity.agent,
            total=self._total,
            judged=judged,
            not_judged=not_judged,
            resumed=self._resumed,
            counts=counts,
            pass_rate=counts.get(Verdict.CORRECT.value, 0) / judged if judged and not not_judged else None,
            rates_withheld=why_withheld(not_judged),
            refused=tuple(entry.problemset for entry in refused),
            diagnostics=tuple(diagnostic for entry in refused for diagnostic in entry.diagnostics),
            notes=self._agent.describe().notes,
        )


def seed_of_epoch(rng_seed: int, epoch: int) -> int:
    """Return where the random states of an epoch start: epoch 1 is the run's own seed, the others derive from it."""
    if epoch == 1:
        return rng_seed
    return int.from_bytes(hashlib.sha256(f"{rng_seed}:epoch:{epoch}".encode()).digest()[:4], "little")
