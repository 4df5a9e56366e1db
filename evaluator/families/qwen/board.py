"""The score board of the Qwen benchmark: executability and accuracy by tag."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluator.families.boards import Score, mean
from evaluator.families.qwen.records import TAGS

EXECUTABLE, MISSING, FAILING, ACCURACY = "executable", "missing", "failing", "accuracy"
METRICS: Final = (EXECUTABLE, MISSING, FAILING, ACCURACY)
AVAILABLE: Final = "available"  # executable among the items that have code
VISUALIZATION: Final = "visualization"  # hard and easy together, as the published program prints it


@dataclass(frozen=True)
class ScoredItem:
    """One record, scored. A score that its tag does not have is left out; None: it could not be graded."""

    tags: tuple[str, ...]  # of `TAGS`
    scores: Mapping[str, float | None]  # metric -> 0 or 1


@dataclass(frozen=True)
class QwenBoard:
    """What the records of a run come to."""

    mode: str
    rules: str
    tags: Mapping[str, Mapping[str, Score]]  # all of `TAGS`, and `visualization`

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; values are fractions."""
        shown = {
            name: {metric: each.to_json() for metric, each in scores.items()} for name, scores in self.tags.items()
        }
        pooled = shown.pop(VISUALIZATION)
        return {
            "family": "qwen",
            "rules": self.rules,
            "mode": self.mode,
            "tags": shown,
            "pooled": {VISUALIZATION: pooled},
        }


def board_of(items: Sequence[ScoredItem], *, mode: str, rules: str) -> QwenBoard:
    """Bring scored records together; one of several tags counts under each.

    Args:
        items: Of one run.
        mode: How the agent was run.
        rules: published | sound.
    """
    tags = {tag: _scores([item for item in items if tag in item.tags]) for tag in TAGS}
    both = [item for item in items if any(tag.startswith(VISUALIZATION) for tag in item.tags)]
    return QwenBoard(mode, rules, {**tags, VISUALIZATION: _scores(both)})


def _scores(items: Sequence[ScoredItem]) -> dict[str, Score]:
    """Return the rates of a tag; `available` is over the records with code alone, all others over all of them."""
    found = {metric: mean(item.scores[metric] for item in items if metric in item.scores) for metric in METRICS}
    with_code = [item for item in items if EXECUTABLE in item.scores and item.scores.get(MISSING) == 0]
    found[AVAILABLE] = mean(item.scores[EXECUTABLE] for item in with_code)
    return found
