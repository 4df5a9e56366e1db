"""Prints how long scores of pictures, texts and predictions take: `python tests/speed/likeness_speed.py`.

The goals: 1,000 likenesses of pictures and 1,000 of texts by two graders under 20 s, a prediction file of 2,000 steps
under 60 s.
"""

import io
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

sys.path.insert(0, str(Path(__file__).parents[2]))

from evaluator.families.cibench.benchmark_folder import import_folder
from evaluator.families.predicted_run import import_predictions
from evaluator.session.grader_pool import GradeItem, GraderPool
from tests.families.notebooks import answer, ask, book, printed, shown, value, write
from tests.families.test_cibench_predictions import failed, predictions, ran

WORKERS, PLOTS, PAIRS = 2, 10, 1_000
NOTEBOOKS, STEPS = 100, 20
SCORES_GOAL_S, PREDICTIONS_GOAL_S = 20, 60


def plot(rng_seed: int) -> bytes:
    """A plot as a notebook's inline backend draws it: 640 x 480, four channels."""
    random = np.random.default_rng(rng_seed)
    figure, axes = plt.subplots()
    axes.plot(random.normal(size=50).cumsum())
    axes.bar(range(8), random.uniform(1, 5, 8), alpha=0.5)
    axes.set_title(f"Series {rng_seed}")
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=100)
    plt.close(figure)
    return file.getvalue()


def measure_scores(plots: list[bytes]) -> float:
    pictures = [GradeItem("visual", plots[n % PLOTS], plots[(n * 7 + 1) % PLOTS], sound=False) for n in range(PAIRS)]
    line = "the mean of column {} is {:.2f} and its median {:.2f}"
    texts = [GradeItem("text", line.format(n, n / 3, n / 7).encode(), line.format(n, n / 4, n / 7).encode())
             for n in range(PAIRS)]  # fmt: skip
    with GraderPool(count=WORKERS, trusted=True) as graders, ThreadPoolExecutor(WORKERS) as threads:
        list(threads.map(graders.grade, [pictures[:1], pictures[:1]]))  # what they import is no part of it
        begun = time.perf_counter()
        halves = [pictures[::2] + texts[::2], pictures[1::2] + texts[1::2]]
        grades = [grade for half in threads.map(graders.grade, halves) for grade in half]
        seconds = time.perf_counter() - begun
    assert len(grades) == 2 * PAIRS
    assert all(grade.score is not None for grade in grades)
    return seconds


def measure_predictions(folder: Path, plots: list[bytes]) -> float:
    cells = []
    for number in range(STEPS // 4):
        codes = (answer("x = 1"), answer("x", value("42")), answer("t", printed("mean 3\n")),
                 answer("p", shown(plots[number % PLOTS])))  # fmt: skip
        cells += [cell for code in codes for cell in (ask(f"Step {number}"), code)]
    types = ["exec", "num", "text", "vis"] * (STEPS // 4)
    for number in range(NOTEBOOKS):
        write(folder / "notebooks" / f"{number:03}.ipynb", book(*cells, step_types=types))
    import_folder(folder / "notebooks", folder / "benchmark")
    (folder / "predicted").mkdir()
    for number, picture in enumerate(plots):
        (folder / "predicted" / f"{number}.png").write_bytes(picture)
    rounds = [
        [ran("The code is succeed without any outputs.")], [failed(), ran("execute_result:\n\n```\n42\n```")],
        [ran("stdout:\n\n```\nmean 4\n\n```")], [ran("", "![fig-001](3.png)")],
    ]  # fmt: skip
    file = predictions(folder / "predicted" / "model.json", [rounds * (STEPS // 4)] * NOTEBOOKS)
    begun = time.perf_counter()
    made = import_predictions(file, folder / "run", benchmark=folder / "benchmark", workers=WORKERS)
    seconds = time.perf_counter() - begun
    assert made.records == NOTEBOOKS * STEPS
    return seconds


def main() -> None:
    """Measure, and print beside each figure its goal and whether it was missed."""
    mpl.use("agg")
    plots = [plot(number) for number in range(PLOTS)]
    scores = measure_scores(plots)
    with tempfile.TemporaryDirectory() as folder:
        imported = measure_predictions(Path(folder), plots)
    for what, seconds, goal in (
        ("1,000 pictures and 1,000 texts", scores, SCORES_GOAL_S),
        ("2,000 predicted steps", imported, PREDICTIONS_GOAL_S),
    ):
        print(f"{what}: {seconds:.1f} s (goal {goal}){' MISSED' if seconds > goal else ''}")


if __name__ == "__main__":
    main()
