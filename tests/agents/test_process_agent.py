"""Agents in processes of their own: the protocol, its limits, what they see, and what becomes of bad ones."""

import contextlib
import json
import os
import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.agents import HistoryCell, SessionInfo
from evaluator.agents.choice import process_command
from evaluator.agents.process import channel, process_agent
from evaluator.agents.process.launching import LaunchOptions, command_of, parse_command
from evaluator.agents.process.process_agent import ProcessAgent, RunInfo
from evaluator.agents.protocol import CellKind
from evaluator.errors import UsageError
from evaluator.running import RunConfig
from evaluator.running.run_agent import launch_options
from evaluator.session import AgentNetwork
from tests.agents.small_agents import (
    REQUEST,
    CountingTools,
    Make,
    command_lines,
    raw,
    solved,
)


def test_an_agent_of_a_few_lines_is_asked_and_answers(make: Make) -> None:
    source = """
        from benchwright_agent import serve

        def solve(request, tools):
            print("this goes to the log")
            first = tools.execute("1 + 1", timeout_s=2)
            seen = tools.inspect("brief", ["df"])[0]["text"]
            tools.progress("half way")
            return {"code": f"{first['text']!r}, {seen!r}, {request['query']!r}", "labels": ["two words"],
                    "usage": {"prompt_tokens": 3, "completion_tokens": -1, "cost": "much"}, "new_field": 1}

        serve(solve, name="few lines", version="2")
    """
    agent, tools = make(source), CountingTools()
    card = agent.describe()
    assert (card.name, card.version, card.isolation) == ("few-lines", "2", "process-bwrap")
    submission = solved(agent, tools=tools)
    assert submission.code == "'1 + 1 2', \"brief ['df']\", 'How many?'"
    assert submission.usage == {"prompt_tokens": 3, "usage_source": "reported"}
    assert submission.labels == ("two-words", "usage-unreadable")
    assert tools.executed == [("1 + 1", "scratch"), ("half way", "progress")]


def test_history_arrives_with_pictures_as_files(make: Make) -> None:
    source = """
        import json, sys
        from benchwright_agent import serve

        def solve(request):
            cell = request["history"][0]
            with open(cell["outputs"][1]["data"]["image/png"]["path"], "rb") as file:
                return f"{cell['kind']} {cell['truncated']} {len(cell['outputs'][0]['text'])} {file.read()!r}"

        serve(solve)
    """
    outputs = (
        {"output_type": "stream", "name": "stdout", "text": "x" * 30_000},
        {"output_type": "display_data", "data": {"image/png": "aGVsbG8=", "text/plain": "<Figure>"}, "metadata": {}},
    )
    request = replace(REQUEST, history=(HistoryCell(CellKind.SETUP, "import x", outputs=outputs),))
    assert solved(make(source), request).code == f"setup True {10_000 + len('/[...]/')} b'hello'"


def test_the_budget_and_unknown_methods_are_refused_with_their_codes(make: Make) -> None:
    source = """
        from benchwright_agent import RefusedError, serve

        def solve(request, tools):
            for _ in range(3):
                tools.execute("1", scope="live")
            codes = []
            for call in (lambda: tools.execute("1"), lambda: tools.execute(5), lambda: tools.execute("1", "elsewhere"),
                         lambda: tools._connection.call("launch", {"session_id": request["session_id"]}),
                         lambda: tools._connection.call("execute", {"session_id": "another", "code": "1"})):
                try:
                    call()
                except RefusedError as error:
                    codes.append(error.code)
            return str(codes)

        serve(solve)
    """
    submission = solved(make(source))
    assert submission.code == "[-32002, -32602, -32602, -32601, -32001]"
    assert submission.labels == ("called-out-of-turn",)


def test_an_agent_that_hangs_is_cancelled_and_then_killed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "CANCEL_S", 0.5)
    started = time.monotonic()
    submission = solved(make(raw("time.sleep(600)\n"), timeout_s=0.5))
    assert submission.error is not None
    assert "did not answer within 0.5 s" in submission.error.message
    assert time.monotonic() - started < 30


def test_an_agent_written_with_our_file_returns_when_it_is_cancelled(make: Make) -> None:
    source = """
        import time
        from benchwright_agent import serve

        def solve(request, tools):
            if request["problem_id"] == "p1":
                time.sleep(600)
            return str(SEEN)

        SEEN = __import__("os").getpid()
        serve(solve)
    """
    agent = make(source, timeout_s=1.0)
    before = solved(agent, replace(REQUEST, problem_id="p0"))
    submission = solved(agent)
    assert submission.error is not None
    assert submission.error.message == "the agent was cancelled: it did not answer within 1 s"
    assert solved(agent, replace(REQUEST, problem_id="p2")).code == before.code  # the same process


