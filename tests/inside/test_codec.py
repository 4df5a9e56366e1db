"""The codec: every value in its table comes back as it was, and no byte string can break the reader."""

import collections
import contextlib
import datetime as dt
import fractions
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import zoneinfo
from typing import Any

import dateutil.tz
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from hypothesis.extra import pandas as hpd

from evaluator.inside.codec.codec import decode, encode, fingerprint
from evaluator.inside.codec.decode.decoded import FAILED, OVER_LIMIT, Opaque
from evaluator.inside.codec.decode.decoder import BadPayload

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(),
    st.binary(),
    st.decimals(),
    st.fractions(),
    st.dates(),
    st.times(timezones=st.just(dt.UTC) | st.none()),
    st.datetimes(timezones=st.timezones() | st.none()),
    st.timedeltas(),
    st.builds(range, st.integers(-99, 99), st.integers(-99, 99), st.integers(1, 9)),
)
HASHABLE = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.tuples(st.integers(), st.text()))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=12),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(HASHABLE, inner, max_size=12),
        st.sets(HASHABLE, max_size=12),
        st.frozensets(HASHABLE, max_size=5),
    ),
    max_leaves=30,
)
PLAIN_DTYPES = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="?"),
    hnp.floating_dtypes(sizes=(16, 32, 64)),
    hnp.complex_number_dtypes(sizes=(64, 128)),
    hnp.datetime64_dtypes(),
    hnp.timedelta64_dtypes(),
    hnp.unicode_string_dtypes(max_len=5),
    hnp.byte_string_dtypes(max_len=5),
)


def same(left: Any, right: Any) -> bool:
    """Exact equality of values and types, NaN equal to NaN."""
    return type(left) is type(right) and encode(left) == encode(right)


@given(VALUES)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    back = decode(encode(value))
    assert same(back, value)
    if value == value and "nan" not in repr(value).lower():
        assert back == value


@given(hnp.arrays(PLAIN_DTYPES, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)))
def test_arrays_come_back_with_dtype_shape_and_bytes(value: "np.ndarray[Any, Any]") -> None:
    value = np.asarray(value)
    back = decode(encode(value))
    assert (back.dtype, back.shape, back.tobytes()) == (value.dtype, value.shape, value.tobytes())


@given(PLAIN_DTYPES.flatmap(lambda dtype: hnp.arrays(dtype, ()).map(lambda array: array[()])))
def test_numpy_scalars_keep_their_type(value: Any) -> None:
    back = decode(encode(value))
    assert type(back) is type(value)
    assert np.asarray(back).dtype.str.lstrip("<>|") == np.asarray(value).dtype.str.lstrip("<>|")
    assert repr(back) == repr(value)


FRAMES = hpd.data_frames(
    columns=[
        hpd.column("numbers", dtype="f8"),
        hpd.column("counts", dtype="i4"),
        hpd.column("words", elements=st.text(max_size=5) | st.none(), dtype=object),
        hpd.column("flags", dtype="?"),
    ],
    index=hpd.range_indexes(max_size=12),
)


@given(FRAMES)
def test_frames_come_back_equal(value: Any) -> None:
    for frame in (value, value.convert_dtypes(), value.sort_values("numbers"), value.set_index(["counts", "words"])):
        pd.testing.assert_frame_equal(decode(encode(frame)), frame, check_exact=True, check_index_type="exact")


