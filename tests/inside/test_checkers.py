"""Comparisons written as code run apart and can only say yes by saying so."""

import pytest

from evaluator.inside.codec.decode.decoded import Opaque
from evaluator.inside.validators.author_code import CheckerResult, StandIn, readable, run_checker


def check(body: str, expected: object = 1, found: object = 1, limit_s: float = 5.0) -> CheckerResult:
    return run_checker(
        f"def compare_fn(expected, found):\n    {body}\n", "compare_fn", (expected, found), limit_s=limit_s
    )


@pytest.mark.parametrize(
    "body",
    [
        "return True, ''",
        "return {'match': expected == found, 'reason': ''}",
        "return np.bool_(True)",
        "return pd.Series([1]).eq(1).all() and random is not None",
    ],
)
def test_a_match_is_what_the_code_calls_one(body: str) -> None:
    assert check(body) == CheckerResult(True, "")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return False, 'too far'", "too far"),
        ("return {'match': False, 'reason': 'too far'}", "too far"),
        ("assert found > 1, 'too small'", "too small"),
        ("return 1 / 0", "ZeroDivisionError"),
        ("pass", "returned NoneType"),
        ("return 1", "returned int"),
        ("import os; os._exit(0)", "ended its process"),
        ("raise SystemExit", "SystemExit"),
        ("return Tru", "NameError"),
    ],
)
def test_anything_else_is_no_match(body: str, reason: str) -> None:
    said = check(body)
    assert not said.matched
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
