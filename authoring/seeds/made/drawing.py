"""Draws the tables of a statement with a generator of fixed state: the same statement gives the same bytes."""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from authoring.seeds.made.statement import (
    Binomial,
    CategoryField,
    DateField,
    FlagField,
    IdField,
    KeyField,
    MadeData,
    MadeTable,
    NumberField,
    Poisson,
    ProductField,
    TextField,
    finite,
)
from evaluator.reporting.spreadsheet import csv_text

Column = list[Any]


def write_tables(data: MadeData, folder: Path) -> list[Path]:
    """Draw all tables into `folder` as CSV and return their paths."""
    paths = []
    for file, text in draw_tables(data).items():
        path = folder / file
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def draw_tables(data: MadeData) -> dict[str, str]:
    """Return file -> CSV text.

    Every field has a generator of its own, so that another field changes nothing in those that do not rest on it.
    """
    drawn: dict[str, dict[str, Column]] = {}
    for table in data.tables:
        drawn[table.file] = _columns(table, data.rng_seed, drawn)
    return {table.file: _csv(drawn[table.file]) for table in data.tables}


def _columns(table: MadeTable, rng_seed: int, drawn: Mapping[str, Mapping[str, Column]]) -> dict[str, Column]:
    whole: dict[str, Column] = {}  # as drawn; gaps come last, so that relations rest on what is there
    shown: dict[str, Column] = {}
    for one in table.fields:
        rng = Random(f"{rng_seed}:{table.file}:{one.name}")  # noqa: S311  # data, no secrets
        whole[one.name] = _draw(one, table.rows, rng, whole, drawn)
        share = getattr(one, "missing", 0.0)
        gaps = Random(f"{rng_seed}:{table.file}:{one.name}:missing")  # noqa: S311  # data, no secrets
        shown[one.name] = [None if share and gaps.random() < share else value for value in whole[one.name]]
    return shown


def _draw(
    one: Any, rows: int, rng: Random, before: Mapping[str, Column], drawn: Mapping[str, Mapping[str, Column]]
) -> Column:
    match one:
        case IdField():
            return [f"{one.prefix}{one.start + row}" if one.prefix else one.start + row for row in range(rows)]
        case CategoryField():
            return rng.choices(one.values, weights=one.weights or None, k=rows)
        case NumberField():
            return _numbers(one, rows, rng, before)
        case ProductField():
            factors = [before[name] for name in one.of]
            products = (math.prod(values) * max(0.0, rng.gauss(1, one.noise)) for values in zip(*factors, strict=True))
            return [round(finite(value), one.decimals) for value in products]
        case DateField():
            span = (one.last - one.first).days
            days = [rng.randint(0, span) for _ in range(rows)]
            days = sorted(days) if one.order == "ascending" else days
            return [(one.first + timedelta(days=day)).isoformat() for day in days]
        case FlagField():
            return ["yes" if rng.random() < one.share else "no" for _ in range(rows)]
        case KeyField():
            file, _, name = one.to.partition(":")
            return rng.choices(drawn[file][name], k=rows)
        case _:
            assert isinstance(one, TextField), "all kinds of fields are drawn"
            return [" ".join(rng.choices(one.words, k=rng.randint(*one.length))) for _ in range(rows)]


def _numbers(one: NumberField, rows: int, rng: Random, before: Mapping[str, Column]) -> Column:
    draw = _drawer(one.distribution, rng)
    values = [draw() for _ in range(rows)]
    for effect in one.effects:
        others = before[effect.field]
        if effect.slope is not None:
            values = [value + effect.slope * other for value, other in zip(values, others, strict=True)]
        else:
            added = effect.add or {}
            values = [value + added.get(str(other), 0.0) for value, other in zip(values, others, strict=True)]
    low, high = one.bounds()
    cut = [min(max(finite(value), low), high) for value in values]
    return [round(value) for value in cut] if one.kind == "integer" else [round(value, one.decimals) for value in cut]


def _drawer(of: Any, rng: Random) -> Callable[[], float]:
    """Return what draws one number."""
    match of.name:
        case "uniform":
            return lambda: rng.uniform(of.low, of.high)
        case "normal":
            return lambda: rng.gauss(of.mean, of.sd)
        case "lognormal":
            return lambda: rng.lognormvariate(of.mean, of.sd)
        case "exponential":
            return lambda: rng.expovariate(1 / of.mean)
        case "gamma":
            return lambda: rng.gammavariate(of.shape, of.scale)
        case "beta":
            return lambda: rng.betavariate(of.a, of.b)
        case _:
            below = _cumulated(of)
            return lambda: min(bisect_left(below, rng.random()), len(below) - 1)


def _cumulated(of: Poisson | Binomial) -> Sequence[float]:
    """Return the probabilities of at most 0, 1, 2, ..."""
    if isinstance(of, Poisson):
        most = math.ceil(of.mean + 12 * math.sqrt(of.mean) + 12)
        logs = (count * math.log(of.mean) - of.mean - math.lgamma(count + 1) for count in range(most))
    elif of.p in (0.0, 1.0):
        return [0.0] * of.n + [1.0] if of.p else [1.0]
    else:
        whole = math.lgamma(of.n + 1)
        logs = (
            whole - math.lgamma(k + 1) - math.lgamma(of.n - k + 1) + k * math.log(of.p) + (of.n - k) * math.log1p(-of.p)
            for k in range(of.n + 1)
        )
    return list(accumulate(math.exp(one) for one in logs))


def _csv(columns: Mapping[str, Column]) -> str:
    return csv_text(list(columns), zip(*columns.values(), strict=True))
