"""CoML itself: the package that the built-in agent `chat` follows, asked as its own benchmark asked it.

Started as `python coml_agent.py '{"context_order": "vcr", ...}'` in an environment that holds the package `mlcopilot`
(written for 0.0.8). A first attempt is its `generate_code`, a later one its `fix_code` on what came of the last.
Variables come described by us in its own form. Difference from the package in a notebook: nothing of it reads a
session.
"""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sdk"))

from benchwright_agent import serve  # a file beside us, not installed


class CoMLSolver:
    """Keeps of each session what its last code came from."""

    name = "coml"

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._contexts: dict[str, Any] = {}

    def solve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the code that it writes for a request."""
        variables = {each["name"]: each["text"] for each in request["variables"]}
        codes = [cell["source"] for cell in request["history"]]
        self._contexts.pop(
            request["session_id"], None
        )  # of the problem before: if this fails, there is nothing to repair
        context = self._agent().generate_code(request["query"], variables, codes)
        self._contexts[request["session_id"]] = context
        return {"code": context["answer"]}

    def retry(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return its repair of the last code; the same code where it finds nothing to repair."""
        context = self._contexts.get(request["session_id"])
        if context is None:
            return self.solve(request)
        told = request["feedback"]
        repaired = self._agent().fix_code(told["error"], told["output_text"], told["hint"], context)
        if repaired is None:
            return {"code": request["code"], "labels": ["not-repaired"]}
        self._contexts[request["session_id"]] = repaired
        return {"code": repaired["interactions"][-1]["code"]}

    def end(self, session_id: str) -> None:
        """Forget a session."""
        self._contexts.pop(session_id, None)

    def _agent(self) -> Any:
        from coml import CoMLAgent
        from langchain_openai import ChatOpenAI

        told = self._options
        model = ChatOpenAI(
            model=os.environ["BENCHWRIGHT_MODEL"],
            base_url=os.environ["OPENAI_BASE_URL"],
            api_key=os.environ["OPENAI_API_KEY"],
            temperature=told["temperature"],
            extra_body={"max_tokens": told["max_tokens"]},  # which more servers know than what the client would send
        )
        return CoMLAgent(
            model,
            num_examples=told["num_examples"],
            chain_of_thought=told["chain_of_thought"] == "on",
            intact_instruction=told["intact_instruction"] == "on",
            context_order=told["context_order"],
            prompt_version=told["prompt_version"],
        )


if __name__ == "__main__":
    serve(
        CoMLSolver(json.loads(sys.argv[1])),
        version=version("mlcopilot"),
        variables="coml",
        history="code",
        max_sessions=8,
    )
