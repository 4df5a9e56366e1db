"""How hard a problem is: the measured difficulty of its reference code, in three levels."""

from typing import Final, Literal, get_args

from evaluator.errors import UsageError
from evaluator.language import syntactic_difficulty

Level = Literal["easy", "medium", "hard"]
Wish = Literal["easy", "medium", "hard", "mix"]
WISHES: Final[tuple[Wish, ...]] = get_args(Wish)
MEDIUM_FROM: Final = 20  # above the means of published sets made of exercises (17.3) and forum questions (16.2)
HARD_FROM: Final = 36  # the mean of the published set made of notebooks (35.9)
_SHARES: Final[dict[Wish, dict[Level, float]]] = {  # how much a level is favoured under each wish
    "easy": {"easy": 9.0, "medium": 1.0, "hard": 0.02},
    "medium": {"easy": 0.25, "medium": 6.0, "hard": 0.25},
    "hard": {"easy": 0.01, "medium": 0.4, "hard": 9.0},
}


def level_of(code: str) -> Level:
    """Return the level of reference code by its syntactic difficulty.

    Source: Zhang et al. 2024, arXiv:2402.17168, appendix B, whose means of published benchmarks are the bounds.
    """
    measured = syntactic_difficulty(code)
    return "easy" if measured < MEDIUM_FROM else "medium" if measured < HARD_FROM else "hard"


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
