"""What trials report of data so large that the kernel is asked which of its pages were written to."""

from collections.abc import Iterator

import pytest

from evaluator.session import CellLimits, Engine, Outcome, Session

LIMITS = CellLimits(wall_s=60)
STATE = """import os, threading, time
import numpy as np
import pandas as pd
frame = pd.DataFrame({"x": np.arange(1_000_000)})
array = np.ones(1_000_000)
"""


@pytest.fixture(scope="module")
def holding_much(engine: Engine) -> Iterator[Session]:
    with engine.open(key="large", inputs=None) as session:
        session.execute(STATE, limits=LIMITS)
        yield session


def changed(outcome: Outcome) -> set[str]:
    return {variable.name for variable in outcome.variables if variable.change == "updated"}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("frame.sum()", set()),
        ("frame.iloc[999_999, 0] = -1", {"frame"}),
        ("array[500_000] = 2", {"array"}),
        ("array[500_000] = 2\narray[500_000] = 1", set()),
        ("frame['x'] = frame['x']\narray *= 2", {"array"}),
        ("frame.columns = ['y']", {"frame"}),
        ("array[0] = 2\nos.fork() or time.sleep(60)", {"array"}),
        ("array[0] = 2\nthreading.Thread(target=lambda: time.sleep(60)).start()", {"array"}),
    ],
)
def test_every_change_of_large_data_is_reported(holding_much: Session, code: str, names: set[str]) -> None:
    assert changed(holding_much.attempt(code, limits=LIMITS)) == names


def test_a_reference_that_changes_large_data_is_seen_by_later_trials(engine: Engine) -> None:
    with engine.open(key="moving", inputs=None) as session:
        session.execute(STATE, limits=LIMITS)
        assert changed(session.execute("array[7] = 3", limits=LIMITS)) == {"array"}
        assert changed(session.attempt("array[7] = 1", limits=LIMITS)) == {"array"}
        assert changed(session.attempt("array.sum()", limits=LIMITS)) == set()
