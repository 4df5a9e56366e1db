"""What came of every seed of a plan: sketches, problems, what was left out and why, time."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from authoring.release import ReleaseResult
from authoring.store import problemsets
from authoring.store.drafting.bootstrap import Bootstrap, BootstrapItem
from authoring.store.drafting.seeds import find_seed
from authoring.store.statuses import BootstrapState
from authoring.store.workspace import Workspace

MAX_WHY = 200  # characters of one reason in a table


@dataclass(frozen=True)
class SeedSummary:
    """One seed of a plan."""

    seed: str
    sketches: int  # that were made (count)
    drafted: int  # problems that were written (count)
    left_out: tuple[tuple[str, str], ...]  # problem, why
    dropped_sets: tuple[tuple[str, str], ...]  # set, why
    accepted: int  # problems in accepted sets (count)
    sets: tuple[str, ...]  # accepted
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "seed": self.seed,
            "sketches": self.sketches,
            "drafted": self.drafted,
            "left_out": [{"problem": problem, "why": why} for problem, why in self.left_out],
            "dropped_sets": [{"set": name, "why": why} for name, why in self.dropped_sets],
            "accepted": self.accepted,
            "sets": list(self.sets),
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class AutoSummary:
    """All seeds of a plan, and the release that was made of them."""

    plan: str
    seeds: tuple[SeedSummary, ...]
    release: ReleaseResult | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "plan": self.plan,
            "seeds": [seed.to_json() for seed in self.seeds],
            "problems": sum(seed.accepted for seed in self.seeds),
            "seconds": round(sum(seed.seconds for seed in self.seeds), 2),
            "release": self.release.to_json() if self.release else None,
        }

    def reasons(self) -> str:
        """Return why sets were dropped, in one line."""
        return "; ".join(f"{name}: {why}" for seed in self.seeds for name, why in seed.dropped_sets)

    def to_text(self) -> str:
        """Return the table that a terminal shows, with what was left out below it."""
        width = max([len(seed.seed) for seed in self.seeds] + [4])
        lines = [f"{'seed':<{width}} sketches  drafted  left out  accepted  seconds"]
        for seed in self.seeds:
            numbers = f"{seed.sketches:>8} {seed.drafted:>8} {len(seed.left_out):>9} {seed.accepted:>9}"
            lines.append(f"{seed.seed:<{width}} {numbers} {seed.seconds:>8.1f}")
        lines += [f"dropped {name}: {why[:MAX_WHY]}" for seed in self.seeds for name, why in seed.dropped_sets]
        whys = Counter(_short(why) for seed in self.seeds for _, why in seed.left_out)
        lines += [f"left out {count}: {why}" for why, count in sorted(whys.items())]
        if self.release is not None:
            made = self.release
            lines += [f"release {made.name} {made.version}: {made.problems} problems in {len(made.problemsets)} sets"]
            lines += [f"folder: {made.out}", f"digest: {made.digest}"]
        return "\n".join(lines)


def _short(why: str) -> str:
    """Return a reason without what differs from problem to problem, so that equal ones can be counted."""
    return "it repeats an earlier problem" if why.startswith("it repeats") else re.split(r" \(|: ", why)[0][:MAX_WHY]


def summarise(ws: Workspace, plan: Bootstrap, items: Sequence[BootstrapItem]) -> AutoSummary:
    """Return what came of the items of a plan, by seed in the plan's order."""
    seeds = list(dict.fromkeys(item.seed_id for item in items))
    return AutoSummary(plan.name, tuple(_seed_summary(ws, seed, items) for seed in seeds))


def _seed_summary(ws: Workspace, seed_id: int, items: Sequence[BootstrapItem]) -> SeedSummary:
    mine = [item for item in items if item.seed_id == seed_id]
    seed = find_seed(ws, seed_id).name
    accepted = [item for item in mine if item.state == BootstrapState.ACCEPTED]
    dropped = [item for item in mine if item.state == BootstrapState.DROPPED]
    return SeedSummary(
        seed=seed,
        sketches=sum(item.sketch_id is not None for item in mine),
        drafted=sum(int(item.report.get("drafted", 0)) for item in mine),
        left_out=tuple((each["problem"], each["why"]) for item in mine for each in item.report.get("left_out", ())),
        dropped_sets=tuple((_name(ws, item, seed), item.reason) for item in dropped),
        accepted=sum(int(item.report.get("problems", 0)) for item in accepted),
        sets=tuple(_name(ws, item, seed) for item in accepted),
        seconds=round(sum(float(item.report.get("seconds", 0.0)) for item in mine), 2),
    )


def _name(ws: Workspace, item: BootstrapItem, seed: str) -> str:
    if item.problemset_id is not None:
        return problemsets.find(ws, item.problemset_id).name
    return f"{seed}, draft {item.position}"
