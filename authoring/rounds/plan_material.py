"""Which seeds a plan is about, and the numbers that make its drafts differ."""

import hashlib
from collections.abc import Sequence

from authoring.progress import OnEvent, PipelineEvent, no_progress
from authoring.seeds import load_shipped_seeds, shipped_seed_names
from authoring.store import Seed, Workspace, find_seed, list_seeds
from evaluator.errors import UsageError


def choose_seeds(ws: Workspace, names: Sequence[str], on_event: OnEvent = no_progress) -> tuple[Seed, ...]:
    """Return the named seeds, else all of the workspace; shipped ones that it lacks are added when they are wanted.

    `on_event` is told which are added.

    Raises:
        UsageError: If a name is neither a seed of the workspace nor a shipped one.
    """
    if not names:
        return tuple(list_seeds(ws) or _all_shipped(ws, on_event))
    present = {seed.name for seed in list_seeds(ws)}
    lacking = [name for name in names if name not in present and name in shipped_seed_names()]
    if lacking:
        on_event(PipelineEvent(0, 0, f"adding the shipped seeds {', '.join(lacking)}"))
        load_shipped_seeds(ws, only=lacking)
    found = {seed.id: seed for seed in (find_seed(ws, name) for name in names)}
    return tuple(found.values())


def _all_shipped(ws: Workspace, on_event: OnEvent) -> list[Seed]:
    on_event(PipelineEvent(0, 0, "the workspace has no seeds: the shipped ones are used"))
    load_shipped_seeds(ws)
    seeds = list_seeds(ws)
    if not seeds:
        raise UsageError("there is no seed", where=str(ws.root), fix="add one: benchwright seed add FILE --name NAME")
    return seeds


def derived_rng_seed(rng_seed: int, *numbers: int) -> int:
    """Return the random seed of one draft of a plan: 0..2**32 - 1, the same for the same numbers."""
    text = " ".join(map(str, (rng_seed, *numbers)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
