"""The agent of codeinterpreterapi: one step of it, whose code is handed in and not run.

Started as `python codeinterpreterapi_agent.py '{"temperature": 0.03}'` in an environment that holds the package
`codeinterpreterapi` (written for 0.1.20). As the adapter of DSEval used it: the variables by their names, the cells so
far as a conversation in which the model called its tool, and of its next step the code of the call. Difference from
the package alone: it starts no kernel.
"""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "sdk"), str(HERE)]

from benchwright_agent import serve  # noqa: E402  # a file beside us, not installed
from notebook_prompt import shortened, shown_outputs  # noqa: E402

MAX_RESULT_CHARS = 500
LIBRARIES = "The session of a Python notebook holds these variables: {}."


def conversation(history: list[dict[str, Any]]) -> list[Any]:
    """Return the cells so far as messages: what was asked, the call of the tool, and what it showed."""
    from langchain_core.messages import AIMessage, FunctionMessage, HumanMessage

    messages = []
    for cell in history:
        call = {"name": "python", "arguments": json.dumps({"code": cell["source"]})}
        messages += [
            HumanMessage(content=cell.get("query") or "Run this code."),
            AIMessage(content="", additional_kwargs={"function_call": call}),
            FunctionMessage(name="python", content=shortened(shown_outputs(cell["outputs"]), MAX_RESULT_CHARS)),
        ]
    return messages


def solve(request: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return the code of the agent's next step."""
    from codeinterpreterapi import CodeInterpreterSession
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(
        model=os.environ["BENCHWRIGHT_MODEL"],
        base_url=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ["OPENAI_API_KEY"],
        temperature=options["temperature"],
        max_tokens=options["max_tokens"],
    )
    names = ", ".join(each["name"] for each in request["variables"]) or "none"
    asked = f"{LIBRARIES.format(names)}\n\n{request['query']}"
    feedback = request.get("feedback")
    if feedback is not None:
        told = [text for text in (feedback["error"], feedback["output_text"], feedback["hint"]) if text]
        asked += "\n\nThis code was not right:\n" + "\n".join([request["code"], *told])
    agent = CodeInterpreterSession(llm=model)._choose_agent()
    step = agent.plan([], input=asked, chat_history=conversation(request["history"]))
    called = getattr(step, "tool_input", None)
    if isinstance(called, dict) and isinstance(called.get("code"), str):
        return {"code": called["code"]}
    if isinstance(called, str):
        return {"code": called}
    said = str(getattr(step, "return_values", {}).get("output", step))
    return {"status": "gave_up", "text": said, "labels": ["no-call"]}


if __name__ == "__main__":
    told = json.loads(sys.argv[1])
    serve(
        lambda request: solve(request, told),
        name="codeinterpreterapi",
        version=version("codeinterpreterapi"),
        variables="names",
        max_sessions=8,
    )
