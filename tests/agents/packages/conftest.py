"""What the tests of agents that are packages share: the real package in its environment, and runs of its agent."""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents.choice import parse_agent
from evaluator.agents.conformance import check_agent
from evaluator.agents.process.launching import LaunchOptions
from evaluator.agents.process.package_command import requirements_of
from evaluator.agents.process.process_agent import RunInfo
from evaluator.environments.installers import read_requirements
from evaluator.models import ModelSettings
from evaluator.running import FeedbackPart, Policies, RunConfig, run_benchmark
from tests.kept_environments import kept_environment
from tests.scripted_model import ScriptedModel

SET = '''# %%
import pandas as pd
trips = pd.DataFrame({"city": ["Oslo", "Rome", "Oslo"], "km": [3.5, 12.0, 7.25]})

# %%
"""
query: How many trips are there?
"""
len(trips)

# %%
"""
query: What is the longest distance?
"""
trips["km"].max()
'''


@dataclass(frozen=True)
class Scored:
    """What came of a run: its records, and what the model was asked."""

    records: list[dict[str, Any]]
    model: ScriptedModel

    @property
    def verdicts(self) -> list[str]:
        """Of each record."""
        return [each["verdict"] for each in self.records]

    @property
    def codes(self) -> list[str]:
        """That were handed in."""
        return [each["code"] for each in self.records]


Score = Callable[..., Scored]


@pytest.fixture(scope="module")
def package(request: pytest.FixtureRequest) -> Iterator[str]:
    """The agent that a test module names as `AGENT`, with its package installed."""
    name = str(request.module.AGENT)
    with kept_environment(name, read_requirements([requirements_of(name)])):
        yield name


@pytest.fixture
def score(package: str, serve: Callable[[Any], ScriptedModel], tmp_path: Path) -> Score:
    """Run the agent on two problems while a script is played, with options behind its name."""

    def scored(script: Any, options: str = "", *, out: str = "out", **more: Any) -> Scored:
        model = serve(script)
        (tmp_path / "trips.py").write_text(SET)
        told = Policies(feedback=(FeedbackPart.ERROR, FeedbackPart.OUTPUT))
        config = RunConfig(tmp_path / "trips.py", f"{package}:m{options}", tmp_path / out, policies=told, **more)
        run_benchmark(config)
        lines = (tmp_path / out / "records.jsonl").read_text().splitlines()
        return Scored([json.loads(line) for line in lines], model)

    return scored


@pytest.fixture
def bears_everything(package: str, serve: Callable[[Any], ScriptedModel]) -> Callable[[Any], str]:
    """Let the conformance kit play with the agent while a script is played, and return its report."""

    def checked(script: Any) -> str:
        serve(script)
        launch, run = LaunchOptions("bwrap"), RunInfo(model=ModelSettings.from_env("m"))
        with contextlib.ExitStack() as stack:

            def made() -> Any:
                agent = parse_agent(f"{package}:m", launch=launch, run=run, timeout_s=60.0)
                stack.callback(agent.close)  # type: ignore[attr-defined]
                return agent

            report = check_agent(made, timeout_s=60.0)
        assert len(report.results) == 14
        assert report.is_passed, report.to_text()
        assert f"{package}:m" in report.to_text().splitlines()[0]
        return report.to_text()

    return checked


def said(request: dict[str, Any]) -> str:
    """Return all that one request told the model, as one text."""
    parts = []
    for message in request["messages"]:
        content = message["content"] or ""
        texts = [content] if isinstance(content, str) else [part["text"] for part in content]
        parts += [f"<{message['role']}>", *texts]
    return "\n".join(parts)
