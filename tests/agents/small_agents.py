"""Small agents in processes, and tools for them."""

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from evaluator.agents import (
    Execution,
    ExecutionStatus,
    Scope,
    SessionInfo,
    SolveLimits,
    SolveRequest,
    Submission,
    Variable,
)
from evaluator.agents.process.process_agent import ProcessAgent
from evaluator.agents.protocol import BudgetSpentError
from tests.waiting import eventually

HANG_S: Final = 60.0

REQUEST: Final = SolveRequest("s", "set", "p1", 1, "How many?", SolveLimits(1.0, executions=3))
Make = Callable[..., ProcessAgent]


class CountingTools:
    """Grants three executions, each of which shows its own number."""

    def __init__(self) -> None:
        self.executed: list[tuple[str, str]] = []

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        if len(self.executed) >= 3:
            raise BudgetSpentError("the 3 executions that this problem allows are used up")
        self.executed.append((code, scope.value))
        shown = {"output_type": "stream", "name": "stdout", "text": f"{code} {timeout_s}"}
        return Execution(len(self.executed), ExecutionStatus.OK, (shown,))

    def inspect(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        return (Variable("df", "DataFrame", f"{encoding} {names}"),)

    def progress(self, text: str) -> None:
        self.executed.append((text, "progress"))


def solved(agent: ProcessAgent, request: SolveRequest = REQUEST, tools: CountingTools | None = None) -> Submission:
    agent.describe()
    agent.start(SessionInfo(request.session_id, request.problemset))
    submission = agent.solve(request, tools or CountingTools())
    agent.end(request.session_id)
    return submission


LINES: Final = """
    import json, os, sys, time
    def write(message):
        sys.stdout.write(json.dumps(message) + "\\n")
        sys.stdout.flush()
    for line in sys.stdin:
        call = json.loads(line)
        if call["method"] == "initialize":
            write({"jsonrpc": "2.0", "id": call["id"], "result": {"protocol": 1, "agent": {"name": "raw"}}})
        elif call["method"] in ("solve", "retry"):
"""


def raw(body: str) -> str:
    """Return an agent that is written without our file, which does `body` when it is asked."""
    head = textwrap.dedent(LINES)
    tail = "    elif 'id' in call:\n        write({'jsonrpc': '2.0', 'id': call['id'], 'result': {}})\n"
    return head + textwrap.indent(textwrap.dedent(body), " " * 8) + tail


ANSWER: Final = "write({'jsonrpc': '2.0', 'id': call['id'], 'result': {'status': 'ok', 'code': '%s'}})\n"


def command_lines() -> dict[int, str]:
    found = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found[int(path.parent.name)] = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
    return found


def process_numbers(marker: str) -> list[int]:
    return sorted(number for number, line in command_lines().items() if marker in line)


def is_gone(marker: str) -> bool:
    return eventually(lambda: not process_numbers(marker), within_s=HANG_S)
