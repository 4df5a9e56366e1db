"""How much may be spent on a model, and the purse that is asked before each request and told after it."""

import math
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import yaml

from evaluator.errors import ToolkitError, UsageError, error_from_os
from evaluator.models.interfaces import plain_name

PRICES_VARIABLE: Final = "BENCHWRIGHT_PRICES"
SHIPPED: Final = Path(__file__).parent / "prices.yaml"
MAX_BYTES: Final = 1_000_000
PER: Final = 1_000_000  # tokens that a price is for
FIELDS: Final = {"model", "input", "cached_input", "output", "currency"}


@dataclass(frozen=True)
class Price:
    """What a million tokens cost."""

    input: float
    output: float
    cached_input: float  # of prompt tokens that the endpoint had read before
    currency: str
    noted_on: str  # when somebody looked it up

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """Return what a request costs; `cached_tokens` are part of the prompt's."""
        cached = min(cached_tokens, prompt_tokens)
        parts = (prompt_tokens - cached) * self.input + cached * self.cached_input + completion_tokens * self.output
        return parts / PER


def price_of(model: str, environ: Mapping[str, str] | None = None) -> Price | None:
    """Return the price of a model, by its name without its provider; None when the table does not know it.

    Raises:
        UsageError: If the file that BENCHWRIGHT_PRICES names is no table of prices.
    """
    env = os.environ if environ is None else environ
    path = Path(env.get(PRICES_VARIABLE, "").strip() or SHIPPED)
    name = plain_name(model)
    return next((price for pattern, price in _table(path) if fnmatchcase(name, pattern)), None)


def _table(path: Path) -> list[tuple[str, Price]]:
    try:
        with path.open("rb") as file:
            body = yaml.safe_load(file.read(MAX_BYTES + 1)[:MAX_BYTES])
    except OSError as error:
        raise UsageError(error_from_os(error).what, where=str(path), fix=f"set or unset {PRICES_VARIABLE}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _unreadable(path, " ".join(str(error).split())[:200]) from None
    rows = body.get("models") if isinstance(body, Mapping) else None
    if not isinstance(rows, list):
        raise _unreadable(path, "there is no list `models`")
    return [_row(path, row, body) for row in rows]


def _row(path: Path, row: Any, table: Mapping[str, Any]) -> tuple[str, Price]:
    if not isinstance(row, Mapping) or not set(row) <= FIELDS or not isinstance(row.get("model"), str):
        raise _unreadable(path, f"{row!r:.120} is not a row with model, input, cached_input, output and currency")
    amounts = {name: row.get(name, row.get("input")) for name in ("input", "output", "cached_input")}
    if "output" not in row or not all(_is_amount(amount) for amount in amounts.values()):
        raise _unreadable(path, f"the prices of {row['model']!r} are not numbers from 0 on")
    currency = str(row.get("currency", table.get("currency", "USD")))
    return row["model"], Price(**amounts, currency=currency, noted_on=str(table.get("noted_on", "")))


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _unreadable(path: Path, why: str) -> UsageError:
    fix = f"write it like the shipped table {SHIPPED}, or unset {PRICES_VARIABLE}"
    return UsageError(f"the table of prices cannot be read: {why}", where=str(path), fix=fix)


class BudgetSpentError(ToolkitError):
    """The next request might cost more than is left. Nothing is broken: the work so far is kept (exit code 1)."""

    exit_code: ClassVar[int] = 1


@dataclass(frozen=True)
class BudgetLimits:
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
    def from_json(cls, body: object) -> "BudgetLimits | None":
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


class Budget:
    """Counts against a budget. Several clients may share one, from several threads.

    Args:
        budget: The limits.
        before: What earlier starts of the same work have spent.
        minutes_before: How long they waited for the model.
    """

    def __init__(self, budget: BudgetLimits, *, before: Spent | None = None, minutes_before: float = 0.0) -> None:
        self.budget = budget
        self._spent = before or Spent()
        self._aside = Spent()
        self._started = time.monotonic() - 60 * minutes_before
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        return self._spent

    def reserve(self, wanted: Spent) -> Spent:
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
