"""No rebuilt value answers a protocol of NumPy or pandas, whatever a submission wrote under its name."""

import collections
import contextlib
import re
import types
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.codec import decode, encode, pack
from evaluator.inside.codec.decode.decoded import DecodedRecord, Opaque
from evaluator.inside.codec.decode.decoder import BadPayload
from evaluator.inside.compare.model_metrics import measure
from evaluator.inside.validators.author_code import StandIn, readable

_SPECIAL: Final = re.compile(rb"__[a-z][a-z0-9_]*?[a-z0-9]__(?![a-z0-9_])")
_PRIVATE: Final = re.compile(rb"(?:getattr|hasattr)\(\s*[\w.]+,\s*['\"](_[a-z]\w*)['\"]")
PLANTED: Final = {"data": (8, True), "shape": (1 << 30,), "typestr": "|u1", "version": 3, "offset": 0}


@pytest.fixture(scope="module")
def protocols() -> tuple[str, ...]:
    """Return every `__x__` in the installed NumPy and pandas, compiled parts included, and what `getattr` asks for."""
    found: set[bytes] = set()
    for package in (np, pd):
        for path in Path(str(package.__file__)).parent.rglob("*"):
            if path.suffix in (".py", ".so", ".pyd") and "tests" not in path.parts:
                data = path.read_bytes()
                found.update(_SPECIAL.findall(data))
                found.update(_PRIVATE.findall(data) if path.suffix == ".py" else ())
    return tuple(sorted(name.decode() for name in found))


def answers(value: Any, name: str) -> bool:
    """Return whether a value gives out what was planted under a name."""
    try:
        return bool(getattr(value, name) == PLANTED)
    except AttributeError:
        return False


@pytest.fixture
def special(protocols: tuple[str, ...]) -> list[str]:
    return [name for name in protocols if name.startswith("__")]


def planted(name: str) -> list[Any]:
    """Return rebuilt values of every kind that hold a part of this name."""
    parts = {name: PLANTED, "x": 1}
    named: Any = collections.namedtuple("Named", ["x", name], rename=True)  # pyrefly: ignore[invalid-literal]
    record, opaque = DecodedRecord("m.Point", parts), Opaque("m.Model", (), parts)
    written = (
        *(parts, collections.Counter({name: 1}), collections.OrderedDict(parts)),
        *(collections.defaultdict(int, parts), named(1, PLANTED)),
    )
    stand_ins = (StandIn("m.Model", parts), readable(opaque), readable(record), readable([opaque])[0])
    return [record, opaque, *stand_ins, *(decode(encode(value)) for value in written)]


def test_no_rebuilt_object_answers_a_protocol(protocols: tuple[str, ...]) -> None:
    assert len(protocols) >= 250
    for name in protocols:
        values = planted(name)
        assert values[0].x == values[2].x == 1
        for node in payloads_of(name):
            with contextlib.suppress(BadPayload):
                value = decode(pack(node, []))
                values += [value, readable(value)]
        assert [value for value in values if answers(value, name)] == [], name


def payloads_of(name: str) -> tuple[Any, ...]:
    """Return nodes that claim a value with such a part, as no exporter of ours writes them."""
    interface = ["dict", ["n", [["s", "version"]]], ["n", [["i", 3]]]]
    return (
        ["record", "types.SimpleNamespace", [name], ["n", [interface]]],
        ["named", "m.Point", [name], ["n", [interface]]],
        ["o", "m.Model", [], [name], ["n", [interface]]],
        ["rec", ["ndr", ["rec", [name], ["|u1"], [0], 1], [1], [["nd", "|u1", [1], "AQ=="]]]],
    )


def test_a_record_is_refused_if_it_claims_such_a_part(special: list[str]) -> None:
    for name in special:
        for node in payloads_of(name)[:2]:
            with pytest.raises(BadPayload):
                decode(pack(node, []))
        assert isinstance(decode(encode(types.SimpleNamespace(**{name: PLANTED, "x": 1}))), Opaque), name


def test_predictions_that_are_no_values_never_reach_numpy() -> None:
    record = DecodedRecord("m.P", {"__array_interface__": PLANTED})
    for predictions in (
        record,
        DecodedRecord("m.P", {"shape": (2,), "dtype": np.dtype("f8")}),
        [record, 1],
        np.array([record, record], dtype=object),
        pd.Series([record, 1], dtype=object),
        pd.DataFrame({"a": [record, 1]}),
        StandIn("m.P", {"__array_interface__": PLANTED}),
        *({"data": [0, 1]}, {0, 1}, "01", 1, [[[[0]]], [[[1]]]]),
    ):
        for metric in ("accuracy", "f1", "r2", "mse", "roc_auc"):
            with pytest.raises(ValueError, match="plain values"):
                measure(metric, [0, 1], predictions)


def test_every_sequence_of_values_can_be_a_prediction() -> None:
    for predictions in (
        *([0, 1], (np.float64(0.0), 1), range(2), collections.deque([0, 1]), [[0], [1]]),
        *(np.array([[0], [1]]), np.array([0, 1], dtype=object), [np.array([0]), np.array([1])]),
        pd.Series([0, 1], index=["a", "__array_interface__"]),
        *(pd.Index([0, 1]), pd.array([0, 1], dtype="Int64"), pd.DataFrame({"a": [0, 1]})),
    ):
        assert measure("mse", [0, 1], predictions) == 0, predictions
