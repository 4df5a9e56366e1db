"""What cells replace in libraries is put back, and looked for only where something was written to."""

import json
import sys
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.export import dict_versions
from evaluator.inside.export.dict_versions import writes_of
from evaluator.inside.export.originals import Originals


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


def test_every_kind_of_write_to_a_dictionary_is_noticed_where_python_keeps_versions() -> None:
    names = {"a": 1, "b": 2}
    writes = writes_of(names)
    assert (writes() is not None) is (sys.version_info < (3, 14))
    if writes() is None:  # then each name is looked at instead
        return
    seen = {writes()}
    for write in (lambda: names.update(a=3), lambda: names.pop("b"), lambda: names.setdefault("c", 1), names.clear):
        write()
        assert writes() not in seen
        seen.add(writes())
    assert names.get("a") is None
    assert writes() in seen


def test_a_write_to_a_class_is_noticed() -> None:
    class Anything:
        known = 1

    writes = writes_of(vars(Anything))
    before = writes()
    Anything.known = 2
    assert writes() != before or before is None
