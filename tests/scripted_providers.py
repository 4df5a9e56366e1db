"""Scripted models as `tests.scripted_model` plays them, behind the interfaces of Anthropic and Google."""

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

from tests.scripted_model import Events, Handler, Refuse, Say, Script, ScriptedModel, Stream, scripted_model

_GOOGLE_PATH = re.compile(r"/v1(?:beta)?/models/(\w+):(generateContent|streamGenerateContent|batchEmbedContents)")

_FREE = {"args", "response", "parametersJsonSchema", "responseJsonSchema"}  # whose names are not the interface's


class AnthropicHandler(Handler):
    below = ""

    def given_key(self) -> str:
        return str(self.headers.get("x-api-key", "")) or super().given_key()  # as older and newer clients send it

    def knows_path(self) -> bool:
        return self.path == "/v1/messages" and "anthropic-version" in self.headers

    def whole(self, step: Say) -> bytes:
        calls = [
            {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
            for number, (name, arguments) in enumerate(step.calls, 1)
        ]
        texts = [{"type": "text", "text": step.text}] if step.text else []
        reason = {"stop": "tool_use" if calls else "end_turn"}.get(step.finish_reason, step.finish_reason)
        return anthropic_answer([*texts, *calls], reason, usage=_anthropic_usage(step))

    def chunks(self, step: Say) -> Events:
        usage = _anthropic_usage(step)
        reason = {"stop": "tool_use" if step.calls else "end_turn"}.get(step.finish_reason, step.finish_reason)
        blocks: list[dict[str, Any]] = []
        if step.text:
            blocks += _block(0, {"type": "text", "text": ""}, [_text_delta(piece) for piece in _halves(step.text)])
        for number, (name, arguments) in enumerate(step.calls, 1):
            start = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
            written = [{"type": "input_json_delta", "partial_json": each} for each in _halves(json.dumps(arguments))]
            blocks += _block(number, start, written)
        ended = {"stop_reason": reason, "stop_sequence": None}
        blocks.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage["output_tokens"]}})
        return [_message_start(usage), {"type": "ping"}, *blocks, {"type": "message_stop"}]

    def pieces(self, step: Stream) -> Events:
        block = _block(0, {"type": "text", "text": ""}, [_text_delta(piece) for piece in step.pieces])
        events = [_message_start(_anthropic_usage(Say(""))), *block]
        if step.error:
            events.append({"type": "error", "error": {"type": "overloaded_error", "message": step.error}})
        if step.ends:
            ended = {"stop_reason": "end_turn", "stop_sequence": None}
            events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}})
            events.append({"type": "message_stop"})
        return events

    def refusal(self, step: Refuse) -> dict[str, Any]:
        return {"type": "error", "error": {"type": step.code or "invalid_request_error", "message": step.message}}

    def event(self, event: dict[str, Any] | None) -> str:
        assert event is not None
        return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


class GoogleHandler(Handler):
    below = ""

    def given_key(self) -> str:
        return str(self.headers.get("x-goog-api-key", ""))

    def knows_path(self) -> bool:
        return _GOOGLE_PATH.match(self.path) is not None

    def read(self, body: dict[str, Any]) -> dict[str, Any]:
        found = _GOOGLE_PATH.match(self.path)
        assert found is not None
        model, method = found.groups()
        return {**_camel(body), "model": model, "method": method, "stream": method.startswith("stream")}

    def whole(self, step: Say) -> bytes:
        calls = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in step.calls]
        texts = [{"text": step.text}] if step.text else []
        return json.dumps(_google_answer([*texts, *calls], step)).encode()

    def chunks(self, step: Say) -> Events:
        texts = [_google_answer([{"text": piece}]) for piece in _halves(step.text) if piece]
        calls = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in step.calls]
        return [*texts, _google_answer(calls, step)]

    def pieces(self, step: Stream) -> Events:
        events = [_google_answer([{"text": piece}]) for piece in step.pieces]
        if step.error:
            events.append({"error": {"code": 503, "status": "UNAVAILABLE", "message": step.error}})
        return [*events, _google_answer([], Say(""))] if step.ends else events

    def refusal(self, step: Refuse) -> dict[str, Any]:
        reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": step.code}
        details = [*step.details, *([reason] if step.code else [])]
        return {"error": {"code": step.status, "message": step.message, "status": "UNKNOWN", "details": details}}

    def event(self, event: dict[str, Any] | None) -> str:
        return f"data: {json.dumps(event)}\r\n\r\n"


@contextlib.contextmanager
def scripted_anthropic(script: Script) -> Iterator[ScriptedModel]:
    with scripted_model(script, AnthropicHandler) as model:
        yield model


@contextlib.contextmanager
def scripted_google(script: Script) -> Iterator[ScriptedModel]:
    with scripted_model(script, GoogleHandler) as model:
        yield model


def anthropic_answer(
    blocks: list[dict[str, Any]], reason: str = "end_turn", *, usage: dict[str, int] | None = None
) -> bytes:
    told = usage or {"input_tokens": 100, "output_tokens": 20}
    return json.dumps({**_message(told), "content": blocks, "stop_reason": reason}).encode()


def google_answer(parts: list[dict[str, Any]], **candidate: Any) -> bytes:
    whole = _google_answer(parts, Say(""))
    whole["candidates"][0] |= candidate
    return json.dumps(whole).encode()


def _message(usage: dict[str, int]) -> dict[str, Any]:
    told = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    return {**told, "stop_reason": None, "stop_sequence": None, "usage": usage}


def _message_start(usage: dict[str, int]) -> dict[str, Any]:
    return {"type": "message_start", "message": _message({**usage, "output_tokens": 1})}


def _block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    first = {"type": "content_block_start", "index": index, "content_block": start}
    pieces = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return [first, *pieces, {"type": "content_block_stop", "index": index}]


def _text_delta(text: str) -> dict[str, Any]:
    return {"type": "text_delta", "text": text}


def _anthropic_usage(step: Say) -> dict[str, int]:
    return {
        "input_tokens": step.prompt_tokens - step.cached_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": step.cached_tokens,
        "output_tokens": step.completion_tokens,
    }


def _google_answer(parts: list[dict[str, Any]], step: Say | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if step is None:
        return {"candidates": [candidate]}
    candidate["finishReason"] = "STOP" if step.finish_reason == "stop" else step.finish_reason
    if step.logprobs:
        candidate["avgLogprobs"] = sum(step.logprobs) / len(step.logprobs)
    usage = {
        "promptTokenCount": step.prompt_tokens,
        "candidatesTokenCount": step.completion_tokens,
        "cachedContentTokenCount": step.cached_tokens,
    }
    return {"candidates": [candidate], "usageMetadata": usage}


def _camel(value: Any) -> Any:
    """Spell the fields of a request as the reference does; clients spell some of them otherwise, which is the same."""
    if isinstance(value, list):
        return [_camel(each) for each in value]
    if not isinstance(value, dict):
        return value
    spelt = {re.sub(r"_(\w)", lambda found: found[1].upper(), name): each for name, each in value.items()}
    return {name: each if name in _FREE else _camel(each) for name, each in spelt.items()}


def _halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]
