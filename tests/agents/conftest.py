"""What the tests of agents share: a scripted model that every agent finds, and agents in processes."""

import shutil
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents.process.launching import AgentCommand, parse_command
from evaluator.agents.process.process_agent import ProcessAgent
from evaluator.agents.sdk import benchwright_agent
from tests.agents.small_agents import Make
from tests.scripted_model import ScriptedModel, served_to_commands


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], ScriptedModel]]:
    """Serve a script, and let agents ask there, once each time."""
    monkeypatch.setenv("BENCHWRIGHT_MODEL_RETRIES", "0")
    with served_to_commands(monkeypatch) as serving:
        yield serving


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make an agent of the text of a Python file; every one is closed at the end."""
    made: list[ProcessAgent] = []
    folder = tmp_path / "agent"
    folder.mkdir()
    shutil.copy(benchwright_agent.__file__, folder)

    def agent(
        source: str, *, timeout_s: float = 20.0, command: str = "python agent.py", **more: object
    ) -> ProcessAgent:
        (folder / "agent.py").write_text(textwrap.dedent(source))
        backend = str(more.pop("backend", "bwrap"))
        run = more.pop("run", None)
        started = AgentCommand(parse_command(command), folder, backend, **more)  # pyrefly: ignore[bad-argument-type]
        made.append(ProcessAgent(started, run, timeout_s=timeout_s))  # pyrefly: ignore[bad-argument-type]
        return made[-1]

    yield agent
    for each in made:
        each.close()
