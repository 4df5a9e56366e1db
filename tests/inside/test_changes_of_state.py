"""What cells change of the state is noticed: by copies, by digests of large buffers, by what libraries were."""

import hashlib
import json
import mmap
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.decode.decoded import NamespaceDiff
from evaluator.inside.codec.digests import LARGE_BYTES, LargeBuffers
from evaluator.inside.compare.match_model import Rules
from evaluator.inside.export import dict_versions
from evaluator.inside.export.dict_versions import writes_of
from evaluator.inside.export.originals import Originals
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


def test_a_change_is_one_by_the_matcher_of_each_rule_set() -> None:
    for change, (before, after, same) in CHANGES.items():
        assert same_by(copied(before), copied(after)) == same, change
        assert same_by(copied(before), copied(before)) == BOTH, change


def changed(names: dict[str, Any], code: str) -> NamespaceDiff:
    namespace = Namespace(names, frozenset({"__builtins__", "__name__"}))
    began = namespace.begin(())
    exec(code, names)
    return namespace.finish(began)


def test_a_diff_says_what_the_rule_sets_see_otherwise() -> None:
    for before, code, updated, near, otherwise in (
        ({"a": 1_000_000}, "x['a'] += 1", "x", "", "x"),
        ([None], "x[0] = float('nan')", "", "x", "x"),
        ({"a": 1.0}, "x['a'] += 1e-9", "", "x", ""),
        ({"a": 1}, "x['a'] = 2", "x", "", ""),
    ):
        diff = changed({"x": before}, code)
        assert (diff.updated, diff.near, diff.otherwise) == (tuple(updated), tuple(near), tuple(otherwise)), code


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


def test_to_copy_and_to_look_at_objects_changes_no_class() -> None:
    for code in (
        *("c = copy.deepcopy(cart); c.items.append(3)", "copy.copy(cart), copy.copy(pair)"),
        *("Mode.READ | Mode.WRITE, ~Mode.READ", "pair._replace(a=3), pair._asdict()"),
        "isinstance(cart, Cart), repr(Cart), dir(Cart), vars(Cart)",
    ):
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(MADE, names)
        diff = changed(names, code)
        assert (diff.updated, diff.touched, diff.replaced) == ((), (), ()), code


ANOTHER = hashlib.sha256(b"another").digest()
FORKS, SIZE = 30, 16 * LARGE_BYTES


def in_fork(work: Callable[[], bool]) -> bool:
    """Return what `work` returns in a fork of this process."""
    pid = os.fork()
    if pid == 0:
        status = 2
        try:
            status = 0 if work() else 1
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, 1)
    return status == 0


def prepared() -> tuple[LargeBuffers, Any]:
    """Return digests of one buffer, made wrong: they show who takes them from memory.

    The buffer has its pages to itself: what a fork writes beside it would give the fork a page of its own.
    """
    large = LargeBuffers()
    buffer: Any = np.frombuffer(mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.uint8)
    buffer[:] = 1
    assert large.digest(buffer) == hashlib.sha256(buffer).digest()
    large._digests = dict.fromkeys(large._digests, ANOTHER)
    return large, buffer


def hashed_in_fork() -> bool:
    """Return whether a fork hashed a buffer that it shares."""
    large, buffer = prepared()

    def work() -> bool:
        large.share()
        return large.digest(buffer) != ANOTHER

    return in_fork(work)


def test_forks_do_not_hash_what_they_share_with_the_process_before_them() -> None:
    """The kernel moves pages as it likes; a fork that looks meanwhile hashes them, which is right, only slower."""
    assert any(not hashed_in_fork() for _ in range(FORKS))


def test_one_written_byte_makes_a_fork_hash_the_buffer() -> None:
    large, buffer = prepared()

    def work(place: int) -> bool:
        buffer[place] = 2
        large.share()
        return large.digest(buffer) == hashlib.sha256(buffer).digest() != ANOTHER

    for place in (0, 1_234_567, SIZE - 1):
        assert in_fork(partial(work, place))


def test_without_a_page_map_everything_is_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError

    monkeypatch.setattr("evaluator.inside.codec.digests._open", refuse)
    large, buffer = prepared()

    def work() -> bool:
        large.share()
        return large.digest(buffer) == hashlib.sha256(buffer).digest()

    assert in_fork(work)


@pytest.fixture(params=[True, False], ids=["versions", "no versions"])
def originals(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Originals]:
    monkeypatch.setattr(dict_versions, "_HAS_VERSIONS", request.param and dict_versions._HAS_VERSIONS)
    made = Originals()
    yield made
    made.restore()


def test_replaced_functions_and_methods_are_put_back(originals: Originals, monkeypatch: pytest.MonkeyPatch) -> None:
    dumps, total, merge = json.dumps, np.sum, pd.DataFrame.merge
    monkeypatch.setattr(json, "dumps", None)
    monkeypatch.setattr(np, "sum", None)
    monkeypatch.setattr(pd.DataFrame, "merge", None)
    names = {name for _, name, _ in originals.restore()}
    assert names == {"dumps", "sum", "merge"}
    assert (json.dumps, np.sum, pd.DataFrame.merge) == (dumps, total, merge)
    assert originals.restore() == []


def test_what_is_replaced_twice_is_put_back_twice(originals: Originals, monkeypatch: pytest.MonkeyPatch) -> None:
    dumps = json.dumps
    for _ in range(2):
        monkeypatch.setattr(json, "dumps", None)
        with originals.for_a_while():
            assert json.dumps is dumps
        assert json.dumps is None
    assert [name for _, name, _ in originals.restore()] == ["dumps"]


def test_writes_to_a_dictionary_are_noticed_where_python_keeps_versions() -> None:
    names = {"a": 1, "b": 2}
    writes = writes_of(names)
    assert (writes() is not None) is (sys.version_info < (3, 14))
    seen = {writes()}
    for write in (lambda: names.update(a=3), lambda: names.pop("b"), lambda: names.setdefault("c", 1), names.clear):
        write()
        assert writes() not in seen or writes() is None
        seen.add(writes())
