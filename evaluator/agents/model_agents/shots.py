"""Examples that a model is shown before it is asked, and which of them."""

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from evaluator.errors import ContentError, UsageError, error_from_os
from evaluator.models import ModelClient

SHIPPED: Final = Path(__file__).parent / "shots"
MAX_BYTES: Final = 2_000_000
MAX_SHOTS: Final = 200
_BUCKETS: Final = 512
_GRAM: Final = 3  # characters


@dataclass(frozen=True)
class Shot:
    """One request with its answer."""

    query: str
    variables: Mapping[str, str]  # name -> description
    cells: tuple[str, ...]  # executed before
    code: str
    code_without_rule: str = ""  # where variables may be changed; empty: the same
    rationale: str = ""  # how one comes to it


@dataclass(frozen=True)
class RepairRound:
    """What an attempt came to, and how it was mended."""

    error: str | None
    output: str | None
    hint: str | None
    explanation: str
    observation: str
    code: str  # empty: the code was right


@dataclass(frozen=True)
class Repair:
    """One attempt that was mended, in a round or more."""

    query: str
    variables: Mapping[str, str]
    cells: tuple[str, ...]
    code: str
    rounds: tuple[RepairRound, ...]


def load_shots(place: str) -> tuple[Shot, ...]:
    """Return the examples of a file; "shipped" are ours, "none" are none.

    Raises:
        UsageError: If there is no such file.
        ContentError: If an example lacks something, with its number.
    """
    if place == "none":
        return ()
    path = SHIPPED / "requests.yaml" if place == "shipped" else Path(place)
    return tuple(_shot(entry, number, path) for number, entry in enumerate(_entries(path), 1))


def load_repairs() -> tuple[Repair, ...]:
    """Return our examples of repairs."""
    path = SHIPPED / "repairs.yaml"
    made = []
    for number, entry in enumerate(_entries(path), 1):
        shot = _shot(entry, number, path)
        rounds = tuple(RepairRound(**each) for each in entry["rounds"])
        made.append(Repair(shot.query, shot.variables, shot.cells, shot.code, rounds))
    return tuple(made)


def _entries(path: Path) -> list[dict[str, Any]]:
    fix = "write a list of examples, each with query, variables, cells, code"
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ContentError(f"the file has more than {MAX_BYTES // 1_000_000} MB", where=str(path), fix=fix)
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        fix = "use shots=shipped, shots=none, or the path of a YAML file"
        raise UsageError("there is no such file of examples", where=str(path), fix=fix) from error
    except OSError as error:
        raise error_from_os(error) from error
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ContentError(f"the file is no YAML: {said}", where=str(path), fix=fix) from error
    if not isinstance(content, list) or not 0 < len(content) <= MAX_SHOTS:
        raise ContentError(f"the file is no list of 1 to {MAX_SHOTS} examples", where=str(path), fix=fix)
    for number, entry in enumerate(content, 1):
        if not isinstance(entry, dict):
            raise ContentError(f"example {number} is no mapping", where=str(path), fix=fix)
    return content


def _shot(entry: Mapping[str, Any], number: int, path: Path) -> Shot:
    texts = {name: entry.get(name, "") for name in ("query", "code", "code_without_rule", "rationale")}
    variables, cells = entry.get("variables", {}), entry.get("cells", [])
    wrong = [name for name, text in texts.items() if not isinstance(text, str)]
    wrong += [name for name in ("query", "code") if not texts[name]]
    wrong += [] if isinstance(variables, dict) else ["variables"]
    wrong += [] if isinstance(cells, list) and all(isinstance(cell, str) for cell in cells) else ["cells"]
    unknown = sorted(set(entry) - {*texts, "variables", "cells", "rounds"})
    if wrong or unknown:
        what = f"example {number}: " + (f"{wrong[0]!r} is missing or no text" if wrong else f"unknown {unknown[0]!r}")
        fix = "each example has query, variables (name: text), cells (a list), code; code_without_rule and rationale"
        raise ContentError(what, where=str(path), fix=fix)
    shown = {str(name): str(text).rstrip("\n") for name, text in variables.items()}
    return Shot(
        texts["query"].strip(),
        shown,
        tuple(cell.strip("\n") for cell in cells),
        texts["code"].strip("\n"),
        texts["code_without_rule"].strip("\n"),
        texts["rationale"].strip(),
    )


def chosen(shots: Sequence[Shot], *, count: int | None, fraction: float | None) -> tuple[Shot, ...]:
    """Return the first examples: so many, or such a share (at least one); neither: all."""
    if count is not None:
        return tuple(shots[:count])
    if fraction is not None:
        return tuple(shots[: at_least_one(len(shots), fraction)])
    return tuple(shots)


def at_least_one(count: int, share: float) -> int:
    """Return a share of so many, rounded down, but one where there is any."""
    return min(count, max(1, int(count * share)))


def ranked(shots: Sequence[Shot], query: str, client: ModelClient | None, *, nearest_last: bool) -> tuple[Shot, ...]:
    """Return examples by how near their queries are to a query, the nearest first; ties keep their order.

    Args:
        shots: In their own order.
        query: That is asked.
        client: Embeds queries; None: character trigrams, hashed, stand for them.
        nearest_last: The nearest stands next to the request.

    Raises:
        ToolkitError: If the endpoint gives no embeddings.
    """
    texts = [shot.query for shot in shots]
    vectors = client.embed([query, *texts]) if client is not None else [hashed_grams(each) for each in (query, *texts)]
    order = sorted(range(len(shots)), key=lambda place: -_cosine(vectors[0], vectors[place + 1]))
    return tuple(shots[place] for place in (reversed(order) if nearest_last else order))


def shuffled(shots: Sequence[Shot], rng_seed: int) -> tuple[Shot, ...]:
    """Return examples in another order, the same for the same seed."""
    order = list(shots)
    random.Random(rng_seed).shuffle(order)  # noqa: S311 - no secret
    return tuple(order)


def hashed_grams(text: str) -> list[float]:
    """Return how often each of 512 buckets holds a trigram of a text, its letters in lower case."""
    counts = [0.0] * _BUCKETS
    padded = f" {' '.join(text.lower().split())} "
    for at in range(len(padded) - _GRAM + 1):
        digest = hashlib.blake2b(padded[at : at + _GRAM].encode("utf-8", "replace"), digest_size=4).digest()
        counts[int.from_bytes(digest, "little") % _BUCKETS] += 1
    return counts


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    size = math.sqrt(sum(x * x for x in one)) * math.sqrt(sum(y * y for y in other))
    return sum(x * y for x, y in zip(one, other, strict=True)) / size if size else 0.0
