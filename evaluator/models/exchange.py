"""What goes to a model and what comes back."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

BYTES_PER_TOKEN = 3  # English has about 4, Chinese about 3: an estimate that is seldom too low
TOKENS_PER_MESSAGE = 8  # for role and separators, generously


@dataclass(frozen=True)
class Message:
    """One turn of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class AnswerSchema:
    """The form that an answer must have; endpoints without structured outputs are only told of it in the prompt."""

    name: str
    schema: dict[str, Any]  # JSON schema of an object


@dataclass(frozen=True)
class ModelRequest:
    """One question. `repeat` tells independent askings of the same question apart."""

    messages: Sequence[Message]
    max_tokens: int = 8000
    temperature: float = 0.0
    repeat: int = 0
    schema: AnswerSchema | None = None

    @property
    def params(self) -> dict[str, Any]:
        """What the transcript keeps beside the messages."""
        params: dict[str, Any] = {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "repeat": self.repeat,
        }
        return {**params, "schema": asdict(self.schema)} if self.schema else params

    @property
    def prompt_tokens(self) -> int:
        """An estimate of the prompt's tokens, rather too high than too low."""
        return sum(
            TOKENS_PER_MESSAGE + len(m.content.encode("utf-8", "replace")) // BYTES_PER_TOKEN for m in self.messages
        )

    def digest(self, model: str) -> str:
        """Return the SHA-256 of the request: equal for equal requests, different per repeat."""
        return request_digest(model, self.params, self.messages)


@dataclass(frozen=True)
class Completion:
    """What the model answered, and what it took."""

    text: str
    prompt_tokens: int = 0  # as the endpoint counts; 0 when it does not say
    completion_tokens: int = 0
    seconds: float = 0.0  # retries and waits included
    finish_reason: str = "stop"
    cached_tokens: int = 0  # of the prompt, which the endpoint had read before
    cost: float | None = None  # in `currency`; None: no price is known
    currency: str = ""
    recalled: bool = False  # an earlier answer to the same request: nothing was asked or paid

    @property
    def cut_off(self) -> bool:
        """Whether the answer ends where the token limit was reached."""
        return self.finish_reason == "length"


@dataclass(frozen=True)
class ModelCall:
    """One request with its answer or its failure, as the transcript keeps it: everything but the key."""

    digest: str  # of model, parameters, messages and repeat: equal requests have equal digests
    model: str
    host: str
    params: dict[str, Any]
    messages: tuple[Message, ...]
    completion: Completion | None
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the call as plain JSON values."""
        return asdict(self)


def request_digest(model: str, params: dict[str, Any], messages: Sequence[Message]) -> str:
    """Return the SHA-256 of a request: equal for equal requests, different per repeat."""
    body = json.dumps([model, params, [[m.role, m.content] for m in messages]], sort_keys=True)
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
