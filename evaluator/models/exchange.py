"""What goes to a model and what comes back."""

import base64
import hashlib
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

from evaluator.errors import ToolkitError
from evaluator.models.model_settings import ModelSettings


class ContextLengthError(ToolkitError):
    """The request is longer than the model reads; a shorter one may do."""


BYTES_PER_TOKEN = 3  # English has about 4, Chinese about 3: an estimate that is seldom too low
TOKENS_PER_PICTURE = 1500  # of a figure of usual size, generously
TOKENS_PER_MESSAGE = 8  # for role and separators, generously


@dataclass(frozen=True)
class ToolCall:
    """A function that a model wants called."""

    id: str
    name: str
    arguments: str  # JSON, as the model wrote it
    carried: str = field(default="", repr=False)  # what the provider wants to see again with the call; in no digest

    def to_json(self) -> dict[str, Any]:
        """Return the call as the chat interface writes it."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


@dataclass(frozen=True)
class ToolSchema:
    """A function that a model may call."""

    name: str
    description: str
    parameters: dict[str, Any]  # JSON schema of an object

    def to_json(self) -> dict[str, Any]:
        """Return the function as the chat interface writes it."""
        told = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": told}


@dataclass(frozen=True)
class Message:
    """One turn of a conversation with a model."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    pictures: tuple[bytes, ...] = field(default=(), repr=False)  # PNGs that a vision model is shown after the text
    calls: tuple[ToolCall, ...] = ()  # of an assistant's turn
    call_id: str = ""  # of a tool's turn: which call it answers

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; pictures by their digests."""
        told: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.pictures:
            told["pictures"] = [hashlib.sha256(picture).hexdigest() for picture in self.pictures]
        if self.calls:
            told["tool_calls"] = [call.to_json() for call in self.calls]
        if self.call_id:
            told["tool_call_id"] = self.call_id
        return told


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
    stop: tuple[str, ...] = ()  # texts at which the answer ends, four at most
    is_prefix: bool = False  # the one message is a text that the model goes on with, not a turn of a conversation
    tools: tuple[ToolSchema, ...] = ()  # functions that the model may call
    has_logprobs: bool = False  # whether the answer tells how likely its tokens were

    @property
    def params(self) -> dict[str, Any]:
        """What the transcript keeps beside the messages."""
        params: dict[str, Any] = {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "repeat": self.repeat,
        }
        if self.stop:
            params["stop"] = list(self.stop)
        if self.is_prefix:
            params["is_prefix"] = True
        if self.tools:
            params["tools"] = [tool.to_json() for tool in self.tools]
        if self.has_logprobs:
            params["logprobs"] = True
        return {**params, "schema": asdict(self.schema)} if self.schema else params

    @property
    def prompt_tokens(self) -> int:
        """An estimate of the prompt's tokens, rather too high than too low."""
        return sum(
            TOKENS_PER_MESSAGE + _bytes(m) // BYTES_PER_TOKEN + TOKENS_PER_PICTURE * len(m.pictures)
            for m in self.messages
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
    cached: bool = False  # an earlier answer to the same request: nothing was asked or paid
    calls: tuple[ToolCall, ...] = ()  # functions that the model wants called
    mean_logprob: float | None = None  # of its tokens (natural logarithm); None: the endpoint does not tell

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
        return {**asdict(replace(self, messages=())), "messages": tuple(message.to_json() for message in self.messages)}


def _bytes(message: Message) -> int:
    written = [message.content, *(call.name + call.arguments for call in message.calls)]
    return sum(len(text.encode("utf-8", "replace")) for text in written)


_ADDRESS: Final = re.compile(r"\bat 0x[0-9A-Fa-f]{6,16}\b")  # as Python shows objects: <... object at 0x7f92cbd5c9d0>


def request_digest(model: str, params: dict[str, Any], messages: Sequence[Message]) -> str:
    """Return the SHA-256 of a request: equal for equal requests, different per repeat.

    Where objects lie in memory is left out: it differs from process to process, and tells a model nothing.
    """
    shown = (replace(message, content=_ADDRESS.sub("at 0x", message.content)) for message in messages)
    turns = [list(message.to_json().values()) for message in shown]
    body = json.dumps([model, params, turns], sort_keys=True)
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


OnProgress = Callable[[int], None]  # characters of the answer so far

MAX_ANSWER_CHARS: Final = 2_000_000  # of an answer that is kept; what is longer is cut and counts as cut off


def completion_of(answer: Any, settings: ModelSettings) -> Completion:
    """Return what a chat completion says, or the completion of a text.

    Raises:
        ToolkitError: If it is none.
    """
    message = getattr(_first_choice(answer), "message", None)
    text = getattr(_first_choice(answer), "text", None) if message is None else getattr(message, "content", None)
    if message is None and not isinstance(text, str):
        raise ToolkitError(
            "the endpoint's answer is not a chat completion",
            where=f"model {settings.model!r} at {settings.host}",
            fix="check that OPENAI_BASE_URL names an OpenAI-compatible interface (often it ends in /v1)",
        )
    gathered = Gathered()
    gathered.take_text(text)
    gathered.finish_reason = text_or_empty(getattr(_first_choice(answer), "finish_reason", None)) or "stop"
    gathered.take_usage(getattr(answer, "usage", None))
    choice = _first_choice(answer)
    return replace(gathered.completion(), calls=_tool_calls(message), mean_logprob=_mean_logprob(choice))


MAX_CALLS: Final = 20  # of an answer that are read


def _tool_calls(message: Any) -> tuple[ToolCall, ...]:
    """Return the calls in an answer, those of the older form `function_call` among them."""
    calls = getattr(message, "tool_calls", None)
    found = []
    for number, call in enumerate(calls[:MAX_CALLS] if isinstance(calls, list) else [], 1):
        function = getattr(call, "function", None)
        name, arguments = (
            text_or_empty(getattr(function, "name", None)),
            text_or_empty(getattr(function, "arguments", None)),
        )
        if name:
            found.append(ToolCall(text_or_empty(getattr(call, "id", None)) or f"call-{number}", name, arguments))
    older = getattr(message, "function_call", None)
    name = text_or_empty(getattr(older, "name", None))
    if not found and name:
        found.append(ToolCall("call-1", name, text_or_empty(getattr(older, "arguments", None))))
    return tuple(found)


def _mean_logprob(choice: Any) -> float | None:
    tokens = getattr(getattr(choice, "logprobs", None), "content", None)
    values = [getattr(token, "logprob", None) for token in tokens] if isinstance(tokens, list) else []
    numbers = [value for value in values if isinstance(value, int | float) and math.isfinite(value)]
    return sum(numbers) / len(numbers) if numbers else None


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
        self.finish_reason = text_or_empty(getattr(choice, "finish_reason", None)) or self.finish_reason
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
            self._usage = (
                count_or_zero(counts[0]),
                count_or_zero(counts[1]),
                count_or_zero(getattr(details, "cached_tokens", 0)),
            )

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


def text_or_empty(value: Any) -> str:
    """Return a text; anything else is none."""
    return value if isinstance(value, str) else ""


def count_or_zero(value: Any) -> int:
    """Return a count; anything else is 0."""
    return value if isinstance(value, int) and value >= 0 else 0


Form = Literal["json_schema", "json_object", "none"]
NEXT_FORM: dict[Form, Form] = {"json_schema": "json_object", "json_object": "none"}
FORM_WORDS = ("response_format", "json_schema", "json_object", "structured output")


@dataclass(frozen=True)
class EndpointCapabilities:
    """What an endpoint was not yet found to refuse."""

    tokens_name: str = "max_tokens"  # max_completion_tokens where the endpoint asks for it
    takes_temperature: bool = True
    takes_system: bool = True  # instructions apart from turns, where the interface knows them
    form: Form = "json_schema"  # the strictest structured output that may work
    streams: bool = True
    tells_logprobs: bool = True
    counts_streams: bool = True  # tells the tokens of a streamed answer when asked to

    def body(self, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
        """Return the fields of a request beside the model's name."""
        if request.is_prefix:
            body: dict[str, Any] = {"prompt": sendable(request.messages[0].content), "max_tokens": request.max_tokens}
        else:
            body = {"messages": _turns(request.messages), self.tokens_name: request.max_tokens}
        if request.stop:
            body["stop"] = list(request.stop)
        if request.tools:
            body["tools"] = [tool.to_json() for tool in request.tools]
        if request.has_logprobs and self.tells_logprobs:
            body["logprobs"] = True
        if self.takes_temperature:
            body["temperature"] = request.temperature
        if request.schema and self.form == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif request.schema and self.form == "json_schema":
            wanted = {"name": request.schema.name, "schema": request.schema.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        if stream and self.streams:
            body["stream"] = True
            if self.counts_streams:
                body["stream_options"] = {"include_usage": True}
        return body

    def after(self, said: str, body: dict[str, Any]) -> "EndpointCapabilities | None":
        """Return how to ask instead, after a refusal of this body; None: it names nothing that could be left out."""
        if "max_completion_tokens" in said and "max_tokens" in body:
            return replace(self, tokens_name="max_completion_tokens")
        if "response_format" in body and any(word in said.lower() for word in FORM_WORDS):
            return replace(self, form=NEXT_FORM.get(self.form, "none"))
        if "stream_options" in body and "stream_options" in said:
            return replace(self, counts_streams=False)
        if "stream" in body and "stream" in said.lower():
            return replace(self, streams=False)
        if "logprobs" in body and "logprobs" in said:
            return replace(self, tells_logprobs=False)
        if "temperature" in body and "temperature" in said:
            return replace(self, takes_temperature=False)
        return None


def _turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [_turn(message) for message in messages]


def _turn(message: Message) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": message.role, "content": _content(message)}
    if message.calls:
        turn["tool_calls"] = [call.to_json() for call in message.calls]
        turn["content"] = turn["content"] or None
    if message.call_id:
        turn["tool_call_id"] = message.call_id
    return turn


def _content(message: Message) -> Any:
    if not message.pictures:
        return sendable(message.content)
    urls = [f"data:image/png;base64,{base64.b64encode(picture).decode()}" for picture in message.pictures]
    shown = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"type": "text", "text": sendable(message.content)}, *shown]


def sendable(text: str) -> str:
    """Return a text without half characters, which data files hold now and then, and which cannot be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
