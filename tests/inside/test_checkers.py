"""Comparisons written as code run apart and can only say yes by saying so."""

import pandas as pd
import pytest

from evaluator.inside.codec.decode.decoded import Opaque
from evaluator.inside.validators.author_code import CheckerResult, StandIn, matched_ahead, readable, run_checker
from evaluator.inside.validators.stateless_code import leaves_nothing


def check(body: str, expected: object = 1, found: object = 1, limit_s: float = 5.0) -> CheckerResult:
    return run_checker(
        f"def compare_fn(expected, found):\n    {body}\n", "compare_fn", (expected, found), limit_s=limit_s
    )


def test_a_match_is_what_the_code_calls_one() -> None:
    for body in (
        "return True, ''",
        "return {'match': expected == found, 'reason': ''}",
        "return np.bool_(True)",
        "return pd.Series([1]).eq(1).all() and random is not None",
    ):
        assert check(body) == CheckerResult(True, ""), body


def test_anything_else_is_no_match() -> None:
    for body, reason in (
        *(("return False, 'too far'", "too far"), ("return {'match': False, 'reason': 'too far'}", "too far")),
        *(("assert found > 1, 'too small'", "too small"), ("return 1 / 0", "ZeroDivisionError")),
        *(("pass", "returned NoneType"), ("return 1", "returned int"), ("return Tru", "NameError")),
        *(("import os; os._exit(0)", "ended its process"), ("raise SystemExit", "SystemExit")),
    ):
        said = check(body)
        assert not said.matched, body
        assert reason in said.reason


def test_code_that_hangs_is_stopped() -> None:
    said = check("while True: pass", limit_s=0.3)
    assert said == CheckerResult(False, "compare_fn did not answer within 0.3 s", failed=True)


def test_code_sees_the_attributes_of_what_cannot_be_rebuilt() -> None:
    model = Opaque("sklearn.svm.SVC", ("object",), {"n_features_in_": 3, "inner": Opaque("m.Part", (), {"depth": 2})})
    assert check("return found[0].n_features_in_ == 3 and found[0].inner.depth == 2", found=[model]).matched
    assert "no attribute" in check("return found.predict([1])", found=model).reason


def test_a_stand_in_is_read_only() -> None:
    stand_in = readable(Opaque("m.Model", (), {"depth": 2}))
    assert isinstance(stand_in, StandIn)
    assert repr(stand_in) == "<stand-in of m.Model>"
    with pytest.raises(AttributeError, match="read-only"):
        stand_in.depth = 3
    with pytest.raises(AttributeError, match="read-only"):
        del stand_in.depth


SORTED = """
import numpy as np

def compare_fn(expected, output):
    left = expected.sort_values(by=list(expected.columns)).reset_index(drop=True)
    right = output.sort_values(by=list(output.columns)).reset_index(drop=True)
    return {"match": left.equals(right) and np.allclose(left["a"], right["a"]), "reason": f"{len(right)} rows"}
"""
PLAIN = (
    SORTED,
    "def compare_fn(expected, output):\n    return sorted(expected) == sorted(output)",
    "def near(a, b=1e-6):\n    return abs(a) < b\n\ndef compare_fn(expected, output):\n    return near(expected)",
    "def compare_fn(expected, output):\n    output['b'] = output['a'].round(2)\n    return output.shape == (2, 2)",
    "def compare_fn(expected: pd.DataFrame, output) -> bool:\n"
    "    try:\n        pd.testing.assert_frame_equal(expected, output)\n"
    "    except AssertionError as error:\n        return False, str(error)\n    return True",
)


def test_code_of_arguments_tables_and_arrays_alone_leaves_nothing() -> None:
    assert [code for code in PLAIN if not leaves_nothing(code)] == []


LEAVING = (
    *("pd.set_option('mode.copy_on_write', True); return True", "pd.options.display.precision = 2; return True"),
    *("np.random.seed(1); return True", "expected.flags.writeable = False; return True", "yield True", "return ("),
    *("pd.DataFrame.shape = 1; return True", "library = pd; library.shape = 1; return True", "name = np; return True"),
    *("import os; return True", "import numpy.random as np; return True", "import warnings; return True"),
    *("global seen; seen = 1; return True", "setattr(expected, 'a', 1); return True", "exec('x = 1'); return True"),
    *("list(map(setattr, [pd], ['a'], [1])); return True", "__builtins__['len'] = max; return True"),
    *("return expected.__class__ is output.__class__", "pd.DataFrame().agg('_metadata').append('seen'); return True"),
)


def test_code_that_could_leave_something_is_found() -> None:
    sources = [f"def compare_fn(expected, output):\n    {body}\n" for body in LEAVING]
    assert [source for source in sources if leaves_nothing(source)] == []


def test_code_that_keeps_something_between_calls_is_found() -> None:
    for code in (
        "seen = []\n\ndef compare_fn(expected, output):\n    seen.append(1)\n    return len(seen) == 1",
        "def compare_fn(expected, output, seen=[]):\n    seen.append(1)\n    return len(seen) == 1",
        "@pd.api.extensions.register_series_accessor('a')\ndef compare_fn(expected, output):\n    return True",
        "class Seen:\n    pass\n\ndef compare_fn(expected, output):\n    return True",
    ):
        assert not leaves_nothing(code), code
        assert matched_ahead(code, "compare_fn", [(1, 1)] * 5) == frozenset(), code


def test_matches_are_found_in_one_process_up_to_the_first_that_is_none() -> None:
    table, other = pd.DataFrame({"a": [2.0, 1.0]}), pd.DataFrame({"a": [1.0, 3.0]})
    values = [(table, table[::-1]), (table, table), (table, other), (table, table)]
    assert matched_ahead(SORTED, "compare_fn", values) == {0, 1}
    assert [run_checker(SORTED, "compare_fn", each).matched for each in values] == [True, True, False, True]


def test_only_a_plain_yes_counts_ahead() -> None:
    values = [(True, True), (True, True), (True, False), (True, True)]
    for body in ("return found, 'why'", "return {'match': found or 'partial'}", "return 1 / int(found) == 1"):
        assert matched_ahead(f"def compare_fn(expected, found):\n    {body}\n", "compare_fn", values) == {0, 1}, body


def test_what_was_said_before_time_is_up_counts() -> None:
    body = "    total = 0\n    for one in range(found):\n        total += one\n    return True\n"
    values = [(0, 10), (0, 10), (0, 10**12), (0, 10)]
    assert matched_ahead(f"def compare_fn(expected, found):\n{body}", "compare_fn", values, limit_s=1) == {0, 1}
