"""What tests of experiments on the screen share: a file, its runs, and what a person does."""

from typing import Any

from streamlit.testing.v1 import AppTest

from authoring.jobs.experiments import parse_experiment, plan_in_workspace
from authoring.store import experiments
from authoring.store.workspace import Workspace
from evaluator.experiments.execution import run_experiment

FILE = """\
name: two agents
benchmarks: [{benchmark: benchmarks/shop.py, label: shop}]
agents:
- oracle
- {agent: empty, label: nothing}
"""


def carry_out(ws: Workspace, name: str = "two") -> None:
    """Run an experiment as its job does, in this process."""
    experiment = parse_experiment(name, experiments.read(ws, name).text)
    run_experiment(experiment, plan_in_workspace(ws, experiment))


def forecast(requests: tuple[int, int] = (0, 0), *, is_large: bool = False) -> dict[str, Any]:
    run = {"problems_left": 2, "requests": list(requests), "tokens": [10, 20], "tokens_measured": True, "cost": [0, 0]}
    totals = {"requests": list(requests), "tokens": [10, 20], "cost": [0.5, 1.5], "is_large": is_large}
    return {"name": "two", "runs": [run, run], **totals, "text": "as told"}


def field(app: AppTest) -> Any:
    (area,) = [each for each in app.text_area if each.label == "Text of the experiment"]
    return area


def press(app: AppTest, title: str) -> AppTest:
    (button,) = [each for each in app.main.button if each.label == title]
    return button.click().run()


def labels(app: AppTest) -> list[str]:
    return [each.label for each in app.main.button]
