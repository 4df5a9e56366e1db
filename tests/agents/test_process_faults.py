"""Processes that do their worst: whose fault it is, what is told of it, and that nothing holds us up."""

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.agents import (
    SessionInfo,
)
from evaluator.agents.process import process_agent
from evaluator.agents.process.channel import AgentChannel, ProcessLostError
from tests.agents.small_agents import ANSWER, HANG_S, REQUEST, CountingTools, Make, raw, solved

Start = Callable[[str], AgentChannel]
CALL = '{"jsonrpc": "2.0", "id": %s, "method": "execute", "params": {"session_id": "s", "code": "1"}}'
PROGRESS = "{'jsonrpc': '2.0', 'method': 'progress', 'params': {'session_id': 's'}}"

DISORDERS = {  # what an agent does at a problem: what is told of it
    "os._exit(3)": "its process ended with exit code 3",
    "os.kill(os.getpid(), 9)": "its process ended",
    'sys.stdout.write(\'{"jsonrpc": "2.0", "id"\'); sys.stdout.flush(); os._exit(0)': "exit code 0",
    "print('thinking ...', flush=True)": "it wrote a line that is not JSON: 'thinking ...'",
    'os.write(1, b\'{"id": 1, "result": "\\xff"}\\n\')': "it wrote a line that is not JSON",
    "print('[' * 300 + ']' * 300, flush=True)": "it wrote a line of JSON that is nested more than 200 deep",
    "sys.stdout.write('x' * 20_000_000); sys.stdout.flush()": "it wrote a line of more than 16 MiB",
    "respond('code')": "its answer is no submission, but str",
    "respond({'code': 5})": "`code` of its submission is no text",
    "respond({'code': '#' * 1_000_001})": "has 1000001 characters, more than 1000000",
    "respond({'status': 'fine'})": "`status` of its submission",
    "respond({'code': '1', 'session_id': 'other'})": "for another session: 'other'",
    "write({'jsonrpc': '2.0', 'id': call['id'], 'error': {'code': 1, 'message': 'no'}})": "with an error: no",
    "write({'jsonrpc': '2.0', 'id': call['id']})": "neither result nor error",
    f"print({CALL % 'null'!r}, flush=True)": "with an id that is neither a whole number nor a short text",
    f"while True: write({PROGRESS})": "it floods us: more than 1",
    "for _ in range(100_000): write({'method': 'progress', 'params': {}})": "1000 messages that belong to no call",
    "write({'id': 10**6, 'result': {}}); os._exit(3)": "before that it answered a call 1000000 that we did not make",
    "write({'id': 1, 'result': {}}); os._exit(3)": "exit code 3 (before that it answered our call 1 twice)",
}


def test_every_disorder_is_named_and_the_next_problem_is_answered(make: Make) -> None:
    body = f"""
        def respond(result): write({{'jsonrpc': '2.0', 'id': call['id'], 'result': result}})
        bodies = {[*DISORDERS]!r}
        exec(bodies[call["params"]["index"]] if call["params"]["index"] < len(bodies) else "respond({{'code': '1'}})")
    """
    agent = make(raw(body), backend="none")
    agent.describe()
    agent.start(SessionInfo("s", "set"))
    for index, told in enumerate(DISORDERS.values()):
        submission = agent.solve(replace(REQUEST, index=index), CountingTools())
        assert submission.error is not None, told
        assert told in submission.error.message
        assert (submission.status, submission.error.kind, submission.code) == ("error", "agent", "")
        assert agent.solve(replace(REQUEST, index=len(DISORDERS)), CountingTools()).code == "1", told
    assert submission.labels == ("answered-twice",)  # pyrefly: ignore[unbound-name]
    assert index >= 16


def test_a_second_answer_is_passed_over_and_labelled(make: Make) -> None:
    assert solved(make(raw(ANSWER % "first" + ANSWER % "second"), backend="none")).code == "first"
    agent = make(raw("write({'jsonrpc': '2.0', 'id': 77, 'result': {}})\n" + ANSWER % "first"), backend="none")
    assert solved(agent).labels == ("answered-unasked",)


