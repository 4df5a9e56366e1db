"""What an agent may have executed before it submits: code on a copy of the state that its submission starts from."""

import logging
import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from evaluator.agents import (
    BudgetSpentError,
    CapabilityOffError,
    Execution,
    ExecutionError,
    ExecutionStatus,
    Scope,
    SessionDeadError,
    ToolRefusedError,
    Variable,
)
from evaluator.errors import ToolkitError
from evaluator.running.execution.persistent_state import ExecutedStep, PersistentState
from evaluator.running.execution.policies import SHOWN_CHARS, shown_text
from evaluator.session import BRIEF, CellLimits, Ending, Outcome

_log = logging.getLogger(__name__)

EXECUTIONS: Final = 20
"""Executions at one problem that an agent is allowed, unless somebody says otherwise (count)."""

DESCRIPTIONS: Final = 200
"""Descriptions of variables at one problem that run code, which are counted apart from executions (count)."""

LEAST_S: Final = 0.1
"""Seconds that an execution may take at least, whatever an agent asks."""

_STATUS: Final[Mapping[Ending, ExecutionStatus]] = {
    Ending.OK: ExecutionStatus.OK,
    Ending.ERROR: ExecutionStatus.ERROR,
    Ending.TIMED_OUT: ExecutionStatus.TIMED_OUT,
    Ending.OVER_LIMIT: ExecutionStatus.OVER_LIMIT,
}


class ExecutionBudget:
    """The executions of one agent at one problem, and the descriptions that it asks for, over all its attempts."""

    def __init__(self, most: int | None = EXECUTIONS) -> None:
        """Begin with none.

        Args:
            most: Executions that are allowed (count, >= 0); None: there is no limit.
        """
        self.most = most
        self._taken = 0
        self._described = 0

    def take(self) -> int:
        """Return the number of the next execution, from 1.

        Raises:
            BudgetSpentError: If there is none left.
        """
        if self.most is not None and self._taken >= self.most:
            raise BudgetSpentError(f"the {self.most} executions that this problem allows are used up")
        self._taken += 1
        return self._taken

    def take_description(self) -> None:
        """Count a description of variables.

        Raises:
            BudgetSpentError: If there is none left.
        """
        if self._described >= DESCRIPTIONS:
            what = f"the {DESCRIPTIONS} descriptions of variables that this problem allows are used up"
            raise BudgetSpentError(what)
        self._described += 1

    def give_back(self, executions: int, descriptions: int) -> None:
        """Count so many no longer."""
        self._taken -= executions
        self._described -= descriptions


