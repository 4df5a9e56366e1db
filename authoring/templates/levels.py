"""How hard a template problem is, and what a wish for a difficulty favours."""

from collections.abc import Sequence
from typing import Final, Literal, get_args

from evaluator.errors import UsageError
from evaluator.language import Level, measured_level

__all__ = ["WISHES", "Level", "Wish", "check_wish", "level_of", "level_weight"]

Wish = Literal["easy", "medium", "hard", "mix"]
WISHES: Final[tuple[Wish, ...]] = get_args(Wish)
_SHARES: Final[dict[Wish, dict[Level, float]]] = {  # how much a level is favoured under each wish
    "easy": {"easy": 9.0, "medium": 1.0, "hard": 0.02},
    "medium": {"easy": 0.25, "medium": 6.0, "hard": 0.25},
    "hard": {"easy": 0.01, "medium": 0.4, "hard": 9.0},
}


def level_of(code: str, query: str = "", *, results_used: int = 0, conventions: Sequence[str] | None = None) -> Level:
    """Return the level of reference code by what is hard about it, as `benchwright stats` measures it.

    Args:
        code: The reference code.
        query: What is asked; the conventions that it names count.
        results_used: Results of earlier problems that the code needs (count), without tables that were only loaded.
        conventions: Those that decide the answer; None: those that the query names.
    """
    return measured_level(code, query, results_used=results_used, conventions=conventions)


def level_weight(level: Level, wish: Wish, done: float) -> float:
    """Return how much a problem is favoured by its level.

    Args:
        level: Of the problem.
        wish: Of the set; `mix` begins with easy problems and ends with hard ones.
        done: Share of the set that is chosen already, 0..1.
    """
    if wish != "mix":
        return _SHARES[wish][level]
    return {"easy": 1.6 - 1.2 * done, "medium": 1.0, "hard": 0.5 + 1.2 * done}[level]


def check_wish(text: str) -> Wish:
    """Return the wished difficulty.

    Raises:
        UsageError: If it is none.
    """
    found = next((wish for wish in WISHES if wish == text), None)
    if found is None:
        raise UsageError(f"there is no difficulty {text!r}", fix=f"use one of {', '.join(WISHES)}")
    return found
