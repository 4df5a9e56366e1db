"""The answers that a problem keeps as examples, judged again: regression tests of its validators."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from authoring.store import DryRunProblem
from evaluator.language import ExampleAnswer
from evaluator.scoring import Judged, Verdict, example_is_met, wanted_in_words


@dataclass(frozen=True)
class KeptAnswer:
    """One example and how it is judged now."""

    example: ExampleAnswer
    judged: Judged

    @property
    def holds(self) -> bool:
        """Whether it gets the verdict that it must get."""
        return example_is_met(self.example, self.judged.verdict)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            **{"side": self.example.side, "position": self.example.position, "code": self.example.code},
            **{"where": self.example.where, "wanted": wanted_in_words(self.example)},
            **{"verdict": self.judged.verdict.value, "reason": self.judged.reason, "holds": self.holds},
            "validation": self.judged.validation,
        }


def misjudged_examples(rows: Sequence[DryRunProblem]) -> list[dict[str, Any]]:
    """Return the examples that did not get their verdict; those that nobody could judge are the machine's fault."""
    return [
        {"index": row.index, "problem_id": row.problem_id}
        | {name: kept[name] for name in ("where", "wanted", "verdict", "reason")}
        for row in rows
        for kept in row.examples
        if not kept["holds"] and kept["verdict"] != Verdict.NOT_JUDGED
    ]