EXACT: dict[str, Any] = {
    **{"int64": pd.Series([1, 2, 3], name="x"), "text": pd.Series(["a", None, "é"])},
    "named index": pd.Series([1.0], index=pd.Index([5], name="k")),
    "index of ranges": pd.RangeIndex(2, 9, 3, name="n"),
    "index of dates": pd.date_range("2020", periods=3, freq="D"),
    "index of month ends": pd.date_range("2020", periods=3, freq=pd.offsets.MonthEnd(), tz="UTC"),
    "index of durations": pd.timedelta_range("1h", periods=3),
    **{"index of objects": pd.Index(["a", 1], dtype=object), "empty index": pd.Index([])},
    "levels": pd.MultiIndex.from_product([[1, 2], ["a", "b"]], names=["x", None]),
    "empty frame": pd.DataFrame(),
    "frame without rows": pd.DataFrame(columns=["a"]),
    "columns twice": pd.DataFrame([[1, 2]], columns=["a", "a"]),
    "column levels": pd.DataFrame({("a", 1): [1], ("b", 2): [2.0]}),
    "nested cells": pd.DataFrame({"o": ["a", {1: 2}, [3]]}, dtype=object),
    **{"one block": pd.DataFrame(np.zeros((2, 3))), "timestamp": pd.Timestamp("2020-01-01 01:02:03.123456789")},
    "zoned timestamp": pd.Timestamp("2020-06-01", tz="America/New_York"),
    "folded timestamp": pd.Timestamp("2020-10-25 01:30", tz="UTC").tz_convert("Europe/Berlin"),
    **{"timedelta": pd.Timedelta("1D 3us"), "period": pd.Period("2020Q1")},
    **{"interval": pd.Interval(1, 2, closed="both"), "NaT": pd.NaT, "NA": pd.NA},
    "long double": np.longdouble(1) / 3,
    "aligned": np.array([(1, 2.5)], dtype=np.dtype([("a", "i1"), ("b", "f8")], align=True)),
    "record": np.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    **{"void": np.array([(1, 2)], dtype="i4,i4")[0], "objects": np.array([1, "a", None], dtype=object)},
    **{"numpy dtype": np.dtype("f8"), "record dtype": np.dtype([("a", "i4"), ("b", "f8", (2,))])},
    **{"Int64 dtype": pd.Int64Dtype(), "str dtype": pd.Series(["a"]).dtype},
    "category dtype": pd.CategoricalDtype(["a", "b"], ordered=True),
    **{"zoned dtype": pd.DatetimeTZDtype("ns", "UTC"), "period dtype": pd.PeriodDtype("M")},
    **{"interval dtype": pd.IntervalDtype("int64", "left"), "sparse dtype": pd.SparseDtype("f8")},
    **{"arrow dtype": pd.ArrowDtype(pa.timestamp("us", tz="UTC")), "huge integer": 7**9000},
    **{"long text": "é" * 5000, "half a character": "\ud800é", "deque": collections.deque([1, 2], maxlen=3)},
    **{"slice": slice(None, 2), "pattern": re.compile("a+", re.IGNORECASE), "path": pathlib.Path("/a/b")},
    "zone of dateutil": dt.datetime(2020, 1, 1, tzinfo=dateutil.tz.tzutc()),
    **{"offset of dateutil": dt.time(3, tzinfo=dateutil.tz.tzoffset(None, 3600)), "ellipsis": ...},
    **{"zone": zoneinfo.ZoneInfo("Asia/Shanghai"), "offset": dt.timezone(dt.timedelta(hours=2), "here")},
    **{"type": np.float64, "mixed list": [1, "a", None, 2.5, False] * 5, "long list": list(range(1000))},
    **{"third": fractions.Fraction(1, 3), "counter": collections.Counter("aab")},
    **{"ordered dict": collections.OrderedDict(b=1, a=2), "default dict": collections.defaultdict(list, {1: [2]})},
    **{"keys": {"a": 1, 2: 3}.keys(), "items": {"a": 1, 2: 3}.items()},
    "offset of pandas": pd.offsets.BusinessDay(3),
}


def test_a_value_of_every_kind_comes_back_with_its_type() -> None:
    assert len(EXACT) >= 55
    for name, value in EXACT.items():
        back = decode(encode(value))
        assert same(back, value), name
        if isinstance(value, pd.Series):
            pd.testing.assert_series_equal(back, value, check_exact=True, check_freq=True, check_index_type="exact")
        elif isinstance(value, pd.DataFrame):
            pd.testing.assert_frame_equal(back, value, check_exact=True, check_index_type="exact")
        elif isinstance(value, pd.Index):
            pd.testing.assert_index_equal(back, value, exact=True)
            assert getattr(back, "freq", None) == getattr(value, "freq", None), name
        elif not isinstance(value, np.ndarray | np.void) and value is not pd.NaT and value is not pd.NA:
            assert back == value, name


