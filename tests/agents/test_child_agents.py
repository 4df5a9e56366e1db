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
from tests.agents.small_agents import HANG_S, REQUEST, CountingTools, is_gone, process_numbers
from tests.waiting import eventually

PICTURE = "aGVsbG8="


class DrawingTools(CountingTools):
    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        done = super().execute(code, scope=scope, timeout_s=timeout_s)
        shown = {"output_type": "display_data", "data": {"image/png": PICTURE, "image/svg+xml": "<svg/>"}}
        return Execution(done.number, ExecutionStatus.OK, (*done.outputs, shown), seconds=0.5)


@contextlib.contextmanager
def agent(
    folder: Path, text: str, *, kind: str = "file", name: str = "solve", timeout_s: float = 30.0
) -> Iterator[ChildAgent]:
    path = folder / "mine.py"
    path.write_text(textwrap.dedent(text))
    target = Target(kind, str(path) if kind == "file" else "mine", name, f"mine.py:{folder.name}")
    with contextlib.closing(ChildAgent(target, timeout_s=timeout_s)) as made:
        yield made


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


def test_an_agent_in_a_file_is_given_tools_and_our_environment(tmp_path: Path) -> None:
    with agent(tmp_path, SOURCE, name="Agent") as made:
        made.load()
        made.start(SessionInfo("s", "set"))
        tools = DrawingTools()
        submission = made.solve(REQUEST, tools)
        assert submission.error is None, submission.error
        spent = "the 3 executions that this problem allows are used up"
        assert submission.code == repr(("1 + 1 2", PICTURE, "<svg/>", "brief ['df']", spent))
        assert tools.executed[:2] == [("1 + 1", "scratch"), ("half way", "progress")]
        assert made.solve(replace(REQUEST, index=3)).code == repr(sorted(os.environ))


@pytest.mark.parametrize("kind", ["file", "module"])
def test_a_file_named_like_a_module_of_ours_is_in_nobodys_way(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("queue", "http", "helper_beside"):
        (tmp_path / f"{name}.py").write_text("x = 1\n")
    folder = tmp_path / "elsewhere" if kind == "file" else tmp_path
    folder.mkdir(exist_ok=True)
    code = "import helper_beside\ndef solve(request, tools):\n    return f'x = {helper_beside.x}'\n"
    with agent(folder, code, kind=kind) as made:
        made.load()
        assert made.solve(REQUEST, CountingTools()).code == "x = 1"


def test_one_that_is_late_is_told_and_its_process_is_killed(tmp_path: Path) -> None:
    with agent(tmp_path, SOURCE, name="Agent", timeout_s=4.0) as made:
        made.start(SessionInfo("s", "set"))
        late = made.solve(replace(REQUEST, index=2, query=str(tmp_path / "told")))
        assert late.error is not None
        told = "the agent did not return within 4 s; it is not asked again in this problemset"
        assert late.error.message == told
        assert (tmp_path / "told").exists()
        assert is_gone(str(tmp_path / "mine.py"))
        assert made.solve(replace(REQUEST, index=3)).error == late.error
        made.end("s")
        made.start(SessionInfo("another", "set"))
        assert made.solve(replace(REQUEST, session_id="another", index=3)).error is None
        assert eventually(lambda: len(process_numbers(str(tmp_path / "mine.py"))) == 1, within_s=HANG_S)


def test_what_it_claims_of_tokens_is_marked_or_left_out(tmp_path: Path) -> None:
    lies = """
        from evaluator.agents import Submission
        USAGE = {'prompt_tokens': -500, 'calls': 2, 'cost': 'x', 'usage_source': 'measured', 'rounds': 3}
        def solve(request): return Submission('1', usage=USAGE, labels=('mine',))
    """
    with agent(tmp_path, lies) as made:
        submission = made.solve(REQUEST)
    assert submission.usage == {"calls": 2, "usage_source": "reported", "rounds": 3}
    assert submission.labels == ("mine", "usage-unreadable")
