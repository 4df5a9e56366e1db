"""Third part of the profile cell: what columns of one table tell about each other, and only what is cheap to find."""

import itertools
import re
from typing import Any

import numpy as np
import pandas as pd

TIME_NAME = re.compile(
    r"date|time|year|month|week|quarter|period|day|hour|minute|second|datum|jahr|monat|woche|tag|stunde|^yr$|^ts$|年|月|日|季|时",
    re.I,
)
CLOCK_NAME = re.compile(r"time|date|datum", re.I)  # no part of a date, but a whole one, or a time of day
MAX_MOMENTS = 6  # columns tried as time
MAX_THINGS = 10  # columns tried as what is observed again and again
HEAD_ROWS = 3000  # looked at before all are
MAX_CELLS = 2_000_000  # rows times combinations: beyond it fewer are tried
MAX_ADDENDS = 24  # numeric columns among which sums are sought
MAX_REPEATED = 0.2  # share of repeated rows up to which they are taken for slips: many are measurements that coincide
MAX_DECIDING = 12  # columns among which one may decide another
MAX_LINKED = 20  # numbers, and as many columns of few values, whose links are measured
MAX_KINDS = 30  # different values of a column of few
MAX_KINDS_OF = {"number": 12}
FOLLOWS = 0.9995  # strength from which one column is taken to follow from another, which may be rounded
LINKED_ROWS = 20_000  # rows that links are measured on, evenly spread


def codes_of(column: pd.Series) -> np.ndarray:
    """Return small numbers in place of the values; missing ones count as a value."""
    codes, _ = pd.factorize(column, use_na_sentinel=False)
    return np.asarray(codes, dtype="int64")


def distinct_pairs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return codes of pairs of values."""
    codes, _ = pd.factorize(first * (int(second.max(initial=0)) + 1) + second)
    return np.asarray(codes, dtype="int64")


def mark_keys(columns: list[dict[str, Any]], repeats: pd.Series | None) -> None:
    """Note columns that would be keys if repeated rows were dropped."""
    if repeats is None:
        return
    left = int((~repeats).sum())
    for column in columns:
        if column["missing"] == 0 and column["distinct"] == left and left > 1:
            column["key_without_repeats"] = bool(column["role"] != "number" or column.get("integer", False))


def moments_of(columns: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return the columns, alone or taken together, that may tell when a row was observed."""
    named = [c for c in columns if c["role"] == "date" or (TIME_NAME.search(c["name"]) and c["distinct"] > 1)]
    whole = [c["name"] for c in named if c["role"] == "date" or c.get("integer") or c["role"] in {"category", "text"}]
    single = [(name,) for name in whole[:MAX_MOMENTS]]
    numbers = [c["name"] for c in named if c.get("integer") and c["role"] == "number"]
    parts = [name for name in numbers if not CLOCK_NAME.search(name)][:4]
    runs = [tuple(parts[:size]) for size in range(2, len(parts) + 1)]
    return [*single, *runs]


def things_of(columns: list[dict[str, Any]], taken: set[str], rows: int) -> list[str]:
    """Return the columns that may name what is observed: texts and whole numbers of which each value repeats."""
    found = []
    for column in columns:
        words = column["role"] in {"category", "text", "id", "bool"}
        numbers = column["role"] == "number" and column.get("integer") and column["distinct"] <= rows / 3
        if column["name"] not in taken and (words or numbers) and 1 < column["distinct"] <= rows / 2:
            found.append((0 if words else 1, column["name"]))
    return [name for _, name in sorted(found, key=lambda pair: pair[0])][:MAX_THINGS]


def unique_together(frame: pd.DataFrame, columns: list[dict[str, Any]]) -> list[list[str]]:
    """Return the smallest sets of columns, things and then times, of which no two rows have the same values."""
    rows = len(frame)
    if rows < 3:
        return []
    moments = moments_of(columns)
    things = things_of(columns, {name for moment in moments for name in moment}, rows)
    names = {*things, *(name for moment in moments for name in moment)}
    codes = {name: codes_of(frame[name]) for name in names}
    found: list[list[str]] = []
    left = MAX_CELLS // rows
    for size in range(3):
        for combination in itertools.combinations(things, size):
            for moment in moments:
                chosen = [*combination, *moment]
                picked = [codes[name] for name in chosen]
                if any(set(known) <= set(chosen) for known in found) or not all_differ(picked, min(HEAD_ROWS, rows)):
                    continue
                left -= 1
                if left < 0:
                    return found[:4]
                if all_differ(picked, rows):
                    found.append(chosen)
    return found[:4]


def all_differ(codes: list[np.ndarray], rows: int) -> bool:
    """Return whether the first rows differ in what the codes tell."""
    if np.prod([float(one.max()) + 1 for one in codes]) < rows:
        return False
    together = codes[0][:rows]
    for one in codes[1:]:
        together = distinct_pairs(together, one[:rows])
    return len(pd.unique(together)) == rows