def test_what_an_agent_sees_is_its_own_folder(make: Make, tmp_path: Path) -> None:
    secret = tmp_path / "agent" / "benchmark"
    secret.mkdir()
    (secret / "answers.py").write_text("the answer is 42")
    (tmp_path / "beside.txt").write_text("also secret")
    body = f"""
        seen = []
        for path in ({str(secret / "answers.py")!r}, {str(tmp_path / "beside.txt")!r}, {os.path.expanduser("~")!r},
                     {str(Path(__file__).parents[2] / "problemsets")!r}):
            try:
                seen.append(open(path).read() if os.path.isfile(path) else os.listdir(path))
            except OSError as error:
                seen.append(type(error).__name__)
        try:
            open("new.txt", "w")
        except OSError as error:
            seen.append(type(error).__name__)
        seen.append(sorted(name for name in os.environ if "KEY" in name))
        write({{'jsonrpc': '2.0', 'id': call['id'], 'result': {{'status': 'ok', 'code': repr(seen)}}}})
    """
    code = solved(make(raw(body), hidden=(secret,))).code
    assert "42" not in code
    assert "secret" not in code
    assert code.endswith("'OSError', []]")


@pytest.mark.parametrize("backend", ["bwrap", "none"])
def test_its_environment_is_what_it_is_given_and_stands_on_no_command_line(
    make: Make, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    """Everybody on a machine may read the command lines of all processes."""
    monkeypatch.setenv("OTHER_KEY", "not-for-agents")
    body = """
        code = json.dumps({name: value for name, value in os.environ.items() if "KEY" in name})
        write({'jsonrpc': '2.0', 'id': call['id'], 'result': {'status': 'ok', 'code': code}})
    """
    agent = make(raw(body), backend=backend, variables={"MAKER_KEY": "secret-of-the-maker"})
    agent.describe()
    lines = list(command_lines().values())
    assert sum("agent.py" in line for line in lines) >= 1
    assert not any("secret-of-the-maker" in line for line in lines)
    assert json.loads(solved(agent).code) == {"MAKER_KEY": "secret-of-the-maker"}


def test_the_network_is_the_one_that_is_granted(make: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        body = f"""
            import socket
            try:
                socket.create_connection(("127.0.0.1", {server.getsockname()[1]}), 5)
                told = "reached"
            except OSError as error:
                told = "refused"
            write({{'jsonrpc': '2.0', 'id': call['id'], 'result': {{'status': 'ok', 'code': told}}}})
        """
        for network, told in ((AgentNetwork.NONE, "refused"), (AgentNetwork.FULL, "reached")):
            assert solved(make(raw(body), network=network)).code == told


def test_a_whole_network_holds_no_abstract_sockets_of_this_machine(make: Make) -> None:
    """They belong to desktops and services, and to the network's namespace, which is ours then."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0benchwright-{os.getpid()}")
        server.listen()
        body = f"""
            import socket
            try:
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect("\\0benchwright-{os.getpid()}")
                told = "reached"
            except OSError:
                told = "refused"
            write({{'jsonrpc': '2.0', 'id': call['id'], 'result': {{'status': 'ok', 'code': told}}}})
        """
        for backend, told in (("bwrap", "refused"), ("none", "reached")):
            assert solved(make(raw(body), network=AgentNetwork.FULL, backend=backend)).code == told


def test_an_agent_that_introduces_itself_wrongly_stops_the_run(make: Make) -> None:
    for answer, told in (
        ({"protocol": 2, "agent": {"name": "x"}}, "version '2' of the protocol, we speak 1"),
        ({"protocol": 1}, "no `agent` with a `name`"),
        ({"protocol": 1, "agent": {"name": "x", "submits": "thoughts"}}, "'thoughts', which is none of"),
        (5, "no object"),
    ):
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": answer})
        agent = make(f"input()\nprint({line!r}, flush=True)\nimport time\ntime.sleep(60)\n", backend="none")
        with pytest.raises(UsageError, match="the agent does not start") as refused:
            agent.describe()
        assert told in refused.value.what


def test_a_program_that_is_not_there_or_ends_at_once_stops_the_run(make: Make) -> None:
    with pytest.raises(UsageError, match="no program 'pyhton'"):
        make("", command="pyhton agent.py").describe()
    with pytest.raises(UsageError, match="exit code 1") as refused:
        make("raise SystemError('broken on purpose')").describe()
    assert "broken on purpose" in refused.value.what
    with pytest.raises(UsageError, match="close"):
        parse_command("python 'agent.py")


def test_sessions_side_by_side_use_as_many_processes_as_they_need(make: Make) -> None:
    source = """
        import os
        from benchwright_agent import serve

        serve(lambda request: str(os.getpid()) + os.environ.get("SHARED", ""), max_sessions={})
    """
    for most, processes in ((1, 2), (2, 1)):
        agent = make(source.format(most))
        agent.describe()
        asked = [replace(REQUEST, session_id=session_id) for session_id in ("a", "b")]
        for request in asked:
            agent.start(SessionInfo(request.session_id, "set"))
        codes = {agent.solve(request, CountingTools()).code for request in asked}
        assert len(codes) == (1 if processes == 1 else len(codes))
        assert len(agent._processes) == processes


def test_an_infrastructure_failure_is_tried_three_times(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_agent, "_PAUSE_S", 0.0)
    source = """
        from benchwright_agent import serve

        asked = []

        def solve(request):
            asked.append(1)
            if request["problem_id"] == "p1" or len(asked) % 3:
                return {"status": "error", "error": {"kind": "infra", "message": f"asked {len(asked)} times"}}
            return "1"

        serve(solve)
    """
    agent = make(source)
    failed = solved(agent)
    assert failed.error is not None
    assert (failed.error.kind, failed.error.message) == ("infra", "asked 3 times")
    assert solved(agent, replace(REQUEST, problem_id="p2")).code == "1"


def test_tools_can_be_switched_off(make: Make) -> None:
    source = """
        from benchwright_agent import RefusedError, serve

        def solve(request, tools):
            try:
                return tools.execute("1")["text"]
            except RefusedError as error:
                return str(error.code)

        serve(solve)
    """
    assert solved(make(source, run=RunInfo(has_tools=False))).code == "-32003"


SHELL = r"""#!/bin/sh
number=0
while read -r line; do
    number=$((number + 1))
    case "$line" in
        *'"initialize"'*) result='{"protocol": 1, "agent": {"name": "shell"}}' ;;
        *'"solve"'*) result='{"code": "1"}' ;;
        *) result='{}' ;;
    esac
    printf '{"jsonrpc": "2.0", "id": %s, "result": %s}\n' "$number" "$result"
