"""Prints what one trial costs at 0, 20 and 200 MB of session data, beside a deep copy and beside a fresh kernel.

A trial is a fork with full isolation, its report included. The deep copy is made in the session's own process, as an
evaluator without isolation does. The kernel is a fresh one into which the session's cells are replayed.
"""

import statistics
import time
from collections.abc import Callable

from evaluator.session import CellLimits, Engine, Isolation, Session

SIZES_MB = (0, 20, 200)
ROUNDS = 15
KERNELS = 3
GOAL_MS = 40.0
LIMITS = CellLimits(wall_s=60)
COPY = "import copy\nmade = copy.deepcopy(data)\ndel made"


def setup(size_mb: int) -> str:
    """Return a cell that makes one frame of that size."""
    return f"import numpy as np\nimport pandas as pd\ndata = pd.DataFrame({{'x': np.arange({size_mb} * 131072)}})"


def milliseconds(action: Callable[[], object], rounds: int) -> float:
    """Return the median wall time of an action, after one try that does not count."""
    action()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        action()
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times)


def opened(engine: Engine, size_mb: int, isolation: Isolation) -> Session:
    """Open a session that holds so much data."""
    session = engine.open(key="speed", inputs=None, isolation=isolation)
    session.execute(setup(size_mb), limits=LIMITS)
    return session


def measure(engine: Engine, size_mb: int) -> None:
    """Measure one size and print a line."""
    with opened(engine, size_mb, Isolation.FORK) as session:
        trial = milliseconds(lambda: session.attempt("1", limits=LIMITS), ROUNDS)
        cell = milliseconds(lambda: session.execute("1", limits=LIMITS), ROUNDS)
        copy = milliseconds(lambda: session.execute(COPY, limits=LIMITS), ROUNDS) - cell
    with opened(engine, size_mb, Isolation.REPLAY) as session:
        kernel = milliseconds(lambda: session.attempt("1", limits=LIMITS), KERNELS)
    print(
        f"{size_mb:4d} MB   trial {trial:7.1f} ms (goal {GOAL_MS:.0f})   cell in the session {cell:6.1f} ms   "
        f"deep copy {max(copy, 0):6.1f} ms   fresh kernel {kernel:7.1f} ms   trial / kernel {trial / kernel:4.2f}"
    )


def main() -> None:
    """Measure and print."""
    with Engine() as engine:
        for size_mb in SIZES_MB:
            measure(engine, size_mb)


if __name__ == "__main__":
    main()
