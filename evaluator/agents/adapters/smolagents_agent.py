"""The agent of smolagents that acts by writing code: it works on a copy of the session, and hands in what it ran.

Started as `python smolagents_agent.py '{"max_steps": 10, ...}'` in an environment that holds `smolagents[openai]`
(written for 1.26). Differences from the package alone: its code runs in the session and not in its own interpreter, so
that all that is installed there can be imported; what it is told of the notebook stands in the task; the answer is no
value but a cell: its successful steps one after another, or the last of them (`submit`).
"""

import ast
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "sdk"), str(HERE)]

from benchwright_agent import (  # noqa: E402  # a file beside us, not installed
    RefusedError,
    Tools,
    serve,
)
from notebook_prompt import sections  # noqa: E402

FINAL = "final_answer"
KEPT = "final_value"  # holds the answer where it is given inside an `if`, a loop and the like
TASK = """\
You work in the running session of a Python notebook; what your code defines stays there. Answer the request below. \
The value that you give to final_answer is the answer: give the very object that is asked for, a table as a table, and \
no sentence about it. The user's variables stay as they are unless the request says otherwise.
"""


class SpentError(BaseException):
    """No execution is left. No `Exception`: smolagents would tell it to the model as an error of its code."""


class SessionExecutor:
    """What smolagents calls a Python executor, over a copy of the session."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self.cells: list[str] = []  # that ran without an error

    def send_tools(self, tools: dict[str, Any]) -> None:
        """Take tools: none but the final answer, which stands in the code and ends it."""

    def send_variables(self, variables: dict[str, Any]) -> None:
        """Take variables: the session has its own."""

    def __call__(self, code_action: str) -> Any:
        """Run a cell; what it shows is told, and an error is raised as smolagents expects it."""
        from smolagents.local_python_executor import CodeOutput

        code, is_final = ended_by_answer(code_action)
        try:
            execution = self._tools.execute(code)
        except RefusedError as refused:
            raise SpentError(str(refused)) from refused
        if execution["status"] != "ok":
            error = execution["error"]
            raise RuntimeError(error["traceback"] if error else execution["status"].replace("_", " "))
        self.cells.append(code)
        printed = "".join(each["text"] for each in execution["outputs"] if each["output_type"] == "stream")
        shown = [each["data"].get("text/plain") for each in execution["outputs"] if "data" in each]
        return CodeOutput(shown[-1] if shown else None, printed, is_final_answer=is_final)


def ended_by_answer(code: str) -> tuple[str, bool]:
    """Return code whose last expression is the answer, where it gives one, and whether it does.

    In the package's own interpreter `final_answer(answer)` ends the code there and then: what stands behind its
    statement is left out. Code of functions and classes is no answer of its own.
    """
    try:
        statements = ast.parse(code).body
    except SyntaxError:
        return code, False  # the session says what is wrong
    for statement in statements:
        call = final_call(statement)
        if call is None:
            continue
        lines = code.split("\n")  # as the parser counts them
        answer = call.args[0] if call.args else call.keywords[0].value
        inner = source(lines, place(answer))
        start, end = place(statement)
        before = source(lines, ((1, 0), start))
        if isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return):
            return f"{before}({inner})", True
        call_start, call_end = place(call)
        inside = source(lines, (start, call_start)), source(lines, (call_end, end))
        return f"{before}{inside[0]}({KEPT} := ({inner})){inside[1]}\n{KEPT}", True
    return code, False


def final_call(statement: ast.stmt) -> ast.Call | None:
    """Return the call in a statement that ends the task with an answer, outside of functions and classes."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        named = node.func if isinstance(node, ast.Call) else None
        is_final = isinstance(named, ast.Name) and named.id == FINAL
        if isinstance(node, ast.Call) and is_final and len(node.args) + len(node.keywords) == 1:
            return node
        waiting += ast.iter_child_nodes(node)
    return None


def place(node: ast.expr | ast.stmt) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return where a node begins and ends: lines from 1 on, columns in bytes."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def source(lines: list[str], between: tuple[tuple[int, int], tuple[int, int]]) -> str:
    """Return what stands between two places."""
    (first, begin), (last, end) = between
    taken = [line.encode() for line in lines[first - 1 : last]]
    taken[-1] = taken[-1][:end]
    taken[0] = taken[0][begin:]
    return b"\n".join(taken).decode()


def agent_of(options: dict[str, Any], executor: SessionExecutor) -> Any:
    """Return an agent of smolagents that asks the model that the run grants."""
    from smolagents import CodeAgent, LogLevel, OpenAIServerModel
    from smolagents.models import REMOVE_PARAMETER

    model = OpenAIServerModel(
        os.environ["BENCHWRIGHT_MODEL"],
        api_base=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ["OPENAI_API_KEY"],
        temperature=options["temperature"],
        max_tokens=options["max_tokens"],
        **({} if options["stop"] == "on" else {"stop": REMOVE_PARAMETER}),
    )
    return CodeAgent(
        tools=[],
        model=model,
        executor=executor,
        max_steps=options["max_steps"],
        additional_authorized_imports=["*"],
        verbosity_level=LogLevel.OFF,
    )


def solve(request: dict[str, Any], tools: Tools, options: dict[str, Any]) -> dict[str, Any]:
    """Let the agent work on one request, and return the cell that it comes to."""
    executor = SessionExecutor(tools)
    agent = agent_of(options, executor)
    labels = []
    try:
        result = agent.run("\n\n".join([TASK.rstrip(), *sections(request)]), return_full_result=True)
        labels += ["out-of-steps"] if result.state != "success" else []
    except SpentError:
        labels.append("out-of-executions")
    trace = [{"role": str(each.role.value), "content": each.content} for each in agent.write_memory_to_messages()]
    chosen = executor.cells if options["submit"] == "joined" else executor.cells[-1:]
    if not chosen:
        return {"status": "gave_up", "text": "none of its code ran without an error", "trace": trace, "labels": labels}
    return {"code": "\n\n".join(chosen), "trace": trace, "labels": labels}


if __name__ == "__main__":
    told = json.loads(sys.argv[1])
    serve(lambda request, tools: solve(request, tools, told), name="smolagents", version=version("smolagents"))
