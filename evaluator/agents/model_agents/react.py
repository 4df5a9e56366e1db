"""What agents that think and act in turns have in common: reading replies, writing observations (ReAct)."""

import contextlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from evaluator.agents.protocol import AgentFailure, FailureKind, SessionInfo, Submission, SubmissionStatus
from evaluator.models import Completion, ModelClient

Memory = TypeVar("Memory")

_FENCE: Final = "```"
_SPAN: Final = re.compile(r"`([^`]*)`", re.DOTALL)
_MOST_JSON5: Final = 20_000  # characters: its reader is slow
MAX_REPLY_CHARS: Final = 200_000  # of a reply, from which on nothing is read


def extract_code(text: str) -> str:
    """Return the code in an action's input: the first fence, else the first span in backticks, else JSON, else all.

    JSON is read with the liberties of JSON5.
    """
    marked = marked_code(text)
    if marked is not None:
        return marked
    code = _json_code(text)
    return text if code is None else code


def marked_code(text: str) -> str | None:
    """Return what stands in the first fence of a text, else in its first backticks; None: it has neither. One pass."""
    begin = text.find(_FENCE)
    line_end = text.find("\n", begin + len(_FENCE)) if begin >= 0 else -1
    end = text.find(_FENCE, line_end + 2) if line_end >= 0 else -1
    if end >= 0:
        return text[line_end + 1 : end]
    span = _SPAN.search(text)
    return None if span is None else span[1]


def _json_code(text: str) -> str | None:
    if not text.lstrip().startswith("{"):
        return None
    import json5  # late: few replies need it

    for load, most in ((json.loads, MAX_REPLY_CHARS), (json5.loads, _MOST_JSON5)):
        with contextlib.suppress(ValueError, RecursionError):
            written = load(text[:most])
            code = written.get("code") if isinstance(written, dict) else None
            return code if isinstance(code, str) else None
    return None


class ReactAgent(Generic[Memory]):
    """An agent that thinks and acts in turns, and remembers something of each session."""

    def __init__(self, client: ModelClient, memory: Callable[[], Memory]) -> None:
        """Prepare.

        Args:
            client: Asks the model.
            memory: Makes what is remembered of a session that begins.
        """
        self._client = client
        self._memory = memory
        self._sessions: dict[str, Memory] = {}

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""
        self._sessions[session.session_id] = self._memory()

    def end(self, session_id: str) -> None:
        """Forget a session."""
        self._sessions.pop(session_id, None)

    def remembered(self, session_id: str) -> Memory:
        """Return what is remembered of a session, whether or not it was announced."""
        return self._sessions.setdefault(session_id, self._memory())


@dataclass(frozen=True)
class Turn:
    """One entry of a conversation that a record keeps."""

    role: str
    content: str
    said: Mapping[str, Any] | None = None  # tokens, seconds, cost of a reply

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"role": self.role, "content": self.content, **(self.said or {})}


@dataclass
class Usage:
    """What the replies at one attempt took."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, answer: Completion) -> dict[str, Any]:
        """Count a reply, and return what a record says of it."""
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens
        tokens = answer.prompt_tokens + answer.completion_tokens
        return {"tokens": tokens, "seconds": answer.seconds, "cost": answer.cost}

    def to_json(self) -> dict[str, int]:
        """Return the counts."""
        return {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}


def gave_up(turns: list[Turn], usage: Usage, *, answer: str | None = None) -> Submission:
    """Return what an agent gives back that ends a problem without code; `answer` is what it closes with."""
    trace = tuple(turn.to_json() for turn in turns)
    return Submission("", SubmissionStatus.GAVE_UP, usage.to_json(), trace=trace, answer=answer)


def too_long(turns: list[Turn], usage: Usage, what: str) -> Submission:
    """Return what an agent gives back whose conversation is longer than the model reads."""
    failure = AgentFailure(FailureKind.CONTEXT_LENGTH, what)
    trace = tuple(turn.to_json() for turn in turns)
    return Submission("", SubmissionStatus.ERROR, usage.to_json(), error=failure, trace=trace)
