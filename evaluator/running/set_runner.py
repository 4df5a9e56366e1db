"""What of a run is bound to an engine: it asks the agent about a problemset, executes it, and makes its records."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final

from evaluator.agents import Agent
from evaluator.agents.process.redaction import Redactor
from evaluator.diagnostics import Diagnostic
from evaluator.records import Record
from evaluator.running.attempt_details import OutputsKept, details_of
from evaluator.running.config import RunConfig
from evaluator.running.execution.asking_ahead import AskingPool, ask_ahead
from evaluator.running.execution.candidate import PriorAnswer
from evaluator.running.execution.executed_cell import Conditions, Contender, ExecutedCell, asked_of_any
from evaluator.running.execution.policies import FeedbackPart
from evaluator.running.execution.problem_attempts import AttemptResult
from evaluator.running.execution.problemset_scoring import score_problemset
from evaluator.running.family_rules import FamilyRules
from evaluator.running.plan import PlannedSet
from evaluator.running.redacted import redacted_details, redacted_record, redactor_of, restored_answers
from evaluator.running.run_keeper import JudgedProblem
from evaluator.running.run_manifest import RunIdentity, SetIdentity
from evaluator.running.tally import ProblemKey
from evaluator.scoring.grading import FigureJudge
from evaluator.session import Engine

REASON_CHARS: Final = 500
"""Of a record's `extended_verdict`; the whole reason stands in its `validation`."""


@dataclass(frozen=True)
class SetRunner:
    """Runs problemsets for one agent on one engine; it keeps nothing, and several threads may use it."""

    config: RunConfig
    identity: RunIdentity
    agent: Agent
    engine: Engine
    time_scale: float  # how many times slower than the nominal machine this one is
    has_spare_core: bool = False  # whether a reference may run beside an agent's code
    family: FamilyRules | None = None
    figure_judge: FigureJudge | None = None
    _redactor: Redactor = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_redactor", redactor_of(self.config))

    def contender(
        self, planned: PlannedSet, epoch: int, missing: frozenset[int], answered: Mapping[int, PriorAnswer]
    ) -> Contender:
        """Return its agent, under its policies, as one of several that are asked on the same references.

        Args:
            planned: The problemset.
            epoch: From 1.
            missing: What it is asked: the problems (from 1) that have no verdict.
            answered: What it answered to the others, as it is kept.
        """
        conditions = self.conditions(epoch, planned.loaded.name)
        return Contender(
            *(self.agent, conditions.policies, conditions.max_attempts, conditions.rounds),
            wording=conditions.wording,
            recorded=conditions.recorded,
            asks=missing.__contains__,
            answered=restored_answers(answered, self._redactor),
        )

    def ask(
        self,
        pool: AskingPool,
        planned: PlannedSet,
        epoch: int,
        contender: Contender,
        *,
        cancelled: Callable[[], bool],
    ) -> list[Contender]:
        """Ask the agent what it may be asked before a set of an epoch is judged."""
        return ask_ahead(
            self.engine,
            planned.loaded,
            [contender],
            pool,
            wanted=asked_of_any([contender], planned.problems),
            conditions=self.conditions(epoch, planned.loaded.name),
            cancelled=cancelled,
        )

    def score(
        self,
        planned: PlannedSet,
        epoch: int,
        contenders: list[Contender],
        *,
        on_judged: Callable[[JudgedProblem], None],
        cancelled: Callable[[], bool],
    ) -> tuple[Diagnostic, ...]:
        """Execute a set of an epoch, and tell of each problem that was asked; return why the set is refused, if it is.

        Raises:
            ToolkitError: If an agent's recording or the machine is at fault.
        """
        name = planned.loaded.name
        return score_problemset(
            self.engine,
            planned.loaded,
            contenders,
            wanted=asked_of_any(contenders, planned.problems),
            conditions=self.conditions(epoch, name),
            on_scored=lambda scored: on_judged(self.judged(scored)),
            cancelled=cancelled,
        )

    def conditions(self, epoch: int, name: str) -> Conditions:
        """Return the conditions under which a set is executed."""
        conditions = self.usual_conditions(epoch)
        if self.family is None:
            return conditions
        return replace(
            conditions,
            wording=partial(self.family.wording, name),
            recorded=partial(self.family.recorded, name),
            rounds=partial(self.family.rounds, name),
        )

    def usual_conditions(self, epoch: int) -> Conditions:
        """Return the conditions of a set of no family."""
        return Conditions(
            figure_judge=self.figure_judge,
            has_spare_core=self.has_spare_core,
            rules=self.identity.rules,
            policies=self.config.policies,
            max_attempts=self.config.max_attempts,
            executions=self.config.executions,
            epoch=epoch,
            rng_seed=seed_of_epoch(self.identity.rng_seed, epoch),
            time_scale=self.time_scale,
            renders=self.renders,
        )

    @cached_property
    def renders(self) -> bool:
        """Whether anybody looks at what cells' last values look like."""
        asks = FeedbackPart.OUTPUT in self.config.policies.feedback or self.config.outputs is OutputsKept.SHOWN
        return asks or self.agent.describe().history

    @cached_property
    def _isolation(self) -> str:
        return self.agent.describe().isolation

    @cached_property
    def _sets(self) -> Mapping[str, SetIdentity]:
        return {entry.name: entry for entry in self.identity.sets}

    def judged(self, scored: ExecutedCell) -> JudgedProblem:
        """Return a problem that was asked as it is kept."""
        identity = self._sets[scored.problemset]
        records = [self._record(scored, attempted, identity) for attempted in scored.attempts]
        records[-1] = replace(records[-1], family=self._told(scored))
        return JudgedProblem(
            ProblemKey(scored.problemset, scored.index, scored.epoch),
            tuple(redacted_record(each, self._redactor) for each in records),
            tuple(redacted_details(details_of(made), self._redactor) for made in scored.attempts),
        )

    def _asked(self, scored: ExecutedCell) -> str:
        """Return the query as the agent was asked it: a replay finds its record by it."""
        family = self.family
        return scored.problem.query if family is None else family.wording(scored.problemset, scored.problem)

    def _told(self, scored: ExecutedCell) -> Mapping[str, Any]:
        return {} if self.family is None else self.family.told(self.engine, scored)

    def _record(self, scored: ExecutedCell, attempted: AttemptResult, identity: SetIdentity) -> Record:
        submission, judged, outcome = attempted.submission, attempted.judged, attempted.outcome
        return Record(
            benchmark=self.identity.benchmark,
            version=self.identity.version,
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
            environment=self.identity.environment,
            sandbox=self.identity.sandbox,
            ending=outcome.ending.value if outcome is not None else "",
            limits_hit=outcome.limits_hit if outcome is not None else (),
            engine=outcome.engine if outcome is not None else "",
            marks=outcome.marks if outcome is not None else (),
            scoring_version=self.identity.scoring_version,
            digests={"problemset": identity.digest, "inputs": identity.inputs_digest},
            is_last=attempted.is_last,
            state_after=attempted.state_after,
            agent_isolation=self._isolation,
            answer=submission.answer,
            labels=submission.labels,
        )


def seed_of_epoch(rng_seed: int, epoch: int) -> int:
    """Return where the random states of an epoch start: epoch 1 is the run's own seed, the others derive from it."""
    if epoch == 1:
        return rng_seed
    return int.from_bytes(hashlib.sha256(f"{rng_seed}:epoch:{epoch}".encode()).digest()[:4], "little")
