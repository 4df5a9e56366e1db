"""Open Interpreter: it talks with its model and runs code on a copy of the session, and hands in what it ran.

Started as `python open_interpreter_agent.py '{"submit": "joined"}'` in an environment that holds `open-interpreter`
(AGPL; written for 0.4.3). Nothing of it is imported by Benchwright: it runs in a process of its own. Differences from
the package alone: Python is its one language, and runs in the session; its model's answer comes to it character by
character, since it loses what comes in one piece with the end of a block; the answer is the cells that ran without an
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

from benchwright_agent import (  # noqa: E402  # a file beside us, not installed
    RefusedError,
    Tools,
    serve,
)
from notebook_prompt import sections  # noqa: E402

TASK = """\
You work in the running session of a Python notebook; what your code defines stays there. Answer the request below. \
The last expression of your last piece of code is the answer: the very object that is asked for. The user's variables \
stay as they are unless the request says otherwise.
"""


class Session:
    """What ran in the copy of the session."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.cells: list[str] = []  # that ran without an error
        self.is_spent = False  # whether an execution was refused


def language_of(session: Session) -> type:
    """Return what Open Interpreter calls a language: Python, over a copy of the session."""

    class Python:
        name = "Python"
        file_extension = "py"
        aliases = ("py",)

        def __init__(self, computer: Any) -> None:
            del computer

        def run(self, code: str) -> Any:
            try:
                execution = session.tools.execute(code)
            except RefusedError as error:  # an exception would be told to the model as an error of its code
                session.is_spent = True
                yield {"type": "console", "format": "output", "content": str(error)}
                return
            if execution["status"] == "ok":
                session.cells.append(code.strip("\n"))
            text = execution["text"] or ("" if execution["status"] == "ok" else execution["status"])
            yield {"type": "console", "format": "output", "content": text}

        def stop(self) -> None:
            """Do nothing: an execution has a time limit."""

        def terminate(self) -> None:
            """Do nothing: the session is not ours."""

    return Python


def in_characters(completions: Any) -> Any:
    """Return what asks a model as before, but yields its answer in pieces of one character."""

    def asked(**params: Any) -> Any:
        for chunk in completions(**params):
            text = chunk["choices"][0]["delta"].get("content") if chunk["choices"] else None
            for each in text or ():
                yield {"choices": [{"delta": {"content": each}}]}

    return asked


def solve(request: dict[str, Any], tools: Tools, options: dict[str, Any]) -> dict[str, Any]:
    """Let it work on one request, and return the cell that it comes to."""
    from interpreter import OpenInterpreter

    session = Session(tools)
    agent = OpenInterpreter(
        auto_run=True, disable_telemetry=True, offline=True, conversation_history=False, import_computer_api=False
    )
    agent.computer.terminal.languages = [language_of(session)]
    agent.llm.model = f"openai/{os.environ['BENCHWRIGHT_MODEL']}"
    agent.llm.api_base, agent.llm.api_key = os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"]
    agent.llm.temperature, agent.llm.max_tokens = options["temperature"], options["max_tokens"]
    agent.llm.context_window = options["context_window"]
    agent.llm.supports_functions, agent.llm.supports_vision = False, False
    agent.llm.completions = in_characters(agent.llm.completions)
    for _ in agent.chat("\n\n".join([TASK.rstrip(), *sections(request)]), display=False, stream=True):
        if session.is_spent:
            break
    labels = ["out-of-executions"] if session.is_spent else []
    cells = session.cells
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
