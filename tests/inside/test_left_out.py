"""Fingerprints tell what the normal form of a value leaves out, or say that they do not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.codec import fingerprint

pytestmark = pytest.mark.slow

LONG = 52_000  # parts, more than one value of a claim may have


def of_a_cell(source: str) -> dict[str, Any]:
    """Return what a cell defines."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(source, names)
    return names


FUNCTION = "def f(x=1, *, y=2):\n    return x + y\nvalue = f"
CLOSURE = "def make(step):\n    def add(x): return x + step\n    return add\nvalue = make(2)"
CLASS = "class C:\n    rate = 1\n    def m(self): return self.rate\n    @property\n    def p(self): return 1\nvalue = C"
OBJECTS = (
    "class Node: pass\nvalue = Node()\nlast = value\nfor _ in range(5):\n    last.next = Node()\n    last = last.next\n"
    "last.count = 1"
)
LOOP = f"{OBJECTS}\nlast.first = value"
SLOTS = "class Slim:\n    __slots__ = ('x',)\nvalue = Slim()\nvalue.x = 1"
LISTED = "class Items(list): pass\nvalue = Items([1, 2])"
DATACLASS = "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\nvalue = P(1)\nvalue.more = 1"

DEFINED: list[tuple[str, str, str]] = [
    ("a function's code", FUNCTION, "f.__code__ = (lambda x=1, *, y=2: x - y).__code__"),
    ("a constant in it", FUNCTION, "f.__code__ = f.__code__.replace(co_consts=(None, 5))"),
    ("a default", FUNCTION, "f.__defaults__ = (7,)"),
    ("a keyword's default", FUNCTION, "f.__kwdefaults__['y'] = 7"),
    ("what a function closes over", CLOSURE, "value.__closure__[0].cell_contents = 3"),
    *(("an attribute of a class", CLASS, "C.rate = 2"), ("a method", CLASS, "C.m = lambda self: 0")),
    ("the code of a method", CLASS, "C.m.__code__ = (lambda self: 0).__code__"),
    *(("a property", CLASS, "C.p = property(lambda self: 2)"), ("a new attribute of a class", CLASS, "C.other = 2")),
    ("an attribute five objects deep", OBJECTS, "last.count = 2"),
    *(("an attribute in a ring of objects", LOOP, "last.count = 2"), ("a slot", SLOTS, "value.x = 2")),
    ("the items of a list of a class of its own", LISTED, "value.append(3)"),
    ("an attribute that is no field", DATACLASS, "value.more = 2"),
]


def test_a_change_inside_what_cells_define_is_seen() -> None:
    for what, source, change in DEFINED:
        names = of_a_cell(source)
        before = fingerprint(names["value"])
        assert fingerprint(names["value"]) == before, what
        exec(change, names)
        after = fingerprint(names["value"])
        assert before.is_complete, what
        assert (after.digest, after.beyond) != (before.digest, before.beyond), what


def switch(name: str, value: Any) -> Callable[[Any], None]:
    return lambda holder: setattr(holder.flags, name, value)


def series_with_attrs() -> "pd.Series[Any]":
    series = pd.Series([1])
    series.attrs["unit"] = "km"
    return series


BESIDE: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (pd.DataFrame({"x": [1]}), lambda df: df.attrs.update(unit="km")),
    (series_with_attrs(), lambda series: series.attrs.update(unit="mi")),
    (pd.DataFrame({"x": [1]}), switch("allows_duplicate_labels", False)),
    (np.arange(3), switch("writeable", False)),
    (np.rec.fromrecords([(1, 2.0)]), lambda records: records.setflags(write=False)),
    (np.ma.array([1, 2]), lambda array: array.setflags(write=False)),
    ([np.arange(3), np.arange(3)], lambda arrays: switch("writeable", False)(arrays[1])),
)


def test_a_change_beside_the_values_is_seen_and_leaves_the_digest_alone() -> None:
    for value, change in BESIDE:
        before = fingerprint(value)
        change(value)
        after = fingerprint(value)
        assert after.digest == before.digest
        assert after.beyond != before.beyond
        assert before.is_complete
        assert after.is_complete


def test_the_tail_of_what_is_longer_than_a_claim_may_be_is_seen() -> None:
    value = [(n, "a") for n in range(LONG)]
    before = fingerprint(value)
    value[-1] = (0, "b")
    after = fingerprint(value)
    assert (before.is_whole, before.is_complete) == (False, True)
    assert (after.digest, after.beyond) != (before.digest, before.beyond)


def deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(1000):
        value = [value]
    return value


def test_what_cannot_be_looked_at_is_not_taken_for_complete() -> None:
    rng = np.random.default_rng(0)
    of_many = [*range(LONG), rng, *([(1, 2)] * LONG)]
    held = of_a_cell("def f(seen={}): return seen\nvalue = f")["value"]
    assert [fingerprint(value).is_complete for value in (rng, of_many, deep(), held)] == [False] * 4


def test_what_every_state_holds_is_complete() -> None:
    values = [np, pd, len, np.add, pd.DataFrame, deep, 1, "a", [1], {"a": 1}, pd.DataFrame({"a": [1]}), np.arange(3)]
    assert [fingerprint(value).is_complete for value in values] == [True] * len(values)
    assert [fingerprint(value).beyond for value in values] == [b""] * len(values)
