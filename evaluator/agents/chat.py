"""An agent that asks a language model: one completion per attempt, shown the variables and the code so far."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Final

from evaluator.agents.protocol import (
    AgentCard,
    AgentFailure,
    FailureKind,
    Feedback,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
)
from evaluator.errors import ToolkitError
from evaluator.models import ContextLengthError, Message, ModelClient

PROMPTS: Final = Path(__file__).parent / "prompts"
MAX_ANSWER_CHARS: Final = 400_000  # of a model's answer, from which on nothing is read
FENCE: Final = re.compile(r"^[ \t]*(```+|~~~+)[^\n`]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_THOUGHT: Final = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_VERSION: Final = re.compile(r"\Aversion:[^\n]*\n")
MAX_VARIABLE_CHARS: Final = 1_500  # of one variable's description
MAX_VARIABLES_CHARS: Final = 20_000
MAX_HISTORY_CHARS: Final = 20_000
MAX_FEEDBACK_CHARS: Final = 10_000  # of one part of it
MAX_TOKENS: Final = 1_000
SAMPLE_TEMPERATURE: Final = 0.7  # of repeated askings: at 0 they would only repeat the same answer


class ChatAgent:
    """Asks a model once per problem. Keeps no state between problems: the request holds all it needs."""

    def __init__(self, client: ModelClient, *, repeat: int = 0, temperature: float = 0.0) -> None:
        self._client = client
        self._repeat = repeat  # tells independent askings of the same request apart
        self._temperature = temperature

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name=f"chat:{self._client.settings.model}", variables=True, history=True)

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return the code of the model's answer.

        Raises:
            ToolkitError: If the endpoint gives no answer.
        """
        messages = [Message("system", _prompt("agent_system")), Message("user", request_text(request))]
        if request.feedback is not None:
            messages.append(Message("assistant", f"```python\n{request.feedback.code}\n```"))
            messages.append(Message("user", feedback_text(request.feedback)))
        trace: list[dict[str, Any]] = [{"role": message.role, "content": message.content} for message in messages]
        try:
            answer = self._client.complete(
                messages,
                max_tokens=MAX_TOKENS,
                temperature=self._temperature,
                repeat=self._repeat + request.epoch - 1,
            )
        except ContextLengthError as error:
            failure = AgentFailure(FailureKind.CONTEXT_LENGTH, error.what)
            return Submission(code="", status=SubmissionStatus.ERROR, error=failure, trace=tuple(trace))
        usage = {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens}
        said = {"tokens": sum(usage.values()), "seconds": answer.seconds, "cost": answer.cost}
        trace.append({"role": "assistant", "content": answer.text, **said})
        return Submission(code=read_code(answer.text), usage=usage, trace=tuple(trace))

    def end(self, session_id: str) -> None:
        """Forget a session."""


class UnavailableAgent:
    """Stands where a model was named that cannot be asked at all; says why at every problem."""

    def __init__(self, reason: ToolkitError) -> None:
        self._reason = reason

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name="unavailable")

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:  # noqa: ARG002 - it reads nothing
        """Fail.

        Raises:
            ToolkitError: Always.
        """
        raise self._reason

    def end(self, session_id: str) -> None:
        """Forget a session."""


def request_text(request: SolveRequest) -> str:
    """Return what the model is asked: variables, executed code, the query; a block that is empty says so."""
    variables = "\n".join(
        f"{v.name} ({v.type}): {clipped(v.text, MAX_VARIABLE_CHARS)}"
        for v in request.variables
        if v.type not in ("module", "function") and not v.name.startswith("__")
    )
    history = "\n".join(f"# %%\n{cell.source}" for cell in request.history)
    return filled_prompt(
        "agent_request",
        variables=clipped(variables, MAX_VARIABLES_CHARS) or "(none)",
        history=history[-MAX_HISTORY_CHARS:] or "(none)",
        query=request.query,
    )


def feedback_text(feedback: Feedback) -> str:
    """Return what a model is told of its last attempt; what it may not know is left out in words."""
    return filled_prompt(
        "agent_feedback",
        error=clipped(feedback.error or "(none)", MAX_FEEDBACK_CHARS),
        output=clipped(feedback.output or "(none)", MAX_FEEDBACK_CHARS),
        hint=clipped(feedback.hint or "(none)", MAX_FEEDBACK_CHARS),
    )


def read_code(answer: str) -> str:
    """Return the code in a model's answer: its first fenced block, closed or not, else all of it."""
    text = without_thought(answer[:MAX_ANSWER_CHARS].replace("\r\n", "\n").replace("\x00", ""))
    return next(fenced_blocks(text), text).strip("\n")


def without_thought(answer: str) -> str:
    """Drop the thinking aloud that some endpoints leave before the answer: its code and lists are not meant."""
    return _THOUGHT.sub("", answer, count=1)


def fenced_blocks(text: str) -> Iterator[str]:
    """Yield what stands between fences, the last of which may be missing."""
    for match in FENCE.finditer(text):
        yield match.group(2)


def clipped(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text, its beginning, with a mark where it was cut."""
    return text if len(text) <= limit else f"{text[:limit]}\n... ({len(text) - limit} characters left out)"


@cache
def _prompt(name: str) -> str:
    """Return the text of a prompt, without the line that tells its version."""
    return _VERSION.sub("", (PROMPTS / f"{name}.md").read_text(encoding="utf-8")).strip()


def filled_prompt(name: str, **parts: str) -> str:
    """Return the text of a prompt with its parts filled in."""
    return Template(_prompt(name)).substitute(parts)
