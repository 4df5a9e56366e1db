"""Whose fault it is when an agent's process fails: the agent's wherever the process does it, ours only where we do."""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.agents import (
    CellKind,
    Execution,
    ExecutionStatus,
    HistoryCell,
    Scope,
    SessionInfo,
    SolveLimits,
    Variable,
)
from evaluator.agents.process import process_agent
from tests.agents.small_agents import REQUEST, CountingTools, Make, raw, solved

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
        ("initialize", "print('hello', flush=True)", "not JSON: 'hello'"),
        ("initialize", "result = {'protocol': 9}", "version '9'"),
        ("initialize", "time.sleep(600)", "did not answer within 1 s"),
        ("session/start", "os._exit(7)", "its process ended with exit code 7"),
        ("session/start", "print('hello', flush=True)", "not JSON: 'hello'"),
        ("session/start", "time.sleep(600)", "did not answer within 1 s"),
    ],
)
def test_a_process_that_fails_before_it_is_asked_is_the_agents_failure(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, body: str, told: str
) -> None:
    """The first process is healthy, dies at the first problem, and the next one fails where it begins."""
    source = STARTS.format(counter=str(tmp_path / "starts"), method=method, body=body, healthy=1)
    agent = make(source, backend="none")
    agent.describe()
    agent.start(SessionInfo("s", "set"))
    assert agent.solve(replace(REQUEST, problem_id="p0"), CountingTools()).error is not None
    if "sleep" in body:  # all others answer at once, as soon as they are there
        monkeypatch.setattr(process_agent, "START_S" if method == "initialize" else "_SESSION_S", 1.0)
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


ASKS = """
    def ask(text):
        sys.stdout.write(text + "\\n")
        sys.stdout.flush()
        return json.loads(sys.stdin.readline())
    told = []
    for seconds in ("NaN", "Infinity", "-Infinity", "-1", "1e999", '"5"', "true", "[]", "1" + "0" * 400, "0.5"):
        told.append(ask('{"jsonrpc": "2.0", "id": 1, "method": "execute", "params": '
                        '{"session_id": "s", "code": "1", "timeout_s": ' + seconds + "}}"))
    told = [each.get("error", each.get("result")) for each in told]
    code = repr([each.get("code", each.get("status")) for each in told])
    write({"jsonrpc": "2.0", "id": call["id"], "result": {"code": code}})
"""


def test_a_time_limit_that_is_no_time_is_refused_and_costs_no_execution(make: Make) -> None:
    tools = CountingTools()
    assert solved(make(raw(ASKS), backend="none"), tools=tools).code == repr([-32602] * 9 + ["ok"])
    assert tools.executed == [("1", "scratch")]


class SlowTools(CountingTools):
    """Takes a moment for everything, and refuses nothing for long."""

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        del timeout_s
        assert len(self.executed) < 50, "the agent is never stopped"
        self.executed.append((code, scope.value))
        time.sleep(0.2)
        return Execution(len(self.executed), ExecutionStatus.OK)

    def inspect(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        del names
        self.execute(encoding)
        return ()


@pytest.mark.parametrize("method", ["execute", "inspect"])
def test_what_is_executed_for_an_agent_stops_its_clock_only_so_long(make: Make, method: str) -> None:
    body = f"""
        for number in range(10**9):
            write({{"jsonrpc": "2.0", "id": number, "method": "{method}",
                   "params": {{"session_id": "s", "code": "1", "encoding": "repr"}}}})
            sys.stdin.readline()
            time.sleep(0.01)
    """
    request = replace(REQUEST, limits=SolveLimits(0.1, executions=3))
    tools = SlowTools()
    submission = solved(make(raw(body), backend="none", timeout_s=1.0), request, tools)
    assert submission.error is not None
    assert "did not answer within 1 s" in submission.error.message
    assert len(tools.executed) < 50


class PictureTools(CountingTools):
    """Shows what is no picture; before the second one, something happens."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        self.happens = happens

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        number = super().execute(code, scope=scope, timeout_s=timeout_s).number
        if number == 2:
            self.happens()
        data = {"image/png": f"no picture {number}", "image/svg+xml": "\ud800"}
        return Execution(number, ExecutionStatus.OK, ({"output_type": "display_data", "data": data},))


SHOWS = """
    for number in range(2):
        write({"jsonrpc": "2.0", "id": number, "method": "execute", "params": {"session_id": "s", "code": "1"}})
        shown = json.loads(sys.stdin.readline())["result"]["outputs"][0]["data"]["image/png"]["path"]
    with open(shown) as file:
        write({"jsonrpc": "2.0", "id": call["id"], "result": {"code": file.read()}})
"""


def test_what_is_shown_as_a_picture_and_is_none_reaches_the_agent(make: Make) -> None:
    assert solved(make(raw(SHOWS)), tools=PictureTools(lambda: None)).code == "no picture 2"


def test_a_picture_that_cannot_be_written_is_an_infrastructure_fault(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_agent, "TRIES", 1)
    agent = make(raw(SHOWS), backend="none")
    submission = solved(agent, tools=PictureTools(lambda: shutil.rmtree(agent._pictures)))
    assert submission.error is not None
    assert (submission.error.kind, "No such file" in submission.error.message) == ("infra", True)
    assert agent._processes == []  # it was amid its work, which nobody waits for any more


def test_a_number_that_json_has_not_reaches_the_agent_as_text(make: Make) -> None:
    source = """
        from benchwright_agent import serve

        serve(lambda request: repr(request["history"][0]["outputs"][0]["data"]["application/json"]))
    """
    shown = {"output_type": "display_data", "data": {"application/json": [float("nan"), float("-inf"), 1.5]}}
    request = replace(REQUEST, history=(HistoryCell(CellKind.SETUP, "show()", outputs=(shown,)),))
    assert solved(make(source), request).code == "['NaN', '-Infinity', 1.5]"
