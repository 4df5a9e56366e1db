"""Invented tables that resemble what people upload, with the meaning of each column: those of invented_tables.yaml."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import yaml

_STATED: Final = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Invented:
    """One table: column -> meaning; more that must hold of single columns and of the table."""

    frame: pd.DataFrame
    meanings: Mapping[str, str]
    details: Mapping[str, Mapping[str, Any]]
    table: Mapping[str, Any]
    description: str


def _rng(*of: object) -> np.random.Generator:
    """Return a generator that columns of other values do not share: else all would rise and fall together."""
    return np.random.default_rng([12, *repr(of).encode()])


@cache
def _names(rows: int, stem: str) -> list[str]:
    return [f"{stem} {''.join(chr(97 + int(c)) for c in str(i + 100))}" for i in range(rows)]


@cache
def _days(rows: int, freq: str) -> list[str]:
    return [str(day.date()) for day in pd.date_range("2021-01-01", periods=rows, freq=freq)]


_DRAWN: Final[Mapping[str, Callable[..., Any]]] = {
    "real": lambda rows, low, high, decimals=2: np.round(_rng(low, high).uniform(low, high, rows), decimals),
    "whole": lambda rows, low, high: _rng(low, high).integers(low, high + 1, rows),
    "of": lambda rows, *values: _rng(*values).choice(np.array(values, dtype=object), rows),
    "cycle": lambda rows, *values: [values[i % len(values)] for i in range(rows)],
    "from": lambda rows, start: range(start, start + rows),
    "names": _names,
    "days": _days,
}
_VOTES: Final = np.random.default_rng(12).integers(50, 900, 120)
_SEEN: Final = "Patient was seen and sent home after a short talk with the nurse."
_FORMULAS: Final[Mapping[str, Callable[[int], object]]] = {
    **{"Adams_votes": lambda i: _VOTES[i], "Brook_votes": lambda i: _VOTES[i] + 1},
    **{"Clark_votes": lambda i: _VOTES[i] + 2, "total_votes": lambda i: 3 * _VOTES[i] + 3},
    **{"symbol": lambda i: "ABC"[i // 40] * 3, "date": lambda i: _days(40, "B")[i % 40]},
    **{"Cabin": lambda i: None if i % 3 else f"C{i}", "year": lambda i: 1949 + i // 12},
    **{"student_id": lambda i: f"S{i:04d}", "order_date": lambda i: _days(30, "D")[i // 4]},
    **{"patient_id": lambda i: f"P{i % 37:03d}", "user_id": lambda i: 1000 + i % 15},
    **{"admitted_at": lambda i: f"2023-03-{1 + i % 28:02d} {i % 24:02d}:15:00"},
    **{"notes": lambda i: _SEEN if i < 59 else _names(61, "seen again in")[i - 59]},
    **{"timestamp": lambda i: str(pd.Timestamp("2024-05-01") + pd.Timedelta(minutes=7 * i))},
    **{"time": lambda i: f"2024-01-{1 + i // 3 // 24:02d} {i // 3 % 24:02d}:00:00"},
    **{"tailnum": lambda i: f"N{i % 70 + 100}", "Datum": lambda i: f"{1 + i % 28:02d}.{1 + i // 28:02d}.2023"},
    **{"订单编号": lambda i: f"A{i:05d}", "price": lambda i: f"${i + 1},{i % 900:03d}.50"},
    **{"growth": lambda i: f"{i % 40}%", "installs": lambda i: f"{i + 1},000"},
    **{"subject": lambda i: 300 + i // 10, "email": lambda i: f"p{i}@example.org"},
}


def _values(name: str, stated: str | list[Any], rows: int) -> Any:
    if isinstance(stated, str):
        return [_FORMULAS[name](i) for i in range(rows)]
    return _DRAWN[stated[1]](rows, *stated[2:])


def _fixed(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}


def _invented(name: str) -> Invented:
    stated = _STATED[name]
    columns, rows = stated["columns"], stated.get("rows", 120)
    return Invented(
        pd.DataFrame({column: _values(column, how, rows) for column, how in columns.items()}),
        {column: how if isinstance(how, str) else how[0] for column, how in columns.items()},
        {column: _fixed(facts) for column, facts in stated["details"].items()},
        _fixed(stated.get("table", {})),
        stated.get("description", ""),
    )


TABLES: Final[Mapping[str, Callable[[], Invented]]] = {name: partial(_invented, name) for name in _STATED}
