"""How much may be spent on a model, and the purse that is asked before each request and told after it."""

import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from evaluator.errors import ToolkitError, UsageError


class BudgetSpentError(ToolkitError):
    """The next request might cost more than is left. Nothing is broken: the work so far is kept (exit code 1)."""

    exit_code: ClassVar[int] = 1


@dataclass(frozen=True)
class Budget:
    """Limits of one piece of work; None: no limit."""

    tokens: int | None = None  # of prompts and answers together (count)
    cost: float | None = None  # in the currency of the model's price
    minutes: float | None = None  # since the work began; a request that has begun may end

    def __post_init__(self) -> None:
        for option, value in self.to_json().items():
            known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            if value is not None and not (known and value >= 0):
                raise UsageError(f"a budget of {value!r} {option} is none", fix="give a number from 0 on")

    @property
    def is_unlimited(self) -> bool:
        """Whether there is no limit at all."""
        return self.tokens is None and self.cost is None and self.minutes is None

    def to_json(self) -> dict[str, Any]:
        """Return the limits as plain JSON values."""
        return {"tokens": self.tokens, "cost": self.cost, "minutes": self.minutes}

    @classmethod
    def from_json(cls, body: object) -> "Budget | None":
        """Return the budget in a job's payload; None when there is none.

        Raises:
            UsageError: If it is something else.
        """
        if body is None:
            return None
        if not isinstance(body, Mapping) or not set(body) <= {"tokens", "cost", "minutes"}:
            raise UsageError(f"{body!r} is not a budget", fix="name tokens, cost or minutes, each a number or null")
        return cls(**body)


class Spent(NamedTuple):
    """What was spent, or is put aside for a request."""

    tokens: int = 0
    cost: float = 0.0


class Purse:
    """Counts against a budget. Several clients may share one, from several threads.

    Args:
        budget: The limits.
        before: What earlier starts of the same work have spent.
        minutes_before: How long they waited for the model.
    """

    def __init__(self, budget: Budget, *, before: Spent | None = None, minutes_before: float = 0.0) -> None:
        self.budget = budget
        self._spent = before or Spent()
        self._aside = Spent()
        self._started = time.monotonic() - 60 * minutes_before
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        return self._spent

    def put_aside(self, wanted: Spent) -> Spent:
        """Reserve what a request may take at most, and return it for `settle`.

        Raises:
            BudgetSpentError: If that could be more than is left; it says what was spent and what is missing.
        """
        with self._lock:
            minutes = (time.monotonic() - self._started) / 60
            taken = Spent(self._spent.tokens + self._aside.tokens, self._spent.cost + self._aside.cost)
            budget = self.budget
            if budget.minutes is not None and minutes >= budget.minutes:
                raise _spent_error(f"{minutes:.1f} of {budget.minutes:g} minutes are over", "minutes")
            if budget.tokens is not None and taken.tokens + wanted.tokens > budget.tokens:
                used = f"{taken.tokens} of {budget.tokens} tokens are used"
                raise _spent_error(f"{used} and the next request may take up to {wanted.tokens}", "tokens")
            if budget.cost is not None and taken.cost + wanted.cost > budget.cost:
                used = f"{taken.cost:.4g} of {budget.cost:g} are paid"
                raise _spent_error(f"{used} and the next request may cost up to {wanted.cost:.4g}", "cost")
            self._aside = Spent(self._aside.tokens + wanted.tokens, self._aside.cost + wanted.cost)
        return wanted

    def settle(self, aside: Spent, spent: Spent) -> None:
        """Replace what was put aside by what a request has taken."""
        with self._lock:
            self._aside = Spent(self._aside.tokens - aside.tokens, self._aside.cost - aside.cost)
            self._spent = Spent(self._spent.tokens + spent.tokens, self._spent.cost + spent.cost)


def _spent_error(what: str, limit: str) -> BudgetSpentError:
    fix = f"repeat it with a larger budget of {limit} (--budget-{limit}): answers that were paid are used again"
    return BudgetSpentError(f"the budget ends here: {what}", where=f"budget of {limit}", fix=fix)