class Model:
    """As libraries make them: plain attributes beside others."""

    def __init__(self) -> None:
        self.n_features_in_ = 3
        self.coef_ = np.array([1.0, 2.0])
        self.parent = Part()


class Part:
    def __init__(self) -> None:
        self.depth = 2


def test_other_objects_are_stand_ins_with_plain_attributes() -> None:
    back = decode(encode(Model()))
    assert type(back) is Opaque
    assert back.type_name.endswith(".Model")
    assert back.bases == ("builtins.object",)
    assert back.attributes["n_features_in_"] == 3
    assert back.attributes["coef_"].tolist() == [1.0, 2.0]
    assert back.attributes["parent"].attributes == {"depth": 2}


def test_functions_modules_and_the_like_are_stand_ins() -> None:
    for value in (len, lambda: 1, np, Model, object(), iter([])):
        assert type(decode(encode(value))) is Opaque


def test_a_value_over_a_limit_is_marked_so() -> None:
    deep: list[Any] = []
    for _ in range(50):
        deep = [deep]
    assert decode(encode(deep)) is OVER_LIMIT
    assert decode(encode([[]] * 110_000)) is OVER_LIMIT
    assert decode(encode(np.zeros(9_000_000))) is OVER_LIMIT


def test_a_broken_value_is_marked_as_failed() -> None:
    broken = pd.DataFrame({"a": [1, 2]})
    object.__setattr__(broken, "_mgr", None)
    assert decode(encode(broken)) is FAILED


def test_a_list_inside_itself_becomes_a_note_of_the_level() -> None:
    outer: list[Any] = [[]]
    outer[0].append(outer)
    assert decode(encode(outer))[0][0].attributes == {"levels": 2}


