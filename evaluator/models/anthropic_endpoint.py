"""One request over Anthropic's interface. Needs the anthropic package, so it is imported late."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import anthropic
import httpx2

from evaluator.errors import ToolkitError
from evaluator.models.endpoint_faults import (
    NOT_READ,
    BrokenAnswerError,
    Refusal,
    RefusedError,
    UnreachableError,
    asked_where,
    broken_fault,
    said_of,
)
from evaluator.models.exchange import (
    Completion,
    EndpointCapabilities,
    Message,
    ModelRequest,
    OnProgress,
    ToolCall,
    count_or_zero,
    sendable,
    text_or_empty,
)
from evaluator.models.model_settings import ModelSettings
from evaluator.models.provider_endpoint import (
    EMPTY,
    WITHHELD,
    Progress,
    ProviderEndpoint,
    Turn,
    arguments_of,
    conversation_of,
    finished,
)

MAX_TEMPERATURE: Final = 1.0  # a higher one is refused
FORM_WORDS: Final = ("output_config", "output_format", "json_schema", "structured output", "schema")
THINKING: Final = {"thinking", "redacted_thinking"}  # blocks that must be sent again before the calls that they led to
REASONS: Final = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": WITHHELD,
}


class AnthropicEndpoint(ProviderEndpoint):
    """The connections to Anthropic's interface."""

    def __init__(self, settings: ModelSettings, key: str, manners: EndpointCapabilities) -> None:
        super().__init__(settings, key, manners)
        self._anthropic = anthropic.AsyncAnthropic(
            api_key=key,
            base_url=settings.base_url,
            timeout=settings.timeout_s,
            max_retries=0,  # requests are made again here, so that each has the whole time limit
            # a proxy of the environment cannot see this machine's own loopback; None: the package's own choice
            http_client=httpx2.AsyncClient(trust_env=False) if settings.is_loopback else None,
        )

    async def _close(self) -> None:
        await self._anthropic.close()

    async def _once(self, request: ModelRequest, on_progress: OnProgress | None) -> Completion:
        body = self._body(request)
        messages: Any = self._anthropic.messages
        if on_progress is not None:
            with self._read():
                stream = await messages.create(**body, stream=True)
            return finished(_whitespace_stops(await self._streamed(stream, on_progress), request))
        with self._read():
            answer = await messages.create(**body)
            blocks = answer.content if isinstance(answer, anthropic.types.Message) else None
            if not isinstance(blocks, list):
                raise broken_fault(self._settings, "it is no answer of Anthropic's interface")
            found = [_plain(block) for block in blocks]
            completion = _completion(found, answer.stop_reason, _usage(answer.usage))
        return finished(_whitespace_stops(completion, request))

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        system, turns = conversation_of(request.messages)
        body: dict[str, Any] = {
            "model": self._settings.model_id,
            "max_tokens": request.max_tokens,
            "messages": [_turn(turn, is_last=turn is turns[-1]) for turn in turns],
            "timeout": self._settings.timeout_s,
        }
        if system:
            body["system"] = sendable(system)
        stops = [stop for stop in request.stop if stop.strip()]  # the others are refused
        if stops:
            body["stop_sequences"] = stops
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in request.tools
            ]
        if request.schema and self.manners.form == "json_schema":
            body |= _form(request.schema.schema)
        if self.manners.takes_temperature:  # the package has no parameter of that name: not every model takes one
            body["extra_body"] = {"temperature": min(request.temperature, MAX_TEMPERATURE)}
        return body

    async def _streamed(self, stream: Any, on_progress: OnProgress) -> Completion:
        gathered, progress = _Gathered(), Progress(on_progress)
        try:
            while (piece := await self._next(stream, gathered)) is not None:
                if not progress.add(piece):
                    break
        finally:
            await stream.close()
        progress.end()
        return _completion(gathered.blocks, gathered.stop_reason, gathered.usage)

    async def _next(self, stream: Any, gathered: "_Gathered") -> str | None:
        """Take the next event and return the text in it; None: the answer has ended."""
        with self._read():
            event = await anext(stream, None)
            if event is None:
                if gathered.stop_reason is None:
                    raise BrokenAnswerError("the stream ended before the answer did")
                return None
            return gathered.take(event)

    @contextmanager
    def _read(self) -> Iterator[None]:
        """Turn what the package raises into what all providers' endpoints raise."""
        try:
            yield
        except anthropic.APITimeoutError as error:
            raise TimeoutError from error
        except anthropic.APIConnectionError as error:
            raise UnreachableError from error
        except anthropic.APIStatusError as error:
            if error.status_code < 400:  # an error in the middle of a stream
                raise BrokenAnswerError(_refusal(error, self._key).said) from error
            raise RefusedError(_refusal(error, self._key)) from error
        except (anthropic.AnthropicError, httpx2.HTTPError, *NOT_READ) as error:
            raise BrokenAnswerError(said_of(error, self._key)) from error

    async def _vectors(self, texts: list[str]) -> list[list[float]]:  # noqa: ARG002 - the base class's signature
        raise ToolkitError(
            "Anthropic has no models that embed texts",
            where=asked_where(self._settings),
            fix="name another model for embeddings, such as google:MODEL, or rank by character trigrams",
        )

    def _after(self, refusal: Refusal, request: ModelRequest) -> EndpointCapabilities | None:
        if refusal.status not in {400, 422}:
            return None
        said = refusal.said.lower()
        if self.manners.takes_temperature and "temperature" in said:
            return replace(self.manners, takes_temperature=False)
        if request.schema and self.manners.form == "json_schema" and any(word in said for word in FORM_WORDS):
            return replace(self.manners, form="none")
        return None