class ProblemTools:
    """The tools of one attempt: executions pile up on a copy of the state that the attempt starts from."""

    def __init__(
        self,
        state: Callable[[], PersistentState],
        limits: CellLimits,
        budget: ExecutionBudget,
        variables: Callable[[str, Sequence[str] | None], tuple[Variable, ...]],
        live: Callable[[str], Outcome] | None = None,
    ) -> None:
        """Prepare; nothing is copied before the first execution.

        Args:
            state: Makes the copy.
            limits: Of one execution.
            budget: Of the problem.
            variables: Describes the session's variables, by the name of an encoding and their names.
            live: Executes code in the session that is judged; None: the agent submits code, not a session.
        """
        self.lost = ""  # why nothing can be executed any more; by no fault of the agent
        self._state = state
        self._limits = limits
        self._budget = budget
        self._variables = variables
        self._live = live
        self._copy: PersistentState | None = None
        self._taken, self._described = 0, 0  # of the budget, by the try that is under way (count)
        self._ended: Counter[tuple[Scope, ExecutionStatus]] = Counter()
        self._lock = threading.Lock()  # an agent that was given up may still ask, from a thread of its own
        self._is_closed = False

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        """Execute code on the copy, as `Tools.execute` says."""
        if scope is Scope.LIVE and self._live is None:
            raise CapabilityOffError("code is executed on a scratch copy only: this agent does not submit a session")
        wall_s = _wall_s(timeout_s, self._limits.wall_s)
        with self._lock:
            self._refuse_if_over()
            number = self._budget.take()
            self._taken += 1
            try:
                outcome = self._submitted(code) if scope is Scope.LIVE else self._tried(code, wall_s)
            except ToolkitError as error:
                self.lost = f"the session is lost: {error.what}"
                raise SessionDeadError(self.lost) from error
            execution = execution_of(outcome, number)
            self._ended[scope, execution.status] += 1
            return execution

    def _submitted(self, code: str) -> Outcome:
        """Execute code in the session that is judged; the next scratch copy starts from what it leaves."""
        assert self._live is not None
        self._drop_copy()  # of one session there is one trial at a time
        return self._live(code)

    def _tried(self, code: str, wall_s: float) -> Outcome:
        """Execute code on the copy."""
        if self._copy is None:
            self._copy = self._state()
        return self._copy.run(ExecutedStep(code, replace(self._limits, wall_s=wall_s)))

    def _refuse_if_over(self) -> None:
        if self._is_closed:
            raise CapabilityOffError("tools can be used only while the problem is being solved")
        if self.lost:
            raise SessionDeadError(self.lost)

    def inspect(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        """Describe the session's variables, as `Tools.inspect` says."""
        with self._lock:
            self._refuse_if_over()
            if encoding != BRIEF:  # which is known already
                self._budget.take_description()
                self._described += 1
            try:
                return self._variables(encoding, names)
            except ToolkitError as error:
                raise SessionDeadError(f"the session is lost: {error.what}") from error

    def progress(self, text: str) -> None:
        """Write what the agent is at into the log."""
        _log.info("event=agent_progress text=%r", shown_text(text)[:200])

    def usage(self) -> dict[str, dict[str, dict[str, int]]]:
        """Return executions by scope and status (counts), as a record's statistics hold them; empty: there was none."""
        counts: dict[str, dict[str, int]] = {}
        for (scope, status), count in sorted(self._ended.items()):
            counts.setdefault(scope.value, {})[status.value] = count
        return {"executions": counts} if counts else {}

    def begin_anew(self, *, gives_back: bool) -> bool:
        """Let a try begin where the attempt did, as `SupportsBeginAnew` says."""
        with self._lock:
            if any(scope is Scope.LIVE for scope, _ in self._ended):
                return False
            self._drop_copy()
            if gives_back:
                self._budget.give_back(self._taken, self._described)
            self._taken = self._described = 0
            return True

    def close(self) -> None:
        """Throw the copy away, and refuse what is asked later."""
        with self._lock:
            self._is_closed = True
            self._drop_copy()

    def _drop_copy(self) -> None:
        copy, self._copy = self._copy, None
        if copy is not None:
            copy.close()

    def __enter__(self) -> "ProblemTools":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _wall_s(asked: object, most: float) -> float:
    """Return what an execution may take (s) of which an agent asks that it take no more than so long.

    Raises:
        ToolRefusedError: If that is no time.
    """
    if asked is None:
        return most
    is_number = isinstance(asked, int | float) and not isinstance(asked, bool)
    try:
        seconds = float(asked) if is_number else math.nan
    except OverflowError:
        seconds = math.inf
    if not math.isfinite(seconds) or seconds < 0:
        raise ToolRefusedError("`timeout_s` must be a finite number from 0 on, or None")
    return min(max(seconds, LEAST_S), most)


def execution_of(outcome: Outcome, number: int) -> Execution:
    """Return what an agent is told of an execution; texts keep their first and last 5,000 characters."""
    error = None
    if outcome.error is not None:
        told = outcome.error
        error = ExecutionError(shown_text(told.name), shown_text(told.message), shown_text(told.traceback))
    outputs, truncated = [], False
    for output in outcome.outputs:
        if output["output_type"] == "error":
            continue
        shown, is_cut = _shown_output(output)
        outputs.append(shown)
        truncated = truncated or is_cut
    return Execution(
        number=number,
        status=_STATUS.get(outcome.ending, ExecutionStatus.DIED),
        outputs=tuple(outputs),
        error=error,
        seconds=round(outcome.seconds, 6),
        truncated=truncated or "output" in outcome.limits_hit,
    )


def _shown_output(output: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return an output with its texts as they are shown, and whether one was cut; pictures stay as they are."""
    if output["output_type"] == "stream":
        text = str(output["text"])
        return {**output, "text": shown_text(text)}, len(text) > SHOWN_CHARS
    data, is_cut = {}, False
    for kind, value in output.get("data", {}).items():
        if kind.startswith("text/") and isinstance(value, str):
            is_cut = is_cut or len(value) > SHOWN_CHARS
            data[kind] = shown_text(value)
        else:
            data[kind] = value
    return {**output, "data": data}, is_cut
