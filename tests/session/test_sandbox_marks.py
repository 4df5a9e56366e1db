"""Marks: what in a submission people should look at, whatever its verdict."""

import pytest

from evaluator.inside.export.suspicious_code import MARKS, marks_in_source
from evaluator.session import CellLimits, Ending, Session

PATIENT = CellLimits(wall_s=30)


@pytest.mark.parametrize(
    ("source", "marks"),
    [
        ("import ctypes", {"ctypes"}),
        ("getattr(gc, 'get_objects')()", {"gc.get_objects"}),
        ("import sys\nsys._getframe().f_back", {"sys._getframe"}),
        ("open('/proc/self/maps')", {"/proc"}),
        ("np.allclose = lambda *a: True", {"patched numpy"}),
        ("import pandas as pd; pd.testing.assert_frame_equal = print", {"patched pandas"}),
        ("%matplotlib inline\npd.DataFrame.sum = 0", {"patched pandas"}),
        ("pd.options.display.max_rows = 5\nx = np.array([1]) == np.pi\ny = pd.Series(name='/process')", set()),
        ("df.processed = np.random.default_rng(seed=1)", set()),
        ("", set()),
    ],
)
def test_the_text_of_a_submission_speaks(source: str, marks: set[str]) -> None:
    assert marks_in_source(source) == marks
    assert marks <= MARKS


@pytest.mark.kernel
def test_what_a_cell_replaced_is_seen_however_it_was_written(session: Session) -> None:
    patch = "import numpy, pandas\nsetattr(numpy, 'all' + 'close', print)\nvars(pandas)['con' + 'cat'] = print"
    outcome = session.attempt(patch, limits=PATIENT)
    assert outcome.ending is Ending.OK
    assert outcome.marks == ("patched numpy", "patched pandas")
    assert session.attempt("setattr(__import__('pandas').DataFrame, 'sum', 0)", limits=PATIENT).marks == (
        "patched pandas",
    )
    assert session.attempt("x = 1", limits=PATIENT).marks == ()


@pytest.mark.kernel
def test_marks_outlive_a_cell_that_dies(session: Session) -> None:
    outcome = session.attempt("import ctypes\nctypes.string_at(0)", limits=PATIENT)
    assert outcome.ending is Ending.DIED
    assert outcome.marks == ("ctypes",)
