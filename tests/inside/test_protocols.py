"""No rebuilt value answers a protocol of NumPy or pandas, whatever a submission wrote under its name."""

import collections
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.codec import decode, encode, pack
from evaluator.inside.codec.decode.decoded import DecodedRecord, Opaque
from evaluator.inside.codec.decode.decoder import BadPayload
from evaluator.inside.codec.protocols import is_private
from evaluator.inside.compare.model_metrics import measure
from evaluator.inside.validators.author_code import StandIn, readable

_SPECIAL: Final = re.compile(rb"__[a-z][a-z0-9_]*?[a-z0-9]__(?![a-z0-9_])")
_PRIVATE: Final = re.compile(rb"(?:getattr|hasattr)\(\s*[\w.]+,\s*['\"](_[a-z]\w*)['\"]")
PLANTED: Final = {"data": (8, True), "shape": (1 << 30,), "typestr": "|u1", "version": 3, "offset": 0}


def looked_up() -> tuple[str, ...]:
    """Return every `__x__` in the installed NumPy and pandas, compiled parts included, and what `getattr` asks for."""
    found: set[bytes] = set()
    for package in (np, pd):
        for path in Path(str(package.__file__)).parent.rglob("*"):
            if path.suffix in (".py", ".so", ".pyd") and "tests" not in path.parts:
                data = path.read_bytes()
                found.update(_SPECIAL.findall(data))
                found.update(_PRIVATE.findall(data) if path.suffix == ".py" else ())
    return tuple(sorted(name.decode() for name in found))


PROTOCOLS: Final = looked_up()


def answers(value: Any, name: str) -> bool:
    """Return whether a value gives out what was planted under a name."""
    try:
        return bool(getattr(value, name) == PLANTED)
    except AttributeError:
        return False


def test_the_libraries_are_searched_where_their_protocols_are() -> None:
    known = {"__array_interface__", "__array_struct__", "__array__", "__array_ufunc__", "__array_function__"}
    more = {"__array_priority__", "__dataframe__", "__arrow_c_stream__", "__dlpack__", "_typ", "_mask", "_data"}
    assert known | more <= set(PROTOCOLS)
    assert all(map(is_private, PROTOCOLS))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_no_rebuilt_object_answers_a_protocol(name: str) -> None:
    parts = {name: PLANTED, "x": 1}
    make: Any = collections.namedtuple
    named = make("Named", ["x", name], rename=True)
    planted: tuple[Any, ...] = (
        DecodedRecord("m.Point", parts),
        StandIn("m.Model", parts),
        Opaque("m.Model", (), parts),
        readable(Opaque("m.Model", (), parts)),
        readable(DecodedRecord("m.Point", parts)),
        readable([Opaque("m.Model", (), parts)])[0],
        decode(encode(parts)),
        decode(encode(collections.Counter({name: 1}))),
        decode(encode(collections.OrderedDict(parts))),
        decode(encode(collections.defaultdict(int, parts))),
        decode(encode(named(1, PLANTED))),
    )
    assert [value for value in planted if answers(value, name)] == []
    assert planted[0].x == planted[1].x == 1
    for node in payloads_of(name):
        try:
            value = decode(pack(node, []))
        except BadPayload:
            continue
        assert not answers(value, name)
        assert not answers(readable(value), name)


def payloads_of(name: str) -> tuple[Any, ...]:
    """Return nodes that claim a value with such a part, as no exporter of ours writes them."""
    interface = ["dict", ["n", [["s", "version"]]], ["n", [["i", 3]]]]
    return (
        ["record", "types.SimpleNamespace", [name], ["n", [interface]]],
        ["named", "m.Point", [name], ["n", [interface]]],
        ["o", "m.Model", [], [name], ["n", [interface]]],
        ["rec", ["ndr", ["rec", [name], ["|u1"], [0], 1], [1], [["nd", "|u1", [1], "AQ=="]]]],
    )


def is_the_text(found: Any) -> bool:
    return isinstance(found, (bytes, np.ndarray)) and np.ravel(np.asarray(found)).tolist() == [b"series"]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_field_of_a_record_array_is_no_attribute_under_the_name_of_a_protocol(name: str) -> None:
    claimed = np.array([(b"series",)], dtype=[(name, "S6")]).view(np.recarray)
    rebuilt = decode(encode(claimed))
    assert rebuilt[name][0] == b"series"
    for value in (rebuilt, rebuilt[0]):
        assert not is_the_text(getattr(value, name, None))


