"""Open Interpreter: it talks with its model and runs code on a copy of the session, and hands in what it ran.

Started as `python open_interpreter_agent.py '{"submit": "joined"}'` in an environment that holds `open-interpreter`
(AGPL; written for 0.4.3). Nothing of it is imported by Benchwright: it runs in a process of its own. Differences from
the package alone: Python is its one language, and runs in the session; the answer is the cells that ran without an
error, one after another, or the last of them.
"""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "sdk"), str(HERE)]

from benchwright_agent import (  # type: ignore[import-not-found]  # noqa: E402  # a file beside us, not installed
    RefusedError,
    Tools,
    serve,
)
from notebook_prompt import sections  # type: ignore[import-not-found]  # noqa: E402

TASK = """\
You work in the running session of a Python notebook; what your code defines stays there. Answer the request below. \
The last expression of your last piece of code is the answer: the very object that is asked for. The user's variables \
stay as they are unless the request says otherwise.
"""


class SpentError(BaseException):
    """No execution is left. No `Exception`: the package would tell it to the model as an error of its code."""


def language_of(tools: Tools, cells: list[str]) -> type:
    """Return what Open Interpreter calls a language: Python, over a copy of the session."""

    class Session:
        name = "Python"
        file_extension = "py"
        aliases = ("py",)

        def __init__(self, computer: Any) -> None:
            del computer

        def run(self, code: str) -> Any:
            try:
                execution = tools.execute(code)
            except RefusedError as error:
                raise SpentError(str(error)) from error
            if execution["status"] == "ok":
                cells.append(code)
            text = execution["text"] or ("" if execution["status"] == "ok" else execution["status"])
            yield {"type": "console", "format": "output", "content": text}

        def stop(self) -> None:
            """Do nothing: an execution has a time limit."""

        def terminate(self) -> None:
            """Do nothing: the session is not ours."""

    return Session


def solve(request: dict[str, Any], tools: Tools, options: dict[str, Any]) -> dict[str, Any]:
    """Let it work on one request, and return the cell that it comes to."""
    from interpreter import OpenInterpreter

    cells: list[str] = []
    agent = OpenInterpreter(
        auto_run=True, disable_telemetry=True, offline=True, conversation_history=False, import_computer_api=False
    )
    agent.computer.terminal.languages = [language_of(tools, cells)]
    agent.llm.model = f"openai/{os.environ['BENCHWRIGHT_MODEL']}"
    agent.llm.api_base, agent.llm.api_key = os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"]
    agent.llm.temperature, agent.llm.max_tokens = options["temperature"], options["max_tokens"]
    agent.llm.context_window = options["context_window"]
    agent.llm.supports_functions, agent.llm.supports_vision = False, False
    labels = []
    try:
        agent.chat("\n\n".join([TASK.rstrip(), *sections(request)]), display=False, stream=False)
    except SpentError:
        labels.append("out-of-executions")
    trace = [{"role": str(each["role"]), "content": str(each.get("content", ""))} for each in agent.messages]
    chosen = cells if options["submit"] == "joined" else cells[-1:]
    if not chosen:
        return {"status": "gave_up", "text": "none of its code ran without an error", "trace": trace, "labels": labels}
    return {"code": "\n\n".join(chosen), "trace": trace, "labels": labels}


if __name__ == "__main__":
    told = json.loads(sys.argv[1])
    serve(
        lambda request, tools: solve(request, tools, told),
        name="open-interpreter",
        version=version("open-interpreter"),
    )
