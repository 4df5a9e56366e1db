"""Agents from files speak the protocol of all agents in processes: tools, a cancel, and lines that nobody disturbs."""

import contextlib
import os
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.agents import Execution, ExecutionStatus, Scope, SessionInfo
from evaluator.agents.child import ChildAgent, Target
from evaluator.agents.process import process_agent
from tests.agents.small_agents import HANG_S, REQUEST, CountingTools, is_gone, process_numbers
from tests.waiting import eventually

PICTURE = "aGVsbG8="


class DrawingTools(CountingTools):
    """Shows a picture beside a text."""

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        done = super().execute(code, scope=scope, timeout_s=timeout_s)
        shown = {"output_type": "display_data", "data": {"image/png": PICTURE, "image/svg+xml": "<svg/>"}}
        return Execution(done.number, ExecutionStatus.OK, (*done.outputs, shown), seconds=0.5)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[ChildAgent]:
    path = tmp_path / "mine.py"
    path.write_text(textwrap.dedent(SOURCE))
    made = ChildAgent(Target("file", str(path), "Agent", f"mine.py:{tmp_path.name}"), timeout_s=10.0)
    yield made
    made.close()


SOURCE = """
    import os, sys, time
    from evaluator.agents import BudgetSpentError, CapabilityOffError

    print("noise")
    os.write(1, b"more noise")
    try:
        input()
        raise SystemExit("it read what is not its own")
    except EOFError:
        pass

    class Agent:
        async def solve(self, request, tools):
            if request.index == 1:
                first = tools.execute("1 + 1", timeout_s=2)
                data = first.outputs[1]["data"]
                tools.progress("half way")
                seen = tools.inspect("brief", ["df"])[0].text
                tools.execute("2")
                try:
                    tools.execute("4")
                except BudgetSpentError as error:
                    told = str(error)
                return repr((first.outputs[0]["text"], data["image/png"], data["image/svg+xml"], seen, told))
            if request.index == 2:
                self.place = request.query
                time.sleep(600)
            return repr(sorted(os.environ))

        def cancel(self, session_id):
            open(self.place, "w").close()
"""


def test_an_agent_in_a_file_is_given_tools(agent: ChildAgent) -> None:
    agent.load()
    agent.start(SessionInfo("s", "set"))
    tools = DrawingTools()
    submission = agent.solve(REQUEST, tools)
    assert submission.error is None, submission.error
    spent = "the 3 executions that this problem allows are used up"
    assert submission.code == repr(("1 + 1 2", PICTURE, "<svg/>", "brief ['df']", spent))
    assert tools.executed[:2] == [("1 + 1", "scratch"), ("half way", "progress")]


def test_its_environment_is_ours(agent: ChildAgent) -> None:
    agent.start(SessionInfo("s", "set"))
    assert agent.solve(replace(REQUEST, index=3)).code == repr(sorted(os.environ))


@pytest.mark.parametrize("kind", ["file", "module"])
def test_a_file_of_the_current_folder_called_as_a_module_that_we_import_is_in_nobodys_way(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("queue", "http", "helper_beside"):
        (tmp_path / f"{name}.py").write_text("x = 1\n")
    folder = tmp_path / "elsewhere" if kind == "file" else tmp_path
    folder.mkdir(exist_ok=True)
    code = "import helper_beside\ndef solve(request, tools):\n    return f'x = {helper_beside.x}'\n"
    path = folder / "the_agent.py"
    path.write_text(code)
    made = ChildAgent(Target(kind, str(path) if kind == "file" else "the_agent", "solve", "mine"), timeout_s=30.0)
    with contextlib.closing(made):
        made.load()
        assert made.solve(REQUEST, CountingTools()).code == "x = 1"


def test_one_that_is_late_is_told_and_its_process_is_killed(agent: ChildAgent, tmp_path: Path) -> None:
    agent.start(SessionInfo("s", "set"))
    late = agent.solve(replace(REQUEST, index=2, query=str(tmp_path / "told")))
    assert late.error is not None
    assert late.error.message == "the agent did not return within 10 s; it is not asked again in this problemset"
    assert (tmp_path / "told").exists()
    assert is_gone(str(tmp_path / "mine.py"))
    assert agent.solve(replace(REQUEST, index=3)).error == late.error
    agent.end("s")
    agent.start(SessionInfo("another", "set"))
    assert agent.solve(replace(REQUEST, session_id="another", index=3)).error is None
    assert eventually(lambda: len(process_numbers(str(tmp_path / "mine.py"))) == 1, within_s=HANG_S)


def test_a_session_may_begin_as_long_as_an_answer_may_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it loads a model, for instance: `--agent-timeout` says how long, and no bound of ours."""
    monkeypatch.setattr(process_agent, "_SESSION_S", 0.2)
    (tmp_path / "slow.py").write_text(
        "import time\nclass Agent:\n    def start(self, session):\n        time.sleep(1)\n"
        "    def solve(self, request):\n        return '1'\n"
    )
    with contextlib.closing(
        ChildAgent(Target("file", str(tmp_path / "slow.py"), "Agent", "slow.py:Agent"), timeout_s=60.0)
    ) as made:
        made.start(SessionInfo("s", "set"))
        submission = made.solve(REQUEST)
    assert (submission.code, submission.error) == ("1", None)


def test_what_it_claims_of_tokens_is_marked_and_what_can_be_none_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "lies.py"
    path.write_text(
        "from evaluator.agents import Submission\n"
        "USAGE = {'prompt_tokens': -500, 'calls': 2, 'cost': 'x', 'usage_source': 'measured', 'rounds': 3}\n"
        "def solve(request):\n    return Submission('1', usage=USAGE, labels=('mine',))\n"
    )
    agent = ChildAgent(Target("file", str(path), "solve", "lies.py:solve"), timeout_s=60.0)
    try:
        submission = agent.solve(REQUEST)
    finally:
        agent.close()
    assert submission.usage == {"calls": 2, "usage_source": "reported", "rounds": 3}
    assert submission.labels == ("mine", "usage-unreadable")
