"""Whether an object changed, as each rule set's default matcher says it (docs/dseal.md, section 8)."""

from typing import Any

import pandas as pd
import pytest

from evaluator.inside.codec.decode.decoded import NamespaceDiff
from evaluator.inside.compare.match_model import Rules
from evaluator.inside.export.snapshots import keep, same_by
from evaluator.inside.runtime.namespace import Namespace

BOTH, NEITHER = frozenset(Rules), frozenset[Rules]()
SOUND, PUBLISHED = frozenset({Rules.SOUND}), frozenset({Rules.PUBLISHED})
KINDS = pd.DataFrame({"c": pd.Categorical(["a", "b"], categories=["a", "b", "unused"])})
DAYS = pd.DataFrame({"t": pd.to_datetime(["2024-01-05"]).astype("datetime64[ns]")})
CHANGES: dict[str, tuple[Any, Any, frozenset[Rules]]] = {
    "within the tolerance": ({"a": 1.0}, {"a": 1.0 + 1e-9}, BOTH),
    "an integer within the tolerance": ({"a": 1_000_000}, {"a": 1_000_001}, PUBLISHED),
    "another value": ({"a": 1}, {"a": 2}, NEITHER),
    "NaN for None": ([None], [float("nan")], SOUND),
    "categories get an order": (KINDS, KINDS.assign(c=KINDS["c"].cat.as_ordered()), NEITHER),
    "an unused category goes": (KINDS, KINDS.assign(c=KINDS["c"].cat.remove_unused_categories()), NEITHER),
    "an index of other categories": (KINDS.set_index("c").index, KINDS["c"].cat.categories[:2], NEITHER),
    "another unit of time": (DAYS, DAYS.astype("datetime64[s]"), NEITHER),
    "a name for the index": (KINDS, KINDS.rename_axis(index="k"), NEITHER),
}


def copied(value: Any) -> bytes:
    copy = keep(value)
    assert copy is not None
    return copy.data


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_one_by_the_matcher_of_each_rule_set(change: str) -> None:
    before, after, same = CHANGES[change]
    assert same_by(copied(before), copied(after)) == same
    assert same_by(copied(before), copied(before)) == BOTH


def changed(before: Any, code: str) -> NamespaceDiff:
    names: dict[str, Any] = {"x": before}
    namespace = Namespace(names, frozenset({"__builtins__"}))
    began = namespace.begin(())
    exec(code, names)
    return namespace.finish(began)


def test_a_diff_says_what_the_rule_sets_see_otherwise() -> None:
    diff = changed({"a": 1_000_000}, "x['a'] += 1")
    assert (diff.updated, diff.near, diff.otherwise) == (("x",), (), ("x",))
    diff = changed([None], "x[0] = float('nan')")
    assert (diff.updated, diff.near, diff.otherwise) == ((), ("x",), ("x",))
    diff = changed({"a": 1.0}, "x['a'] += 1e-9")
    assert (diff.updated, diff.near, diff.otherwise) == ((), ("x",), ())
    diff = changed({"a": 1}, "x['a'] = 2")
    assert (diff.updated, diff.near, diff.otherwise) == (("x",), (), ())


MADE = """
import copy, enum, pickle
from collections import namedtuple

class Cart:
    def __init__(self):
        self.items = [1, 2]

class Mode(enum.Flag):
    READ = 1
    WRITE = 2

Pair = namedtuple("Pair", "a b")
cart, pair = Cart(), Pair(1, 2)
"""


@pytest.mark.parametrize(
    "code",
    [
        "c = copy.deepcopy(cart); c.items.append(3)",
        "copy.copy(cart), copy.copy(pair)",
        "Mode.READ | Mode.WRITE, ~Mode.READ",
        "pair._replace(a=3), pair._asdict()",
        "isinstance(cart, Cart), repr(Cart), dir(Cart), vars(Cart)",
    ],
)
def test_to_copy_and_to_look_at_objects_changes_no_class(code: str) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(MADE, names)
    namespace = Namespace(names, frozenset({"__builtins__", "__name__"}))
    began = namespace.begin(())
    exec(code, names)
    diff = namespace.finish(began)
    assert (diff.updated, diff.touched, diff.replaced) == ((), (), ())
