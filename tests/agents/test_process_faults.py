"""Whose fault it is when an agent's process fails: the agent's wherever the process does it, ours only where we do."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.agents import SessionInfo
from evaluator.agents.process import process_agent
from tests.agents.small_agents import REQUEST, CountingTools, Make, raw

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


@pytest.mark.parametrize(
    ("method", "body", "told"),
    [
        ("initialize", "os._exit(7)", "its process ended with exit code 7"),
        ("initialize", "print('hello', flush=True)", "no JSON: 'hello'"),
        ("initialize", "result = {'protocol': 9}", "version '9'"),
        ("initialize", "time.sleep(600)", "did not answer within 1 s"),
        ("session/start", "os._exit(7)", "its process ended with exit code 7"),
        ("session/start", "print('hello', flush=True)", "no JSON: 'hello'"),
        ("session/start", "time.sleep(600)", "did not answer within 1 s"),
    ],
)
def test_a_process_that_fails_before_it_is_asked_is_the_agents_failure(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, body: str, told: str
) -> None:
    """The first process is healthy, dies at the first problem, and the next one fails where it begins."""
    monkeypatch.setattr(process_agent, "_SESSION_S", 1.0)
    source = STARTS.format(counter=str(tmp_path / "starts"), method=method, body=body, healthy=1)
    agent = make(source, backend="none")
    agent.describe()
    monkeypatch.setattr(process_agent, "START_S", 1.0)
    agent.start(SessionInfo("s", "set"))
    assert agent.solve(replace(REQUEST, problem_id="p0"), CountingTools()).error is not None
    submission = agent.solve(REQUEST, CountingTools())
    assert submission.error is not None
    assert (submission.status, submission.error.kind, submission.code) == ("error", "agent", "")
    assert told in submission.error.message
    assert (tmp_path / "starts").read_text() == "xx"  # it is no infrastructure fault, which would be tried again


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
