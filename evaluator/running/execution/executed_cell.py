"""What an executor is told before it executes a problemset, and what it yields of each cell."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from evaluator.agents import Agent
from evaluator.language import Problem
from evaluator.running.execution.author_errors import Cells
from evaluator.running.execution.candidate import PriorAnswer
from evaluator.running.execution.policies import Policies
from evaluator.running.execution.problem_attempts import AttemptResult
from evaluator.running.execution.problem_tools import EXECUTIONS
from evaluator.running.execution.reference_history import as_written
from evaluator.scoring import Judged
from evaluator.scoring.grading import Expected, FigureJudge
from evaluator.session import Outcome


def as_many_as_allowed(problem: Problem) -> int:
    """Let `max_attempts` decide."""
    del problem
    return sys.maxsize


def nothing_recorded(problem: Problem) -> Expected | None:
    """Expect what the reference shows."""
    del problem
    return None


@dataclass(frozen=True)
class Conditions:
    """Under which conditions a problemset is executed."""

    rules: str = "sound"  # or "published"
    policies: Policies = field(default_factory=Policies)
    max_attempts: int = 1  # of an agent at one problem (count, >= 1)
    executions: int | None = EXECUTIONS  # of an agent at one problem before it submits (count); None: no limit
    epoch: int = 1  # which independent pass, counts from 1
    rng_seed: int | None = None  # of its sessions; None: the engine's
    time_scale: float = 1.0  # how many times slower than the nominal machine this one is
    renders: bool = True  # whether anybody looks at what cells' last values look like
    goes_on: bool = False  # a cell of the author that fails is told and refuses nothing; else the set is refused there
    replays: bool = False  # judge the reference as a submission, too, under other random states; only with `goes_on`
    imports: tuple[str, ...] = ()  # modules that its sessions import first
    has_spare_core: bool = False  # whether a reference may run beside an agent's code: where their sessions are two
    rounds: Callable[[Problem], int] = as_many_as_allowed  # attempts at a problem at most, beside `max_attempts`
    wording: Callable[[Problem], str] = as_written  # how agents are asked
    recorded: Callable[[Problem], Expected | None] = nothing_recorded  # what graded validators expect instead
    figure_judge: FigureJudge | None = None  # looks at figures; None: nobody does


USUAL: Final = Conditions()

Asks = Callable[[int], bool]
"""Whether a problem (from 1) is asked; the others are executed for the state alone that they leave."""


def every_problem(index: int) -> bool:
    """Ask everything."""
    del index
    return True


@dataclass(frozen=True)
class Contender:
    """An agent under policies of its own, beside others that are asked on the same references."""

    agent: Agent
    policies: Policies
    max_attempts: int = 1  # at one problem (count, >= 1)
    rounds: Callable[[Problem], int] = as_many_as_allowed
    wording: Callable[[Problem], str] = as_written
    recorded: Callable[[Problem], Expected | None] = nothing_recorded
    asks: Asks = every_problem  # which of the problems that are asked at all it is asked
    answered: Mapping[int, PriorAnswer] = field(default_factory=dict)  # to others before, where later ones rest on it


def asked_of_any(contenders: Sequence[Contender], problems: int) -> frozenset[int]:
    """Return which of the first so many problems (from 1) somebody is asked."""
    return frozenset(index for index in range(1, problems + 1) if any(each.asks(index) for each in contenders))


@dataclass(frozen=True)
class JudgedAnswer:
    """What some code came to at a problem."""

    code: str
    judged: Judged
    outcome: Outcome | None = None  # None: it was not run


@dataclass(frozen=True)
class ExecutedCell:
    """One cell after it was executed; of a problem that is asked, after everything at it is judged."""

    problemset: str
    position: int  # among all cells, from 1
    cell: Cells
    index: int  # among the problems, from 1; 0: a setup cell
    problem_id: str
    outcome: Outcome | None  # what the author's code left; None: lost by an infrastructure error
    is_asked: bool = False
    attempts: tuple[AttemptResult, ...] = ()  # of each agent that was asked in the order given, one after the other
    answers: tuple[JudgedAnswer, ...] = ()  # to the codes that were given for it, in their order
    trials: tuple[JudgedAnswer, ...] = ()  # variations of the reference; fewer than were given where one took long
    replayed: Judged | None = None  # the reference under other random states; None: not tried
    looks: tuple[Outcome, ...] = ()  # what the codes came to that look at the state after the cell
    epoch: int = 1

    @property
    def problem(self) -> Problem:
        """The problem."""
        assert isinstance(self.cell, Problem)
        return self.cell

    @property
    def attempts_by_agent(self) -> tuple[tuple[AttemptResult, ...], ...]:
        """The attempts of each agent that was asked, in the order in which they were given."""
        groups: list[tuple[AttemptResult, ...]] = []
        begun: list[AttemptResult] = []
        for attempt in self.attempts:
            begun.append(attempt)
            if attempt.is_last:
                groups.append(tuple(begun))
                begun = []
        return tuple(groups)

    @property
    def reference(self) -> Outcome | None:
        """What the reference code left; None: lost by an infrastructure error."""
        return self.outcome


Answers = Callable[[int, Problem], Sequence[str]]
"""Codes to judge at a problem (from 1) beside what agents return."""


def no_answers(index: int, problem: Problem) -> Sequence[str]:
    """Judge nothing but what agents return."""
    del index, problem
    return ()