def test_floods_on_stderr_are_read_and_their_log_is_cut(make: Make, tmp_path: Path) -> None:
    body = "for _ in range(500): sys.stderr.write('y' * 9_999 + chr(10))\n" + ANSWER % "1"
    submission = solved(make(raw(body), backend="none", log=tmp_path / "agent.log"))
    assert (submission.code, submission.labels) == ("1", ("log-cut",))
    assert (tmp_path / "agent.log").stat().st_size <= 4 * 1024 * 1024


# Whose fault it is


STARTS = """
    import json, os, sys, time
    def write(message):
        sys.stdout.write(json.dumps(message) + "\\n")
        sys.stdout.flush()
    with open({counter!r}, "a+") as file:
        file.write("x")
        file.seek(0)
        starts = len(file.read())
    for line in sys.stdin:
        call = json.loads(line)
        result = {{"protocol": 1, "agent": {{"name": "raw"}}}} if call["method"] == "initialize" else {{}}
        if call["method"] == {method!r} and starts > {healthy}:
            {body}
        if call["method"] == "solve":
            if call["params"]["problem_id"] == "p0":
                os._exit(1)
            result = {{"status": "ok", "code": str(starts)}}
        write({{"jsonrpc": "2.0", "id": call["id"], "result": result}})
"""


def test_a_process_that_fails_before_it_is_asked_is_the_agents_failure(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first process is healthy, dies at the first problem, and the next one fails where it begins."""
    for number, (method, body, told) in enumerate((
        ("initialize", "os._exit(7)", "its process ended with exit code 7"),
        ("initialize", "result = {'protocol': 9}", "version '9'"),
        ("initialize", "time.sleep(600)", "did not answer within 1 s"),
        ("session/start", "os._exit(7)", "its process ended with exit code 7"),
        ("session/start", "time.sleep(600)", "did not answer within 1 s"),
    )):  # fmt: skip
        starts = tmp_path / f"starts{number}"
        agent = make(STARTS.format(counter=str(starts), method=method, body=body, healthy=1), backend="none")
        agent.describe()
        agent.start(SessionInfo("s", "set"))
        assert agent.solve(replace(REQUEST, problem_id="p0"), CountingTools()).error is not None
        with monkeypatch.context() as patched:
            if "sleep" in body:  # all others answer at once, as soon as they are there
                patched.setattr(process_agent, "START_S" if method == "initialize" else "_SESSION_S", 1.0)
            submission = agent.solve(REQUEST, CountingTools())
        assert submission.error is not None
        assert (submission.status, submission.error.kind, submission.code) == ("error", "agent", "")
        assert told in submission.error.message
        assert starts.read_text() == "xx"  # it is no infrastructure fault, which would be tried again


def test_a_program_that_is_gone_meanwhile_is_an_infrastructure_fault(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_agent, "_PAUSE_S", 0.0)
    program = tmp_path / "agent" / "run"
    agent = make(raw("os._exit(1)\n"), command="./run", backend="none")
    program.write_text("#!/bin/sh\nexec python3 agent.py\n")
    program.chmod(0o755)
    agent.describe()
    agent.start(SessionInfo("s", "set"))
    assert agent.solve(REQUEST, CountingTools()).error is not None
    program.unlink()
    submission = agent.solve(REQUEST, CountingTools())
    assert submission.error is not None
    assert submission.error.kind == "infra"
    assert "no program './run'" in submission.error.message


# Lines of a process


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a program that is no agent, only lines, and listen to it."""
    started: list[tuple[subprocess.Popen[bytes], AgentChannel]] = []

    def listening(body: str) -> AgentChannel:
        head = "import json, sys, time\ndef write(text): sys.stdout.write(text + '\\n'); sys.stdout.flush()\n"
        words = [sys.executable, "-c", head + textwrap.dedent(body)]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        started.append((process, AgentChannel(process)))
        return started[-1][1]

    yield listening
    for process, channel in started:
        process.kill()
        process.wait()
        channel.close()


def test_a_process_that_asks_and_never_reads_is_stopped(start: Start) -> None:
    channel = start(f"""
        for number in range(100_000):
            write({CALL!r} % number)
        time.sleep(60)
    """)
    with pytest.raises(ProcessLostError, match="1000 messages that belong to no call"):
        channel.call("go", {}, timeout_s=HANG_S)