def test_bytes_do_not_depend_on_the_process() -> None:
    program = (
        "import hashlib, sys; sys.path.insert(0, '.')\nfrom evaluator.inside.codec.codec import encode\n"
        "import pandas as pd\nfrom http import HTTPStatus as H\nfrom scipy.sparse import dok_matrix\n"
        "from tests.inside.fuzz_corpus import PAIRS\n"
        "v = [{'a', 'b', ('c', 2.5), frozenset({'x', 'y'})}, pd.DataFrame({'s': ['u', None]}), {'k': {1, 2}},\n"
        "     {H.OK, H.GONE}, dok_matrix([[0, 1], [2, 0]]), *(value for value, _ in PAIRS.values())]\n"
        "print([hashlib.sha256(encode(value)).hexdigest() for value in v])"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    here = io.StringIO()
    with contextlib.redirect_stdout(here):
        exec(program, {})
    assert done.stdout.decode() == here.getvalue()
    assert here.getvalue().count(",") >= 40


@given(VALUES, VALUES)
def test_fingerprints_tell_values_apart(left: Any, right: Any) -> None:
    assert (fingerprint(left).digest == fingerprint(right).digest) is (encode(left) == encode(right))


def test_one_changed_cell_changes_the_fingerprint() -> None:
    frame = pd.DataFrame({"a": range(100_000), "b": ["x"] * 100_000})
    before = fingerprint(frame)
    frame.loc[99_999, "b"] = "y"
    assert before.is_exact
    assert fingerprint(frame).digest != before.digest


def test_a_stand_in_never_counts_as_equal_to_another() -> None:
    assert not fingerprint(Model()).is_exact
    assert not fingerprint([1, {"k": lambda: 1}]).is_exact


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(material: bytes) -> None:
    with pytest.raises(BadPayload):
        decode(material)


def packed(tree: Any, *buffers: bytes) -> bytes:
    header = json.dumps(tree).encode()
    counts = len(header).to_bytes(4, "little") + len(buffers).to_bytes(4, "little")
    lengths = b"".join(len(buffer).to_bytes(8, "little") for buffer in buffers)
    return b"BWC1" + counts + lengths + header + b"".join(buffers)


NESTED: list[Any] = ["none"]
for _ in range(300):
    NESTED = ["list", ["n", [NESTED]]]


MALFORMED = (
    *(
        *(packed(["i", 1.5]), packed(["i", True]), packed(["i"]), packed(["nonsense", 1]), packed({"i": 1})),
        packed(NESTED),
    ),
    b"BWC1" + (200_000).to_bytes(4, "little") + bytes(4) + b"[" * 200_000,
    *(packed(["nd", "<f8", [3], 0], bytes(16)), packed(["nd", "<f8", [-1], 0], bytes(8))),
    *(packed(["nd", "<f8", [2**62, 2**62], 0], bytes(8)), packed(["nd", "|O", [1], 0], bytes(8))),
    *(packed(["nd", "|O8", [1], 0], bytes(8)), packed(["nd", "|b1", [2], 0], b"\x00\x07")),
    *(packed(["nd", "<U1", [1], 0], b"\xff\xff\xff\xff"), packed(["nd", "<U99999999", [0], 0], b"")),
    packed(["nd", ["rec", ["a"], ["|O"], [0], 8], [1], 0], bytes(8)),
    packed(["ndr", ["rec", ["a", "b"], ["<i8", "<i8"], [0, 4], 16], [1], [["nd", "<i8", [1], 0]] * 2], bytes(8)),
    packed(["nd", "<f8", [1], 5], bytes(8)),
    packed(["list", ["ps", 2, 0, 1]], (5).to_bytes(8, "little") + (1).to_bytes(8, "little"), b"a"),
    packed(["list", ["pm", 0, 1, 2, 3, 0, 4, 5]], b"\x09", b"", b"", b"", b"", b""),
    *(packed(["I", 0], b"0x" + b"f" * 2_000_000), packed(["dec", ["s", "not a number"]])),
    *(packed(["frac", ["i", 1], ["i", 0]]), packed(["set", [["list", ["n", []]]]])),
    *(packed(["dict", ["n", [["i", 1], ["i", 1]]], ["n", [["none"], ["none"]]]]), packed(["re", ["s", "("], 0])),
    packed(["tz", ["zone", "../../etc/passwd"]]),
    packed(["cat", ["nd", "|i1", [1], 0], ["ix", ["none"], ["ndo", [0], ["n", []]], None], False], b"\x05"),
    packed(["frame", ["rix", 0, 2, 1, ["none"]], ["rix", 0, 1, 1, ["none"]], []]),
    packed(["series", ["none"], ["rix", 0, 9, 1, ["none"]], ["nd", "<i8", [1], 0]], bytes(8)),
    packed(["mix", [["rix", 0, 1, 1, ["none"]]], [["nd", "|i1", [1], 0]], [["none"]]], b"\x07"),
    *(packed(["rix", 0, 1, 0, ["none"]]), packed(["period", 1, "no frequency"])),
    packed(["arrow", "list<item: int8>", [0, None, 0]], b""),
    packed(["arrow", ["list", ["item", "int8", True]], [1, None, 0, [1, None, 1]]], bytes(8), b"\1"),
    packed(["arrow", ["list", ["item", "int8", True]], [1, None, 0, [9, None, 1]]], b"\x09" + bytes(7), b"\1"),
    *(packed(["arrow", ["struct", []], [5, None, []]]), packed(["arrow", "null", [1 << 40, None]])),
    packed(["arrow", ["dictionary", "int8", "int8", False], [1, None, [1, None, 0], [1, None, 0]]], b"\7"),
    packed(["arrow", "decimal128(2, 0)", [1, None, 0]], b"\xff" * 15 + b"\x7f"),
    *(packed(["unread", 0, ["i", 1]], b""), packed(["str", "moon", "nan", None, 0, 0, 0], b"")),
    packed(["o", "a", [], ["x"], ["n", []]]),
)


def test_malformed_claims_are_refused() -> None:
    for material in MALFORMED:
        with pytest.raises(BadPayload):
            decode(material)