class _Gathered:
    """An answer that comes in pieces."""

    def __init__(self) -> None:
        self.blocks: list[dict[str, Any]] = []
        self.stop_reason: str | None = None  # as long as the answer has not ended
        self.usage: dict[str, int] = {}

    def take(self, event: Any) -> str:
        """Add an event; return the text in it."""
        if event.type == "message_start":
            self.usage = _usage(event.message.usage)
        elif event.type == "content_block_start":
            block = _plain(event.content_block)
            self.blocks.append({**block, "input": ""} if block.get("type") == "tool_use" else block)
            return text_or_empty(block.get("text"))
        elif event.type == "content_block_delta":
            return self._extend(event.delta)
        elif event.type == "message_delta":
            self.stop_reason = event.delta.stop_reason or self.stop_reason
            self.usage |= {name: count for name, count in _usage(event.usage).items() if count}
        return ""

    def _extend(self, delta: Any) -> str:
        for kind, there in (("text", "text"), ("partial_json", "input"), ("thinking", "thinking"), ("signature",) * 2):
            piece = getattr(delta, kind, None)
            if isinstance(piece, str):
                self.blocks[-1][there] = (self.blocks[-1].get(there) or "") + piece
                return piece if kind == "text" else ""
        return ""


def _form(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what asks for an answer of that form; empty where the interface has no words for it."""
    try:
        return {"output_config": {"format": {"type": "json_schema", "schema": anthropic.transform_schema(schema)}}}
    except NOT_READ:
        return {}


def _plain(block: Any) -> dict[str, Any]:
    plain = block.model_dump(mode="json", exclude_none=True) if hasattr(block, "model_dump") else block
    return plain if isinstance(plain, dict) else {}


def _usage(usage: Any) -> dict[str, int]:
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    return {name: count_or_zero(getattr(usage, name, 0)) for name in names}


def _completion(blocks: Sequence[Mapping[str, Any]], stop_reason: Any, usage: Mapping[str, int]) -> Completion:
    """Return an answer; its prompt counts what was read from a cache, and what was put into one."""
    texts = [text_or_empty(block.get("text")) for block in blocks if block.get("type") == "text"]
    cached = usage.get("cache_read_input_tokens", 0)
    return Completion(
        text="".join(texts),
        prompt_tokens=usage.get("input_tokens", 0) + usage.get("cache_creation_input_tokens", 0) + cached,
        completion_tokens=usage.get("output_tokens", 0),
        cached_tokens=cached,
        finish_reason=REASONS.get(str(stop_reason), str(stop_reason or "stop")),
        calls=_calls(blocks),
    )


def _calls(blocks: Sequence[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    """Return the calls in an answer; the first one carries the thoughts that led to it."""
    thoughts = [block for block in blocks if block.get("type") in THINKING]
    carried = json.dumps(thoughts) if thoughts else ""
    found: list[ToolCall] = []
    for block in blocks:
        if block.get("type") == "tool_use" and isinstance(block.get("name"), str):
            given = block.get("input")
            arguments = given or "{}" if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
            identity = text_or_empty(block.get("id")) or f"call-{len(found) + 1}"
            found.append(ToolCall(identity, block["name"], arguments, carried="" if found else carried))
    return tuple(found)


def _whitespace_stops(completion: Completion, request: ModelRequest) -> Completion:
    """Cut an answer at the stops that the endpoint does not take."""
    text = completion.text
    for stop in request.stop:
        if stop and not stop.strip():
            text = text.split(stop, 1)[0]
    return completion if text == completion.text else replace(completion, text=text, finish_reason="stop")


def _turn(turn: Turn, *, is_last: bool) -> dict[str, Any]:
    blocks = [block for message in turn.messages for block in _blocks(message)]
    blocks.sort(key=lambda block: block["type"] != "tool_result")  # results come first, or they are refused
    blocks = blocks or [{"type": "text", "text": EMPTY}]
    if turn.by_model and is_last and blocks[-1]["type"] == "text":  # an answer that is begun may not end in spaces
        blocks[-1]["text"] = blocks[-1]["text"].rstrip()
    return {"role": "assistant" if turn.by_model else "user", "content": blocks}


def _blocks(message: Message) -> list[dict[str, Any]]:
    text = sendable(message.content)
    shown: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []
    shown += [_picture(picture) for picture in message.pictures]
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.call_id, "content": shown}]
    thoughts = [block for call in message.calls if call.carried for block in json.loads(call.carried)]
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call)} for call in message.calls
    ]
    return [*thoughts, *shown, *calls]


def _picture(picture: bytes) -> dict[str, Any]:
    data = base64.b64encode(picture).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def _refusal(error: anthropic.APIStatusError, key: str) -> Refusal:
    told = error.body.get("error") if isinstance(error.body, dict) else None
    fault = told if isinstance(told, dict) else {}
    said = said_of(fault.get("message") or error.message, key)
    retry_after = str(error.response.headers.get("retry-after", ""))
    return Refusal(error.status_code, said, text_or_empty(fault.get("type")), retry_after)