@pytest.mark.parametrize("name", [name for name in PROTOCOLS if name.startswith("__")])
def test_a_record_is_refused_if_it_claims_such_a_part(name: str) -> None:
    for node in payloads_of(name)[:2]:
        with pytest.raises(BadPayload):
            decode(pack(node, []))
    assert isinstance(decode(encode(types.SimpleNamespace(**{name: PLANTED, "x": 1}))), Opaque)


def test_private_parts_of_records_count_in_comparisons_and_are_found_among_the_fields() -> None:
    one, other = (decode(encode(types.SimpleNamespace(_seen=seen, x=1))) for seen in (1, 2))
    assert one == decode(encode(types.SimpleNamespace(_seen=1, x=1)))
    assert one != other
    assert one.fields["_seen"] == 1
    with pytest.raises(AttributeError, match="_seen"):
        _ = one._seen


IN_A_COMPARATOR = """
import numpy as np, pandas as pd
from evaluator.inside.codec.codec import decode, encode
from evaluator.inside.compare.model_metrics import measure
from evaluator.inside.codec.protocols import keep_labels_from_protocols

keep_labels_from_protocols()
keep_labels_from_protocols()
secret = np.frombuffer(b"the answer" * 5, "u1")
address = {"data": (secret.ctypes.data, True), "shape": (10,), "typestr": "|u1", "version": 3}
series = decode(encode(pd.Series([address, 1], index=["__array_interface__", "plain"], dtype=object)))
frame = decode(encode(pd.DataFrame({"__array_interface__": [address], "plain": [1]})))
for made in (np.asarray(series), np.array([series, series], dtype=object), np.asarray(frame), np.asarray(frame.T)):
    assert made.dtype == object, made
assert series.plain == 1 and list(frame.plain) == [1]
assert series["__array_interface__"] == address
assert np.array([series.T, frame.iloc[0]], dtype=object).dtype == object
assert list(frame.iloc[:, :0].columns) == [] and frame.copy().equals(frame)
names = NAMES
for name in names:
    row = pd.Series([address], index=[name], dtype=object)
    column = pd.DataFrame({name: [address]})
    assert getattr(row, name, None) is not row.iloc[0], name
    assert type(getattr(column, name, None)) is not pd.Series, name
"""


def test_labels_of_tables_are_no_addresses_in_a_comparator() -> None:
    special = [name for name in PROTOCOLS if name.startswith("__")]
    code = IN_A_COMPARATOR.replace("NAMES", repr(["_as_parameter_", *special]))
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)  # in its own process: pandas is changed


@pytest.mark.parametrize("metric", ["accuracy", "f1", "r2", "mse", "roc_auc"])
@pytest.mark.parametrize(
    "predictions",
    [
        DecodedRecord("m.P", {"__array_interface__": PLANTED}),
        DecodedRecord("m.P", {"shape": (2,), "dtype": np.dtype("f8")}),
        [DecodedRecord("m.P", {"__array_interface__": PLANTED}), 1],
        np.array([DecodedRecord("m.P", {}), DecodedRecord("m.P", {})], dtype=object),
        pd.Series([DecodedRecord("m.P", {}), 1], dtype=object),
        pd.DataFrame({"a": [DecodedRecord("m.P", {}), 1]}),
        StandIn("m.P", {"__array_interface__": PLANTED}),
        {"data": [0, 1]},
        {0, 1},
        "01",
        1,
        [[[[0]]], [[[1]]]],
    ],
    ids=lambda value: type(value).__name__,
)
def test_predictions_that_are_no_values_never_reach_numpy(metric: str, predictions: Any) -> None:
    with pytest.raises(ValueError, match="plain values"):
        measure(metric, [0, 1], predictions)


@pytest.mark.parametrize(
    "predictions",
    [
        [0, 1],
        (np.float64(0.0), 1),
        range(2),
        collections.deque([0, 1]),
        np.array([[0], [1]]),
        np.array([0, 1], dtype=object),
        pd.Series([0, 1], index=["a", "__array_interface__"]),
        pd.Index([0, 1]),
        pd.array([0, 1], dtype="Int64"),
        pd.DataFrame({"a": [0, 1]}),
        [[0], [1]],
        [np.array([0]), np.array([1])],
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_sequence_of_values_can_be_a_prediction(predictions: Any) -> None:
    assert measure("mse", [0, 1], predictions) == 0
