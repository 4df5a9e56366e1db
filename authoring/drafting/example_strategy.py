"""How the accepted sets that a prompt shows are chosen."""

from enum import StrEnum

from evaluator.errors import UsageError


class ExampleStrategy(StrEnum):
    """How the examples of a prompt are chosen; `all` takes the newest first."""

    NONE = "none"
    ALL = "all"
    RANDOM = "random"
    NEAREST = "nearest"


def find_strategy(name: str) -> ExampleStrategy:
    """Return the strategy called `name`.

    Raises:
        UsageError: If there is none.
    """
    try:
        return ExampleStrategy(name)
    except ValueError:
        fix = f"use one of {', '.join(ExampleStrategy)}"
        raise UsageError(f"there is no way {name!r} to choose examples", fix=fix) from None