done
"""


def test_a_relative_path_of_a_program_is_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    program = tmp_path / "mine" / "agent"
    program.write_text(SHELL)
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for text in ("./mine/agent", "mine/agent --fast"):
        command = command_of(text, LaunchOptions("bwrap", hidden=(tmp_path / "elsewhere",)))
        assert command.folder == (tmp_path / "mine").resolve()
        with contextlib.closing(ProcessAgent(command)) as agent:
            assert solved(agent).code == "1"
    with pytest.raises(UsageError, match="must not see"):
        command_of("./mine/agent", LaunchOptions("bwrap", hidden=(tmp_path,)))
    program.chmod(0o644)
    with pytest.raises(UsageError, match="cannot be executed") as refused:
        command_of("./mine/agent", LaunchOptions("bwrap"))
    assert "chmod +x" in refused.value.fix
    with pytest.raises(UsageError, match=r"no program '\./mine/other'"):
        command_of("./mine/other", LaunchOptions("bwrap"))


def test_a_program_in_the_folder_of_a_workspace_is_refused(tmp_path: Path) -> None:
    """The database's own files come and go there: what is covered when the program starts is not all of them."""
    (own := tmp_path / "mine").mkdir()
    for place in (tmp_path, own):
        (place / "agent.py").write_text("")
    (tmp_path / "workspace.sqlite").write_bytes(b"")
    config = RunConfig(tmp_path / "set.py", f"cmd:python {tmp_path / 'agent.py'}", tmp_path / "run")
    with pytest.raises(UsageError, match="in the folder of a workspace") as refused:
        launch_options(config)
    assert "a folder of their own" in refused.value.fix
    within = launch_options(replace(config, agent=f"cmd:python {own / 'agent.py'}"))
    assert process_command(f"cmd:python {own / 'agent.py'}", within).folder == own
