"""Scores of predictions against labels: scikit-learn's where it is installed, else the same formulas."""

import datetime as dt
import importlib.util
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Array = NDArray[Any]
_SEQUENCES: Final = (list, tuple, range, deque, bytearray)
_SCALARS: Final = (
    *(bool, int, float, complex, str, bytes, type(None), np.generic, Decimal, Fraction),
    *(dt.date, dt.time, dt.timedelta, pd.Timestamp, pd.Timedelta, pd.Period, type(pd.NaT), type(pd.NA)),
)
_MAX_DEPTH: Final = 2  # rows of values, and no more than a list of one value around each


def measure(metric: str, labels: Any, predictions: Any, *, counts_strangers: bool = False) -> float:
    """Return one of `METRICS`.

    With two classes among the labels, precision, recall and f1 are those of the label 1, or of the greater one where
    there is no 1; with more, the mean over the classes. Regression of several values per row is scored by the mean over
    them.

    Args:
        metric: Its name.
        labels: What is true, one value per row.
        predictions: What a model's `predict` returned, one value per row.
        counts_strangers: Whether classes that only predictions have count as well when classes are counted, which lets
            a prediction decide what the score is about.

    Raises:
        ValueError: If the two have different numbers of rows, the metric does not fit them, or one of them is something
            else than values.
    """
    read = _rows if metric in _OF_ROWS else _flat
    true, found = read(labels), read(predictions)
    if true.shape != found.shape or not true.size:
        raise ValueError(f"{len(true)} labels and {len(found)} predictions")
    if metric in _FORMULAS:
        return _per_class(true, found, metric, counts_strangers=counts_strangers)
    return float(METRICS[metric](true, found))


def holds_values(item: Any) -> bool:
    """Return whether an array, a sequence or a table holds plain values and nothing else.

    Only such objects are given to NumPy, which asks any other for its memory.
    """
    return not isinstance(item, _SCALARS) and _is_plain(item, _MAX_DEPTH)


def _is_plain(item: Any, depth: int) -> bool:
    if isinstance(item, _SCALARS):
        return True
    if isinstance(item, pd.DataFrame):
        return all(_is_plain(item.iloc[:, place], depth) for place in range(item.shape[1]))
    if isinstance(item, (np.ndarray, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        return item.dtype != np.dtype(object) or _are_plain(_without_labels(item).reshape(-1), depth)
    if isinstance(item, (range, bytearray)):
        return True
    return isinstance(item, _SEQUENCES) and _are_plain(item, depth)


def _are_plain(items: Iterable[Any], depth: int) -> bool:
    """Return whether all items are plain; scalars by their types at once, since there may be many."""
    if all(issubclass(kind, _SCALARS) for kind in set(map(type, items))):
        return True
    return depth > 0 and all(_is_plain(item, depth - 1) for item in items)


def _rows(values: Any) -> Array:
    if not holds_values(values):
        raise ValueError("an array, a list or a table of plain values is needed: one value per row")
    array = _without_labels(values)
    if array.ndim not in (1, 2):
        raise ValueError(f"one value, or one list of values, per row is needed, got the shape {array.shape}")
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _without_labels(values: Any) -> Array:
    return np.asarray(values.array if isinstance(values, (pd.Series, pd.Index)) else values)


def _flat(values: Any) -> Array:
    array = _rows(values)
    if array.ndim != 1:
        raise ValueError(f"one value per row is needed, got the shape {array.shape}")
    return array


_OF_ROWS: Final = ("mse", "rmse", "r2")


@cache
def _has_sklearn() -> bool:
    return importlib.util.find_spec("sklearn") is not None


def load_metrics() -> None:
    """Import what `measure` uses, which takes seconds on a slow machine."""
    if _has_sklearn():
        importlib.import_module("sklearn.metrics")


def _accuracy(true: Array, found: Array) -> float:
    if _has_sklearn():
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(true, found))
    return float(np.mean(true == found))


def _per_class(true: Array, found: Array, name: str, *, counts_strangers: bool = False) -> float:
    classes, labels = sorted({*true.tolist(), *found.tolist()}), sorted({*true.tolist()})
    known = classes if counts_strangers else labels
    chosen = classes if len(known) > 2 else [1] if 1 in known or known == [0] else known[-1:]
    if _has_sklearn():
        from sklearn import metrics

        score = getattr(metrics, f"{name}_score")
        return float(score(true, found, labels=chosen, average="macro", zero_division=0))
    return float(np.mean([_FORMULAS[name](true == one, found == one) for one in chosen]))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _precision_of(true: Array, found: Array) -> float:
    return _share(float(np.sum(true & found)), float(np.sum(found)))


def _recall_of(true: Array, found: Array) -> float:
    return _share(float(np.sum(true & found)), float(np.sum(true)))


def _f1_of(true: Array, found: Array) -> float:
    return _share(2 * float(np.sum(true & found)), float(np.sum(true)) + float(np.sum(found)))


_FORMULAS: Final[Mapping[str, Callable[[Array, Array], float]]] = {
    "precision": _precision_of,
    "recall": _recall_of,
    "f1": _f1_of,
}


def _roc_auc(true: Array, found: Array) -> float:
    if len(set(true.tolist())) != 2:
        raise ValueError("roc_auc needs labels of two classes")
    if _has_sklearn():
        from sklearn.metrics import roc_auc_score

        return float(roc_auc_score(true, found.astype(float)))
    positive = found[true == max(true.tolist())].astype(float)
    negative = found[true != max(true.tolist())].astype(float)
    above = np.sum(positive[:, None] > negative) + np.sum(positive[:, None] == negative) / 2
    return float(above / (len(positive) * len(negative)))


def _mse(true: Array, found: Array) -> float:
    if _has_sklearn():
        from sklearn.metrics import mean_squared_error

        return float(mean_squared_error(true, found))
    return float(np.mean((true.astype(float) - found.astype(float)) ** 2))


def _r2(true: Array, found: Array) -> float:
    if _has_sklearn():
        from sklearn.metrics import r2_score

        return float(r2_score(true, found))
    columns = zip(np.atleast_2d(true.astype(float).T), np.atleast_2d(found.astype(float).T), strict=True)
    return float(np.mean([_r2_of(*pair) for pair in columns]))


def _r2_of(true: Array, found: Array) -> float:
    spread, rest = float(np.sum((true - np.mean(true)) ** 2)), float(np.sum((true - found) ** 2))
    return 1 - rest / spread if spread else (1.0 if not rest else 0.0)


METRICS: Final[Mapping[str, Callable[[Array, Array], float]]] = {
    "accuracy": _accuracy,
    "precision": lambda true, found: _per_class(true, found, "precision"),
    "recall": lambda true, found: _per_class(true, found, "recall"),
    "f1": lambda true, found: _per_class(true, found, "f1"),
    "roc_auc": _roc_auc,
    "r2": _r2,
    "mse": _mse,
    "rmse": lambda true, found: math.sqrt(_mse(true, found)),
}
