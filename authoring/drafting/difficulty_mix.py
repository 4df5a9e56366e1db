"""How many easy, medium and hard problems a sketch is asked for."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from authoring.prompting.model_answers import LEVELS
from authoring.store import SketchItem
from evaluator.errors import UsageError

MAX_PROBLEMS: Final = 40
WORTH_ASKING: Final = 10  # a sketch of fewer items is judged by other things first


@dataclass(frozen=True)
class DifficultyMix:
    """Counts of problems by difficulty."""

    easy: int = 3
    medium: int = 6
    hard: int = 4

    def __str__(self) -> str:
        """Return the mix as a model reads it."""
        return ", ".join(f"{getattr(self, level)} {level}" for level in LEVELS)

    def to_json(self) -> dict[str, int]:
        """Return the counts as plain JSON values."""
        return {level: int(getattr(self, level)) for level in LEVELS}

    def missing(self, items: Sequence[SketchItem]) -> tuple[str, ...]:
        """Return the levels that were asked for and have no item; a short sketch is not asked about it."""
        counts = Counter(item.difficulty for item in items)
        if len(items) < WORTH_ASKING:
            return ()
        return tuple(level for level in LEVELS if getattr(self, level) > 0 and not counts[level])


def read_mix(text: str) -> DifficultyMix:
    """Return the mix that `easy=3,medium=6,hard=4` says; a level that is left out is asked for 0 times.

    Raises:
        UsageError: If it says something else, nothing, or too much.
    """
    counts: dict[str, int] = {}
    for part in text.split(","):
        level, _, number = (piece.strip() for piece in part.partition("="))
        if level not in LEVELS or level in counts or not (number.isascii() and number.isdigit() and len(number) < 4):
            what = f"{part.strip()!r} is no part of a mix of difficulties"
            raise UsageError(what, where="--mix", fix="write it as easy=3,medium=6,hard=4")
        counts[level] = int(number)
    if not 1 <= sum(counts.values()) <= MAX_PROBLEMS:
        what = f"the mix asks for {sum(counts.values())} problems"
        raise UsageError(what, where="--mix", fix=f"ask for 1 to {MAX_PROBLEMS}")
    return DifficultyMix(**{level: counts.get(level, 0) for level in LEVELS})
