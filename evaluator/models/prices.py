"""What a model costs: a small shipped table, or a file of the user's that goes before it."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import yaml

from evaluator.errors import UsageError, error_from_os

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
    """Return the price of a model; None when the table does not know it.

    Raises:
        UsageError: If the file that BENCHWRIGHT_PRICES names is no table of prices.
    """
    env = os.environ if environ is None else environ
    path = Path(env.get(PRICES_VARIABLE, "").strip() or SHIPPED)
    return next((price for pattern, price in _table(path) if fnmatchcase(model, pattern)), None)


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
