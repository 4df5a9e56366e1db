"""Alternative answers that a problem keeps, with the verdict that each must get (`examples:`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evaluator.language.model import Problem

SIDES: Final = ("accept", "reject")


@dataclass(frozen=True)
class ExampleAnswer:
    """One answer."""

    side: str  # accept | reject
    position: int  # within its side, from 0
    code: str
    verdict: str = ""  # the one it must get; empty: CORRECT for an accepted one, any other for a rejected one

    @property
    def where(self) -> str:
        """Where it stands in the problem's settings."""
        return f"examples.{self.side}[{self.position}]"


def example_answers(problem: Problem) -> tuple[ExampleAnswer, ...]:
    """Return the answers that a problem keeps, accepted ones first."""
    written = problem.metadata.get("examples")
    examples: Mapping[str, object] = written if isinstance(written, Mapping) else {}
    found = []
    for side in SIDES:
        items = examples.get(side)
        for position, item in enumerate(items if isinstance(items, list) else ()):
            given = item if isinstance(item, Mapping) else {"code": item}
            found.append(ExampleAnswer(side, position, str(given["code"]), str(given.get("verdict") or "")))
    return tuple(found)