def sums_of_parts(frame: pd.DataFrame, columns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the numeric columns that are the sum of two others, or of a run of neighbours, in every row."""
    names = [c["name"] for c in columns if c["role"] == "number" and c["distinct"] > 2 and not c["missing"]][
        :MAX_ADDENDS
    ]
    if len(names) < 3 or len(frame) < 3:
        return []
    values = frame[names].to_numpy(dtype="float64")
    found = []
    for position, name in enumerate(names):
        rest = [other for other in range(len(names)) if other != position]
        runs = [rest[i:j] for i in range(len(rest)) for j in range(i + 3, len(rest) + 1)]
        for parts in [*map(list, itertools.combinations(rest, 2)), *runs]:
            if adds_up(values, position, parts):
                found.append({"total": name, "parts": [names[part] for part in parts]})
                break
    return found[:8]


def adds_up(values: np.ndarray, total: int, parts: list[int]) -> bool:
    """Return whether a column is the sum of others: a few rows decide whether all are looked at."""
    for rows in (slice(0, 4), slice(None)):
        part, whole = values[rows][:, parts], values[rows][:, total]
        room = 1e-6 * np.abs(part).sum(axis=1) + 1e-9
        if not (np.abs(part.sum(axis=1) - whole) <= room).all():
            return False
    return bool((np.count_nonzero(values[:, parts], axis=0) > 0).all())


def decided_by(frame: pd.DataFrame, columns: list[dict[str, Any]]) -> list[list[str]]:
    """Return pairs of columns of which the first decides the second, and not the other way round."""
    rows = len(frame)
    able = [c for c in columns if c["role"] in {"category", "text"} and 1 < c["distinct"] <= min(rows / 2, 5000)]
    codes = {c["name"]: codes_of(frame[c["name"]]) for c in able[:MAX_DECIDING]}
    sizes = {name: int(one.max()) + 1 for name, one in codes.items()}
    found = []
    for first, second in itertools.permutations(codes, 2):
        if sizes[second] < sizes[first] and sizes[first] * sizes[second] < MAX_CELLS:
            pairs = np.bincount(codes[first] * sizes[second] + codes[second], minlength=1)
            if int(np.count_nonzero(pairs)) == sizes[first]:
                found.append([first, second])
    return found[:20]


def links(frame: pd.DataFrame, columns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how closely pairs of columns go together, from 0 to 1 with two digits; 1 only where one follows.

    Two numbers: the size of their rank correlation. A number and a column of few values: how much of the number's ranks
    the groups account for (correlation ratio). Two columns of few values: Cramér's V.
    """
    part = frame.iloc[:: max(-(-len(frame) // LINKED_ROWS), 1)]
    able = [c for c in columns if c["distinct"] > 1 and len(frame) - c["missing"] >= 8]
    few = [c["name"] for c in able if c["role"] != "date" and c["distinct"] <= MAX_KINDS_OF.get(c["role"], MAX_KINDS)]
    few = few[:MAX_LINKED]
    numbers = [c["name"] for c in able if c["role"] == "number" and c["name"] not in few][:MAX_LINKED]
    ranks = part[numbers].rank()
    together = ranks.corr().abs()
    found = [(a, b, together.loc[a, b], 0) for a, b in itertools.combinations(numbers, 2)]
    found += [(a, b, *correlation_ratio(part[a], ranks[b])) for a in few for b in numbers]
    found += [(a, b, *cramers_v(part[a], part[b])) for a, b in itertools.combinations(few, 2)]
    return [
        {"first": a, "second": b, "strength": _two_digits(float(r)), "fewest": n}
        for a, b, r, n in found
        if np.isfinite(r)
    ]


def _two_digits(strength: float) -> float:
    """Return a strength rounded, but 1 only for columns of which one follows from the other but for rounding."""
    return round(strength, 2) if strength < 0.99 or strength >= FOLLOWS else 0.99


def correlation_ratio(groups: pd.Series, ranks: pd.Series) -> tuple[float, int]:
    """Return the root of the share of the variance of ranks that lies between groups, and the smallest group's rows."""
    known = groups.notna() & ranks.notna()
    if not known.any():
        return float("nan"), 0
    values, codes = ranks[known], codes_of(groups[known])
    total = float(((values - values.mean()) ** 2).sum())
    means = values.groupby(codes).transform("mean")
    fewest = int(np.bincount(codes).min())
    return (float(np.sqrt(((means - values.mean()) ** 2).sum() / total)) if total else float("nan")), fewest


def cramers_v(first: pd.Series, second: pd.Series) -> tuple[float, int]:
    """Return how far the counts of pairs of values are from independence, from 0 to 1, and the smallest count."""
    known = first.notna() & second.notna()
    if not known.any():
        return float("nan"), 0
    counts = pd.crosstab(codes_of(first[known]), codes_of(second[known])).to_numpy(dtype="float64")
    if min(counts.shape) < 2:
        return float("nan"), 0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    squares = float(((counts - expected) ** 2 / expected).sum())
    return float(np.sqrt(squares / (counts.sum() * (min(counts.shape) - 1)))), int(counts.min())


def describe_relations(frame: pd.DataFrame, columns: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the columns of a table tell about each other; nested ones are left out."""
    flat = [column for column in columns if not column.get("nested") and not column.get("empty")]
    kept = frame[[column["name"] for column in flat]]
    repeats = kept.duplicated() if flat else None
    slips = repeats if repeats is not None and 0 < repeats.mean() <= MAX_REPEATED else None
    mark_keys(flat, slips)
    return {
        "unique_together": unique_together(kept if slips is None else kept[~slips], flat),
        "sums": sums_of_parts(kept, flat),
        "decided_by": decided_by(kept, flat),
        "links": links(kept, flat),
    }
