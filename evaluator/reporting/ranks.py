"""Agents in order of their rates, and whose place another release or another rule changes."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class MovedRank(NamedTuple):
    """One agent's place before and after; None: it has no rate there."""

    agent: str
    rate_before: float | None
    rank_before: int | None
    rate_after: float | None
    rank_after: int | None

    @property
    def moved(self) -> int | None:
        """How many places it rose (above 0) or fell among the agents that have both rates."""
        return None if self.rank_before is None or self.rank_after is None else self.rank_before - self.rank_after

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**self._asdict(), "moved": self.moved}


def ranks(rates: Mapping[str, float]) -> dict[str, int]:
    """Return agent -> place, from 1; agents with equal rates share the better place."""
    return {agent: 1 + sum(other > rate for other in rates.values()) for agent, rate in rates.items()}


def moved_ranks(before: Mapping[str, float], after: Mapping[str, float]) -> list[MovedRank]:
    """Return the agents by their later place, those without one last.

    Places are counted among the agents that have both rates, so that an agent that ran on one of them moves nobody.
    """
    both = before.keys() & after.keys()
    one = ranks({agent: before[agent] for agent in both})
    other = ranks({agent: after[agent] for agent in both})
    found = [
        MovedRank(agent, before.get(agent), one.get(agent), after.get(agent), other.get(agent))
        for agent in sorted({*before, *after})
    ]
    return sorted(found, key=lambda each: (each.rank_after is None, each.rank_after or 0, each.agent))
