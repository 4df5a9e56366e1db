"""Prints how long a template draft takes beside one run of its reference code: `python tests/speed/draft_speed.py`.

Two shipped seeds and an invented table of 200,000 rows. The goals, on a quiet machine: under 20 s for twelve problems,
and no reference that takes more than a third of its time limit.
"""

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from authoring.seeds import build_profile  # noqa: E402
from authoring.templates import draft_from_sketch, sketch_from_profile  # noqa: E402
from evaluator.language import Problem, SetupCell, parse_problemset  # noqa: E402
from evaluator.session import Engine  # noqa: E402
from tests.templates.nasty_tables import large  # noqa: E402


def main() -> None:
    print(f"{'seed':<20} {'problems':>8} {'draft':>8} {'run':>7} {'ratio':>6} {'of limit':>9}")
    with Engine(trusted=True) as engine, tempfile.TemporaryDirectory() as made:
        large(Path(made))
        for folder in (ROOT / "seeds" / "penguins", ROOT / "seeds" / "gapminder", Path(made)):
            measure(engine, folder, "200,000 rows" if folder == Path(made) else folder.name)


def measure(engine: Engine, folder: Path, name: str) -> None:
    """Draft a seed once, run what came of it once, and print both times in seconds."""
    profile = build_profile(engine, sorted(folder.glob("*.csv")))
    start = time.perf_counter()
    items = sketch_from_profile(profile, rng_seed=0)
    drafted = draft_from_sketch(engine, folder, profile, items, rng_seed=0, name="speed")
    took = time.perf_counter() - start
    ran, share = run_once(engine, folder, drafted.text)
    print(f"{name:<20} {drafted.report['problems']:>8} {took:>7.1f}s {ran:>6.1f}s {took / ran:>6.1f} {share:>9.0%}")


def run_once(engine: Engine, folder: Path, text: str) -> tuple[float, float]:
    """Return the seconds that a problemset's cells take in one session, and the slowest one's share of its limit."""
    problemset = parse_problemset(text, name="speed").problemset
    assert problemset is not None
    share = 0.0
    start = time.perf_counter()
    with engine.open(key="speed", inputs=folder) as session:
        for cell in problemset.cells:
            if isinstance(cell, Problem):
                share = max(share, session.execute(cell.code).seconds / cell.time_limit_s)
            elif isinstance(cell, SetupCell):
                session.execute(cell.source)
    return time.perf_counter() - start, share


if __name__ == "__main__":
    main()
