"""The codec on values with named parts, on SciPy's sparse matrices and on columns of strings."""

import collections
import dataclasses
import enum
import types
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from evaluator.inside.codec.codec import decode, encode, fingerprint
from evaluator.inside.codec.decode.decoded import OVER_LIMIT, DecodedRecord, Opaque
from evaluator.inside.codec.decode.decoder import BadPayload
from evaluator.inside.codec.encode.encode_numpy import CLASSES
from evaluator.inside.compare.match_model import MatchOptions, Rules
from evaluator.inside.compare.matchers import compare

FORMATS = sorted(name for name in CLASSES if hasattr(sparse, name))
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Shape:
    name: str
    sides: int = 3
    area: Any = None


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    x: float
    y: list[int]


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2


def matches(expected: Any, found: Any, *, sound: bool = True, **options: Any) -> str:
    chosen = MatchOptions(rules=Rules.SOUND if sound else Rules.PUBLISHED, **options)
    return compare(decode(encode(expected)), decode(encode(found)), chosen).answer.value


def test_named_tuples_are_tuples_that_know_their_names() -> None:
    from scipy import stats  # takes longer to import than all the rest here

    back: Any = decode(encode(Point(1, [2])))
    assert isinstance(back, tuple) is True
    assert (back, back.x, back.y, str(back)) == ((1, [2]), 1, [2], "Point(x=1, y=[2])")
    assert type(back) is type(decode(encode(Point(3, 4))))
    result = decode(encode(stats.linregress([1, 2, 3], [2, 4, 6.5])))
    assert result.slope == pytest.approx(2.25)
    assert matches((1, 2), Point(1, 2)) == matches(Point(1, 2), [1, 2]) == "yes"
    assert matches(Point(1, 2), Point(1, 3)) == "no"


def test_records_come_back_as_their_parts() -> None:
    for value in (Shape("square", 4, np.array([1.5])), Slotted(1.5, [2]), Colour.RED, Access(3)):
        back = decode(encode(value))
        assert type(back) is DecodedRecord
        assert back.type_name.endswith(f".{type(value).__qualname__}")
        assert fingerprint(value).is_exact
        if isinstance(value, enum.Enum):
            assert (back.name, back.value) == (value.name, value.value)
        else:
            assert list(back.fields) == [field.name for field in dataclasses.fields(value)]


def test_records_match_by_class_name_and_all_of_their_parts() -> None:
    assert matches(Shape("a", 3, [0.1 + 0.2]), Shape("a", 3, [0.3])) == "yes"
    assert matches(Shape("a", 3), Shape("a", 4)) == "no"
    assert matches(Shape("a", 3), {"name": "a", "sides": 3, "area": None}) == "no"
    assert matches(Colour.RED, Colour.RED) == matches(Colour.RED, Colour.RED, sound=False) == "yes"
    assert matches(Colour.RED, Colour.BLUE) == matches(Colour.RED, 1) == matches(Access.READ, 1) == "no"
    assert matches({Colour.RED: 1}, {Colour.RED: 1}) == "yes"
    assert matches(Shape("a", 3), Shape("a", 3), sound=False) == "yes"
    assert matches(types.SimpleNamespace(a=1), types.SimpleNamespace(a=1)) == "yes"


def test_a_class_of_the_same_name_earns_nothing_by_its_name() -> None:
    fake = type("Shape", (), {"__module__": Shape.__module__, "__eq__": lambda *_: True})()
    bare = dataclasses.make_dataclass("Shape", [], namespace={"__module__": Shape.__module__})()
    nothing = dataclasses.make_dataclass("Nothing", [])()
    for found in (fake, bare):
        assert type(decode(encode(found))) is Opaque
        assert matches(Shape("a"), found) == matches(Shape("a"), found, sound=False) == "no"
    assert matches(nothing, nothing) == "no"
    assert matches(Shape("a", 3, object()), Shape("a", 3, object())) == "no"


def test_no_code_of_a_class_runs_while_its_objects_are_written() -> None:
    called = []

    class Meta(type):
        def __getattribute__(cls, name: str) -> Any:
            called.append(name)
            return super().__getattribute__(name)

    class Nosy(metaclass=Meta):
        __dataclass_fields__ = property(lambda _: called.append("fields"))
        _fields = property(lambda _: called.append("tuple"))

        def __getattribute__(self, name: str) -> Any:
            called.append(name)
            return object.__getattribute__(self, name)

        @property
        def __dict__(self) -> Any:  # pyrefly: ignore[bad-override]  # as a cell may
            called.append("dict")
            return {}

    value = Nosy()
    called.clear()
    assert type(decode(encode([value, Nosy]))[0]) is Opaque
    assert called == []


def test_mappings_of_the_standard_library_keep_their_class() -> None:
    back = decode(encode(collections.defaultdict(list, {1: [2]})))
    assert back["new"] == []
    unknown = decode(encode(collections.defaultdict(lambda: 1, a=2)))
    assert (type(unknown), unknown.default_factory, dict(unknown)) == (collections.defaultdict, None, {"a": 2})
    assert matches({"a": 2, "b": 1}, collections.Counter("aab")) == "yes"
    assert type(decode(encode(type("Own", (dict,), {"items": None})(a=1)))) is dict


def test_a_function_is_told_by_its_names_and_parameters() -> None:
    def f(a: int, /, b: int, *rest: int, c: int = 1, **others: int) -> int:
        return a + b + c + len(rest) + len(others)

    back = decode(encode(f))
    assert type(back) is Opaque
    assert back.attributes["__name__"] == "f"
    assert back.attributes["__signature__"] == "(a, /, b, *rest, c, **others)"
    assert decode(encode(lambda x, *, y: x + y)).attributes["__signature__"] == "(x, *, y)"


@given(
    hnp.arrays(
        st.sampled_from(["f8", "i4", "?", "c16"]), hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=5)
    ),
    st.sampled_from(FORMATS),
)
def test_sparse_matrices_come_back_in_their_class(dense: "np.ndarray[Any, Any]", name: str) -> None:
    made = getattr(sparse, name)(np.nan_to_num(dense))
    back = decode(encode(made))
    assert type(back) is type(made)
    assert (back.shape, back.dtype) == (made.shape, made.dtype)
    assert np.array_equal(back.toarray(), made.toarray())
    assert encode(back) == encode(made)


def test_a_sparse_matrix_with_too_many_cells_is_over_a_limit() -> None:
    assert decode(encode(sparse.csr_matrix((2**26, 3)))) is OVER_LIMIT
    assert decode(encode(sparse.coo_matrix((2**26, 3)))).shape == (2**26, 3)


def test_a_sparse_matrix_with_odd_places_is_refused() -> None:
    places = np.array([0, 1], np.int64).tobytes()
    for rows, columns in (([0, 5], [0, 0]), ([0, 0], [1, 1]), ([1, 0], [0, 0]), ([0, -1], [0, 0])):
        claim = encode(sparse.coo_matrix(([1.0, 2.0], ([0, 1], [0, 1])), shape=(2, 2)))
        for given_places in (rows, columns):
            claim = claim.replace(places, np.array(given_places, np.int64).tobytes(), 1)
        with pytest.raises(BadPayload):
            decode(claim)
