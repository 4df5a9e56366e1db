"""An order of any decoded values that does not depend on how they came."""

from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np

from evaluator.inside.equality.scalars import is_missing, plain_number

_RANKS: Final = ((bool, np.bool_), (int, float, np.number, Decimal, Fraction), (str,), (bytes,), (list, tuple), (dict,))
_NUMBERS: Final = 1
_SEQUENCES: Final = 4
_MAPPINGS: Final = 5


def order_key(value: Any) -> tuple[Any, ...]:
    """Return a key that orders any decoded values: numbers among numbers, the rest by type and text, gaps last."""
    if is_missing(value):
        return (len(_RANKS) + 1,)
    rank = next((i for i, kinds in enumerate(_RANKS) if isinstance(value, kinds)), len(_RANKS))
    if rank == _NUMBERS and not isinstance(value, (np.timedelta64, np.complexfloating)):
        number = plain_number(value)
        return (rank, number != number, 0 if number != number else number)
    if rank == _SEQUENCES:
        return (rank, tuple(map(order_key, value)))
    if rank == _MAPPINGS:
        return (rank, tuple(sorted(map(order_key, [*value.keys(), *value.values()]))))
    if rank in (_NUMBERS, len(_RANKS)):
        return (len(_RANKS), type(value).__name__, str(value))
    return (rank, value)
