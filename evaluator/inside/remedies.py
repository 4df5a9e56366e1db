"""What an author can do about a value of a reference that equals nothing."""

from typing import Final

from evaluator.inside.decoded import Marker, Opaque

_ITERATORS: Final = ("generator", "map", "zip", "filter", "enumerate", "reversed", "iterator", "itertools.")
_FUNCTIONS: Final = ("builtins.function", "builtins.method", "builtins.builtin_function_or_method")


def remedy(part: Marker | Opaque) -> str:
    """Return what an author can do about a value that equals nothing."""
    if isinstance(part, Marker):
        return "make the value smaller, or check a part of it"
    kind = part.type_name
    if kind in _FUNCTIONS:
        return "test the function with 'table_test'"
    if any(word in kind for word in _ITERATORS):
        return "return a list, or take items of it under 'probes': {take: VARIABLE, count: 5}"
    if kind.startswith(("sklearn.", "xgboost.", "lightgbm.")):
        return "score it with the validator 'model', or compare an expression under 'probes'"
    return "return plain values, arrays or tables, or compare an expression under 'probes', or set type_only"
