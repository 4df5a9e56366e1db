"""What agents that talk with a model in several turns have in common: counting, results as text, closing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from evaluator.agents.options import Option, written_options
from evaluator.agents.protocol import (
    AgentFailure,
    Execution,
    FailureKind,
    HistoryCell,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Variable,
)
from evaluator.models import Completion, ContextLengthError, Message, ModelClient, ToolSchema

SHOWN: Final = 2_500  # first and last characters of a result


@dataclass
class Talk:
    """The turns of one attempt, and what they took."""

    client: ModelClient
    max_tokens: int
    temperature: float = 0.0
    repeat: int = 0
    messages: list[Message] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    _past: list[Mapping[str, Any]] = field(default_factory=list)  # turns of dialogues that ended
    _usage: dict[str, float] = field(default_factory=dict)
    _said: dict[int, dict[str, Any]] = field(default_factory=dict)  # of the reply at that place

    def begin_anew(self) -> None:
        """Begin another dialogue of the same attempt; what was said so far stays in the trace."""
        self._past += self._present()
        self.messages, self._said = [], {}

    def say(self, role: Any, content: str, **more: Any) -> None:
        """Add a turn."""
        self.messages.append(Message(role, content, **more))

    def ask(self, *, tools: Sequence[ToolSchema] = (), keeps: bool = True) -> Completion:
        """Ask the model, count what it took, and add its reply to the turns.

        Raises:
            ContextLengthError: If the turns are longer than the model reads.
            ToolkitError: If the endpoint gives no answer.
        """
        answer = self.client.complete(
            list(self.messages),
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            repeat=self.repeat,
            tools=tools,
        )
        taken = {
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "cached_tokens": answer.cached_tokens,
            "calls": 1,
            **({"cost": answer.cost} if answer.cost is not None else {}),
        }
        for name, value in taken.items():
            self._usage[name] = self._usage.get(name, 0) + value
        if keeps:
            tokens = answer.prompt_tokens + answer.completion_tokens
            self._said[len(self.messages)] = {"tokens": tokens, "seconds": answer.seconds, "cost": answer.cost}
            self.say("assistant", answer.text, calls=answer.calls)
        return answer

    def trace(self) -> tuple[Mapping[str, Any], ...]:
        """Return the turns of all dialogues as a record keeps them."""
        return (*self._past, *self._present())

    def _present(self) -> list[Mapping[str, Any]]:
        turns = [message.to_json() for message in self.messages]
        return [{**turn, **self._said.get(place, {})} for place, turn in enumerate(turns)]

    def submission(self, code: str, *, answer: str | None = None) -> Submission:
        """Return code with what the talk took; without code the agent gave up."""
        status = SubmissionStatus.OK if code.strip() else SubmissionStatus.GAVE_UP
        return Submission(code, status, dict(self._usage), tuple(self.labels), trace=self.trace(), answer=answer)

    def too_long(self, error: ContextLengthError) -> Submission:
        """Return what counts as an answer where the turns are longer than the model reads."""
        failure = AgentFailure(FailureKind.CONTEXT_LENGTH, error.what)
        return Submission(
            "", SubmissionStatus.ERROR, dict(self._usage), tuple(self.labels), failure, trace=self.trace()
        )


class TalkingAgent:
    """What the agents that talk share: a client, the values of their options, and a name that tells both."""

    KIND: ClassVar[str]
    OPTIONS: ClassVar[Mapping[str, Option]]

    def __init__(self, client: ModelClient, options: Mapping[str, Any] | None = None) -> None:
        """Prepare.

        Args:
            client: Asks the model.
            options: Values of `OPTIONS`; what is left out is as by default.
        """
        self._client = client
        self._options = {name: option.default_value for name, option in self.OPTIONS.items()} | dict(options or {})

    @property
    def name(self) -> str:
        """The kind, the model, and the options that differ from the defaults."""
        written = written_options(self._options, self.OPTIONS)
        return f"{self.KIND}:{self._client.settings.model}" + (f"?{written}" if written else "")

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def end(self, session_id: str) -> None:
        """Forget a session."""

    def begin_talk(self, request: SolveRequest) -> Talk:
        """Return an empty talk about one attempt."""
        return Talk(self._client, self._options["max_tokens"], self._options["temperature"], request.epoch - 1)


def result_text(execution: Execution, limit: int = SHOWN) -> str:
    """Return what an execution printed and showed, or raised, as a model is told it."""
    text = printed(execution.outputs)
    if execution.error is not None:
        text += execution.error.traceback
    elif execution.status != "ok":
        text += f"(the code ended as {execution.status})"
    return middle_cut(text.strip(), limit) or "(no output)"


def printed(outputs: Sequence[Mapping[str, Any]]) -> str:
    """Return streams and shown values in order, as text."""
    parts = []
    for output in outputs:
        if output.get("output_type") == "stream":
            parts.append(str(output.get("text", "")))
        elif isinstance(output.get("data"), Mapping) and isinstance(output["data"].get("text/plain"), str):
            parts.append(output["data"]["text/plain"] + "\n")
    return "".join(parts)


def middle_cut(text: str, limit: int) -> str:
    """Return the first and the last `limit` characters of a text."""
    return text if len(text) <= 2 * limit else f"{text[:limit]}\n[...]\n{text[-limit:]}"


def variables_text(variables: Sequence[Variable]) -> str:
    """Return a line for each variable."""
    return "\n".join(f"{each.name} ({each.type}): {each.text}" for each in variables) or "(none)"


def cells_text(history: Sequence[HistoryCell]) -> str:
    """Return cells behind marks."""
    return "\n\n".join(f"# %%\n{cell.source}" for cell in history) or "(none)"
