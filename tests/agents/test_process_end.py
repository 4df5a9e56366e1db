"""The end of an agent's processes: nothing of them is left, whoever ends them, and whatever they are at."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.agents import SessionInfo, Submission
from evaluator.errors import ToolkitError
from tests.agents.small_agents import (
    ANSWER,
    HANG_S,
    REQUEST,
    CountingTools,
    Make,
    command_lines,
    is_gone,
    process_numbers,
    raw,
    solved,
)
from tests.waiting import eventually

EVERY_BACKEND = pytest.mark.parametrize("backend", ["bwrap", "none"])


def held() -> tuple[int, int]:
    return len(os.listdir("/proc/self/fd")), threading.active_count()


def in_thread(call: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    came: list[object] = []

    def work() -> None:
        try:
            came.append(call())
        except Exception as error:  # noqa: BLE001 - handed to the test
            came.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread, came


@EVERY_BACKEND
def test_after_closing_no_descriptor_thread_or_child_is_left(make: Make, tmp_path: Path, backend: str) -> None:
    marker = f"27.{abs(hash(str(tmp_path))) % 10**9}"
    body = f"import subprocess\nsubprocess.Popen(['sleep', '{marker}'])\n" + ANSWER % "1"
    before = None
    for _ in range(4):
        agent = make(raw(body), backend=backend, log=tmp_path / "agent.log")
        assert solved(agent).code == "1"
        agent.close()
        agent.close()
        before = before or held()  # the launcher's thread stays
    assert held() == before
    assert is_gone(marker)


@EVERY_BACKEND
def test_closing_does_not_wait_for_a_process_that_is_starting(make: Make, tmp_path: Path, backend: str) -> None:
    marker = f"starting-{abs(hash(str(tmp_path)))}"
    agent = make("import time\ntime.sleep(600)\n", command=f"python agent.py {marker}", backend=backend)
    describing, came = in_thread(agent.describe)
    assert eventually(lambda: bool(process_numbers(marker)), within_s=HANG_S)
    agent.close()
    describing.join(HANG_S)
    assert not describing.is_alive()
    assert isinstance(came[0], ToolkitError)
    assert is_gone(marker)


def test_a_closed_agent_starts_nothing_and_is_not_to_blame(make: Make) -> None:
    agent = make(raw("sys.stderr.write('asked'); sys.stderr.flush(); time.sleep(600)\n"), backend="none")
    agent.describe()
    agent.start(SessionInfo("s", "set"))
    solving, came = in_thread(lambda: agent.solve(REQUEST, CountingTools()))
    assert eventually(lambda: any(each.process.last_words == "asked" for each in agent._processes), within_s=HANG_S)
    agent.close()
    solving.join(HANG_S)
    came.append(agent.solve(replace(REQUEST, problem_id="p2"), CountingTools()))
    agent.end("s")
    for submission in came:
        assert isinstance(submission, Submission)
        assert submission.error is not None
        assert submission.error.kind == "infra"
        assert "closed" in submission.error.message
    assert agent._processes == []


RUN = """
    import sys
    from pathlib import Path
    from evaluator.agents import SessionInfo
    from evaluator.agents.process.launching import AgentCommand
    from evaluator.agents.process.process_agent import ProcessAgent
    from tests.agents.small_agents import REQUEST, CountingTools

    command = AgentCommand(("python", "agent.py", sys.argv[2]), Path(sys.argv[1]), sys.argv[3])
    agent = ProcessAgent(command)
    agent.describe()
    agent.start(SessionInfo("s", "set"))
    agent.solve(REQUEST, CountingTools())
"""


@pytest.mark.parametrize("backend", ["bwrap", pytest.param("none", marks=pytest.mark.deep)])
def test_a_run_that_is_killed_leaves_no_agent(tmp_path: Path, backend: str) -> None:
    """SIGKILL: the run cannot do anything about it any more, and the agent reads nothing while it works."""
    (tmp_path / "agent.py").write_text(raw("sys.stderr.write('asked\\n'); time.sleep(600)\n"))
    marker = f"killed-{abs(hash(str(tmp_path)))}"
    root = str(Path(__file__).parents[2])
    words = [sys.executable, "-c", textwrap.dedent(RUN), str(tmp_path), marker, backend]
    run = subprocess.Popen(words, cwd=root, env={**os.environ, "PYTHONPATH": root})
    try:
        assert eventually(
            lambda: sum(marker in line and "agent.py" in line for line in command_lines().values()) > 1, within_s=HANG_S
        )
        time.sleep(1.0)  # until it is asked
    finally:
        run.kill()
        run.wait()
    assert is_gone(marker)
