"""A session whose cells draw, and the facts of what they drew, for tests that compare figures."""

from typing import Any

from evaluator.session import CaptureSpec, CellLimits, Ending, Session
from tests.session.conftest import Reader

LIMITS = CellLimits(wall_s=30)
SETUP = """import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 1.0, 4.0, 3.0], "kind": list("ppqq")})
wide = pd.DataFrame({"u": [1, 2, 3], "v": [4, 2, 5]}, index=list("abc"))
"""


def figure(session: Session, read: Reader, source: str) -> Any:
    outcome = session.attempt(source, capture=CaptureSpec(figures=True), limits=LIMITS)
    assert outcome.ending is Ending.OK, outcome.error
    return read(outcome).figures[-1].facts
