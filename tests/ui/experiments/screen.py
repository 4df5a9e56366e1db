"""What tests of experiments on the screen share: a file, its runs, and what a person does."""

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from authoring.jobs.experiments import parse_experiment, plan_in_workspace
from authoring.store import experiments, jobs
from authoring.store.workspace import Workspace
from evaluator.experiments.execution import run_experiment

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
FILE = """\
name: two agents
benchmarks: [{benchmark: benchmarks/shop.py, label: shop}]
agents:
- oracle
- {agent: empty, label: nothing}
"""
HOSTILE = "<script>alert(1)</script>[x](javascript:1) **b** :red[r] $a$ `c`"


def carry_out(ws: Workspace, name: str = "two") -> None:
    """Run an experiment as its job does, in this process."""
    experiment = parse_experiment(name, experiments.read(ws, name).text)
    run_experiment(experiment, plan_in_workspace(ws, experiment))


def forecast(requests: tuple[int, int] = (0, 0), *, is_large: bool = False) -> dict[str, Any]:
    run = {"problems_left": 2, "requests": list(requests), "tokens": [10, 20], "tokens_measured": True, "cost": [0, 0]}
    totals = {"requests": list(requests), "tokens": [10, 20], "cost": [0.5, 1.5], "is_large": is_large}
    return {"name": "two", "runs": [run, run], **totals, "text": "as told"}


def end(ws: Workspace, kind: str, result: dict[str, Any]) -> None:
    """Do the oldest waiting job of a kind, as a worker does."""
    job = jobs.claim(ws, owner="w", kinds=[kind])
    assert job is not None
    jobs.finish(ws, job.id, "w", result=result)


def field(app: AppTest) -> Any:
    (area,) = [each for each in app.text_area if each.label == "Text of the experiment"]
    return area


def press(app: AppTest, title: str) -> AppTest:
    (button,) = [each for each in app.main.button if each.label == title]
    return button.click().run()


def labels(app: AppTest) -> list[str]:
    return [each.label for each in app.main.button]


def queued(ws: Workspace, kind: str) -> list[dict[str, Any]]:
    return [job.payload for job in jobs.select(ws, kinds=(kind,))]
