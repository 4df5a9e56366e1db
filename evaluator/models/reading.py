"""Read an answer, whole or in pieces: a server that is only nearly compatible may leave any part of it out."""

from typing import Any, Final

from evaluator.errors import ToolkitError
from evaluator.models.exchange import Completion
from evaluator.models.settings import ModelSettings

MAX_ANSWER_CHARS: Final = 2_000_000  # of an answer that is kept; what is longer is cut and counts as cut off


def completion_of(answer: Any, settings: ModelSettings) -> Completion:
    """Return what a chat completion says.

    Raises:
        ToolkitError: If it is none.
    """
    message = getattr(_first_choice(answer), "message", None)
    if message is None:
        raise ToolkitError(
            "the endpoint's answer is not a chat completion",
            where=f"model {settings.model!r} at {settings.host}",
            fix="check that OPENAI_BASE_URL names an OpenAI-compatible interface (often it ends in /v1)",
        )
    gathered = Gathered()
    gathered.take_text(getattr(message, "content", None))
    gathered.finish_reason = _text(getattr(_first_choice(answer), "finish_reason", None)) or "stop"
    gathered.take_usage(getattr(answer, "usage", None))
    return gathered.completion()


class Gathered:
    """An answer that comes in pieces."""

    def __init__(self) -> None:
        self.chars = 0
        self.finish_reason = ""  # as long as the answer has not ended
        self._pieces: list[str] = []
        self._usage = (0, 0, 0)

    def take(self, chunk: Any) -> None:
        """Add one chunk of a streamed completion."""
        choice = _first_choice(chunk)
        self.take_text(getattr(getattr(choice, "delta", None), "content", None))
        self.finish_reason = _text(getattr(choice, "finish_reason", None)) or self.finish_reason
        self.take_usage(getattr(chunk, "usage", None))

    def take_text(self, text: Any) -> None:
        """Add a piece of the text; nothing else is one."""
        if isinstance(text, str):
            self.chars += len(text)
            self._pieces.append(text)

    def take_usage(self, usage: Any) -> None:
        """Note the tokens as the endpoint counts them."""
        if usage is not None:
            details = getattr(usage, "prompt_tokens_details", None)
            counts = (getattr(usage, "prompt_tokens", 0), getattr(usage, "completion_tokens", 0))
            self._usage = (_count(counts[0]), _count(counts[1]), _count(getattr(details, "cached_tokens", 0)))

    @property
    def is_too_long(self) -> bool:
        """Whether more came than is kept."""
        return self.chars > MAX_ANSWER_CHARS

    def completion(self) -> Completion:
        """Return the answer so far."""
        return Completion(
            text="".join(self._pieces)[:MAX_ANSWER_CHARS],
            prompt_tokens=self._usage[0],
            completion_tokens=self._usage[1],
            cached_tokens=self._usage[2],
            finish_reason="length" if self.is_too_long else self.finish_reason,
        )


def _first_choice(answer: Any) -> Any:
    choices = getattr(answer, "choices", None)
    return choices[0] if isinstance(choices, list) and choices else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value >= 0 else 0
