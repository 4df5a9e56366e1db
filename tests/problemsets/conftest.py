"""An engine for cells that import much: the shipped sets."""

from collections.abc import Iterator

import pytest

from evaluator.session import Engine

IMPORTED = (
    "matplotlib.pyplot",
    "scipy.stats",
    "seaborn",
    "sklearn.dummy",
    "sklearn.linear_model",
    "sklearn.metrics",
    "sympy",
)


@pytest.fixture(scope="package")
def engine() -> Iterator[Engine]:
    """One engine for these sets; each cell of theirs would import anew what others seldom need."""
    with Engine(trusted=True, comparators=2, preload=IMPORTED) as made:
        yield made
