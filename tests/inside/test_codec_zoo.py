"""Reader and writer agree: what the exporter writes of an honest value, of whatever kind, the comparator reads."""

import collections
import contextlib
import itertools
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.codec import decode, encode, pack, value_node
from evaluator.inside.codec.decode.decoded import FAILED, Marker, Opaque
from evaluator.inside.codec.encode.encode_arrow import arrow_column
from evaluator.inside.codec.encode.encode_pandas import base_array
from evaluator.inside.codec.encode.encoder import Encoder
from evaluator.inside.compare.identity import find_incomparable
from tests.inside.codec_zoo import NO_FORM, ROWS, arrays, columns

# Each version of pandas deprecates something of this.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


@pytest.fixture(scope="module")
def known() -> Mapping[str, pd.Series]:
    return columns()


REBUILT_OTHERWISE = {*NO_FORM, "records"}  # enum members and data classes come back as records


def agreed(value: Any, *, comes_back: bool = True) -> Any:
    """Write and read a value, and write what came back: it must be the same. Return what came back."""
    encoder = Encoder()
    data = pack(value_node(encoder, value), encoder.buffers)
    back = decode(data)
    assert back is not FAILED
    assert type(back) is type(value) or (isinstance(value, pd.Index) and not encoder.comes_back)
    if comes_back or encoder.comes_back:
        assert encode(back) == data
    return back


def made_index(column: pd.Series, name: Any = "k") -> pd.Index | None:
    """Return an index of a column's values; None where pandas has none of them."""
    values = column._values
    try:
        index = pd.Index(values, name=name, dtype=values.dtype)
        return index if len(index) == len(column) else None
    except Exception:  # noqa: BLE001  # as pandas likes
        return None


def leveled(index: pd.Index) -> pd.MultiIndex:
    levels, codes = [index[:2], pd.Index(["a", "b"])], [[0, 1, 0, -1], [0, 0, 1, 1]]
    return pd.MultiIndex(levels=levels, codes=codes, names=["x", None], verify_integrity=False)


FORMS: Mapping[str, Callable[[pd.Series], Any]] = {
    "series": lambda column: column.rename("s"),
    "frame": lambda column: column.to_frame(),
    "no rows": lambda column: column.to_frame().iloc[:0],
    "columns of one name": lambda column: pd.concat([column, column], axis=1),
    "cells": lambda column: pd.Series([column, [column.rename("t")], {"k": column.to_frame()}], dtype=object),
    "list": lambda column: [column, (column,)],
}
INDEX_FORMS: Mapping[str, Callable[[pd.Index], Any]] = {
    "index": lambda index: index,
    "index of a frame": lambda index: pd.DataFrame({"a": range(ROWS)}, index=index),
    "index of a series": lambda index: pd.Series(range(ROWS), index=index),
    "column labels": lambda index: pd.DataFrame([range(ROWS)], columns=index),
    "level": leveled,
    "no rows": lambda index: index[:0],
}


def forms(column: pd.Series, step: int, first: int = 0) -> dict[str, Any]:
    """Return a column in every place of a table, or each of so many, where these versions accept it."""
    index = made_index(column)
    makes: dict[str, Callable[[], Any]] = {name: partial(make, column) for name, make in FORMS.items()}
    if index is not None:
        makes |= {f"{name} (index)": partial(make, index) for name, make in INDEX_FORMS.items()}
    made = {}
    for name, make in itertools.islice(makes.items(), first, None, step):
        with contextlib.suppress(Exception):  # as pandas and Arrow like
            made[name] = make()
    return made


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.deep)])
def test_every_column_is_read_as_it_was_written_wherever_it_stands(known: Mapping[str, pd.Series], step: int) -> None:
    seen = collections.Counter[str]()
    for number, (name, column) in enumerate(known.items()):
        for form, value in forms(column, step, number % step).items():
            agreed(value, comes_back=name not in REBUILT_OTHERWISE)
            seen[form] += 1
    assert (len(known), len(seen)) >= (185, len(FORMS) + len(INDEX_FORMS))
    assert min(seen.values()) >= 110 // step


def plain(column: pd.Series) -> str:
    """Return a column's values as text."""
    if isinstance(column.dtype, pd.ArrowDtype):
        return str(arrow_column(column.array).to_pylist())
    return repr(column.astype(object).tolist())


def test_a_column_comes_back_with_its_values_and_its_dtype(known: Mapping[str, pd.Series]) -> None:
    for name in known.keys() - REBUILT_OTHERWISE:
        column = known[name]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            back = decode(encode(column))
        assert plain(back) == plain(column), name
        assert find_incomparable(back) is None, name
        assert back.dtype == (object if column.dtype.kind in "SV" else column.dtype), name  # as pandas would have it


def test_a_column_without_a_form_becomes_values_that_equal_nothing(known: Mapping[str, pd.Series]) -> None:
    for name in NO_FORM & known.keys():
        frame = pd.DataFrame({"a": range(ROWS), "x": known[name]})
        back = decode(encode(frame))
        assert (back.shape, list(back["a"])) == ((ROWS, 2), list(range(ROWS)))
        part = find_incomparable(back)
        assert isinstance(part, Opaque), name
        values = known[name]._values
        if not isinstance(values, np.ndarray):
            assert part.type_name.rpartition(".")[2] in (type(values).__name__, "Custom")


def test_arrays_and_dtypes_are_read_as_they_were_written() -> None:
    for name, array in arrays().items():
        for value in (array, array.dtype):
            require_reading(value, name)


def require_reading(value: Any, name: str) -> None:
    encoder = Encoder()
    data = pack(value_node(encoder, value), encoder.buffers)
    back = decode(data)
    assert back is not FAILED, name
    assert not encoder.comes_back or isinstance(back, Marker) or encode(back) == data, name


def test_what_is_masked_in_a_column_is_missing() -> None:
    mask = [False, True]
    for data, expected in (
        *(([1.5, 2.5], [1.5, np.nan]), ([1, 2], [1.0, np.nan]), ([True, False], [True, np.nan])),
        *((["a", "b"], ["a", np.nan]), ([1j, 2], [1j, complex(np.nan, 0)])),
        (np.array([0, 1], "M8[s]"), [np.datetime64(0, "s"), np.datetime64("NaT")]),
    ):
        for masked, wanted in ((np.ma.array(data, mask=mask), expected), (np.ma.array(data), list(data))):
            found = base_array(Encoder(), masked)
            assert type(found) is np.ndarray
            assert repr(found.tolist()) == repr(np.array(wanted, found.dtype).tolist())
            assert found.dtype == pd.Series(masked).dtype or masked.dtype.kind == "U"
