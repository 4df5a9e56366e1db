"""Rows of the two published boards: data, shown beside a run's own row and labelled published."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import mean
from types import MappingProxyType
from typing import Any, Final

import yaml

_FILE: Final = "published_scores.yaml"
_SIZE: Final = re.compile(r"(?:^|[-_])(?:(\d+)x)?(\d+(?:\.\d+)?)B(?:[-_]|$)", re.IGNORECASE)
SIZES: Final = ("below 10B", "10B to 30B", "above 30B", "unknown")


@dataclass(frozen=True)
class PublishedRow:
    """One model's row."""

    model: str
    is_open: bool  # its weights are public
    scores: Mapping[str, float]  # column -> fraction

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "model": self.model,
            "open": self.is_open,
            "scores": {name: round(score, 6) for name, score in self.scores.items()},
            "published": True,
        }


@dataclass(frozen=True)
class PublishedBoard:
    """The rows of one system."""

    benchmark: str  # of whose whole it is
    source: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; scores are fractions."""
        return {"source": self.source, "columns": list(self.columns), "rows": [row.to_json() for row in self.rows]}


@cache
def published_boards() -> Mapping[str, PublishedBoard]:
    """Return the published boards by family."""
    written = yaml.safe_load(files("evaluator.families").joinpath(_FILE).read_text(encoding="utf-8"))
    return MappingProxyType({family: _board(entry) for family, entry in written.items()})


def _board(entry: Mapping[str, Any]) -> PublishedBoard:
    columns = tuple(entry["columns"])
    rows = []
    for row in entry["rows"]:
        scores = {name: score / 100 for name, score in zip(columns, row["scores"], strict=True)}
        rows.append(PublishedRow(row["model"], row["open"], MappingProxyType(scores)))
    return PublishedBoard(entry["benchmark"], entry["source"], columns, tuple(rows))


def size_of(model: str) -> str:
    """Return in which group of sizes a model is, by the parameters that its name tells; one of `SIZES`."""
    found = _SIZE.search(model)
    if found is None:
        return SIZES[3]
    billions = float(found[2]) * float(found[1] or 1)
    return SIZES[0] if billions < 10 else SIZES[1] if billions <= 30 else SIZES[2]


def by_size(rows: Sequence[PublishedRow]) -> dict[str, dict[str, float]]:
    """Return the mean of every column over the models of each size (fractions); sizes without models are left out."""
    groups: dict[str, list[PublishedRow]] = {}
    for row in rows:
        groups.setdefault(size_of(row.model), []).append(row)
    return {
        size: {column: mean(row.scores[column] for row in groups[size]) for column in groups[size][0].scores}
        for size in SIZES
        if size in groups
    }


def correlation(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[float | None, int]:
    """Return Pearson's correlation of two columns over the models that both have, and how many those are.

    Args:
        first: Model -> score.
        second: The same of another board.

    Returns:
        None with fewer than three models, or where a column does not vary.
    """
    common = sorted(first.keys() & second.keys())
    if len(common) < 3:
        return None, len(common)
    x, y = ([column[name] for name in common] for column in (first, second))
    spreads = [sum((value - mean(column)) ** 2 for value in column) for column in (x, y)]
    if not all(spread > 1e-18 for spread in spreads):
        return None, len(common)
    shared = sum((one - mean(x)) * (other - mean(y)) for one, other in zip(x, y, strict=True))
    return float(shared / (spreads[0] * spreads[1]) ** 0.5), len(common)
