"""One request over Google's interface. Needs the google-genai package, so it is imported late."""

import base64
import json
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import httpx2
from google import genai
from google.genai import errors, types

from evaluator.models.endpoint_faults import (
    NOT_READ,
    BrokenAnswerError,
    Refusal,
    RefusedError,
    UnreachableError,
    broken_fault,
    said_of,
)
from evaluator.models.exchange import (
    NEXT_FORM,
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

FORM_WORDS: Final = ("schema", "response_mime_type", "responsemimetype", "json mode", "structured output")
REASONS: Final = {
    **dict.fromkeys(("STOP", "FINISH_REASON_UNSPECIFIED"), "stop"),
    "MAX_TOKENS": "length",
    **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"), WITHHELD),
}
MADE_UP: Final = "call-"  # begins the name of a call that the endpoint gave none
# What a call of ours carries in place of a thought: https://ai.google.dev/gemini-api/docs/thought-signatures
NO_THOUGHT: Final = b"skip_thought_signature_validator"

# It says at every request which of two keys counts where both are set; the documentation does.
logging.getLogger("google_genai._api_client").addFilter(lambda record: "API_KEY are set" not in record.getMessage())


class GoogleEndpoint(ProviderEndpoint):
    """The connections to Google's interface."""

    def __init__(self, settings: ModelSettings, key: str, manners: EndpointCapabilities) -> None:
        super().__init__(settings, key, manners)
        # a proxy of the environment cannot see this machine's own loopback
        self._http = httpx2.AsyncClient(trust_env=not settings.is_loopback, timeout=settings.timeout_s)
        options = types.HttpOptions(base_url=settings.base_url, httpx_async_client=self._http)
        self._google = genai.Client(vertexai=False, api_key=key, http_options=options)

    async def _close(self) -> None:
        await self._http.aclose()
        self._google.close()

    async def _once(self, request: ModelRequest, on_progress: OnProgress | None) -> Completion:
        system, turns = conversation_of(request.messages)
        if system and not self.manners.takes_system:
            turns[0].messages.insert(0, Message("user", system))
            system = ""
        asked: dict[str, Any] = {
            "model": self._settings.model_id,
            "contents": _contents(turns),
            "config": self._config(request, sendable(system)),
        }
        models: Any = self._google.aio.models
        gathered = _Gathered()
        if on_progress is not None:
            with self._read():
                stream = await models.generate_content_stream(**asked)
            await self._streamed(stream, gathered, on_progress)
        else:
            with self._read():
                gathered.take(await models.generate_content(**asked))
            if not gathered.finish_reason:
                raise broken_fault(self._settings, "it is no answer of Google's interface")
        return finished(gathered.completion())

    def _config(self, request: ModelRequest, system: str) -> types.GenerateContentConfig:
        told: dict[str, Any] = {"max_output_tokens": request.max_tokens}
        if system:
            told["system_instruction"] = system
        if self.manners.takes_temperature:
            told["temperature"] = request.temperature
        if request.stop:
            told["stop_sequences"] = list(request.stop)
        if request.tools:
            offered = [
                types.FunctionDeclaration(
                    name=tool.name, description=tool.description, parameters_json_schema=tool.parameters
                )
                for tool in request.tools
            ]
            told["tools"] = [types.Tool(function_declarations=offered)]
        if request.schema and self.manners.form != "none":
            told["response_mime_type"] = "application/json"
        if request.schema and self.manners.form == "json_schema":
            told["response_json_schema"] = request.schema.schema
        if request.has_logprobs and self.manners.tells_logprobs:
            told["response_logprobs"] = True
        calls_nothing = types.AutomaticFunctionCallingConfig(disable=True)  # calls are for the agent to make
        return types.GenerateContentConfig(**told, automatic_function_calling=calls_nothing)

    async def _streamed(self, stream: Any, gathered: "_Gathered", on_progress: OnProgress) -> None:
        progress = Progress(on_progress)
        try:
            while (piece := await self._next(stream, gathered)) is not None:
                if not progress.add(piece):
                    break
        finally:
            await stream.aclose()
        progress.end()

    async def _next(self, stream: Any, gathered: "_Gathered") -> str | None:
        """Take the next piece and return the text in it; None: the answer has ended."""
        with self._read():
            try:
                chunk = await anext(stream, None)
            except httpx2.TransportError as error:
                raise BrokenAnswerError(said_of(error, self._key)) from error
            if chunk is None:
                if not gathered.finish_reason:
                    raise BrokenAnswerError("the stream ended before the answer did")
                return None
            return gathered.take(chunk)

    @contextmanager
    def _read(self) -> Iterator[None]:
        """Turn what the package raises into what all providers' endpoints raise."""
        try:
            yield
        except errors.APIError as error:
            refusal = _refusal(error, self._key)
            if refusal.status < 400:  # an error in the middle of a stream
                raise BrokenAnswerError(refusal.said) from error
            raise RefusedError(refusal) from error
        except httpx2.TimeoutException as error:
            raise TimeoutError from error
        except httpx2.HTTPError as error:
            raise UnreachableError from error
        except NOT_READ as error:
            raise BrokenAnswerError(said_of(error, self._key)) from error

    async def _vectors(self, texts: list[str]) -> list[list[float]]:
        contents = [types.Content(parts=[types.Part(text=sendable(text) or EMPTY)]) for text in texts]
        models: Any = self._google.aio.models
        with self._read():
            answer = await models.embed_content(model=self._settings.model_id, contents=contents)
            return [list(map(float, each.values or ())) for each in answer.embeddings or ()]

    def _after(self, refusal: Refusal, request: ModelRequest) -> EndpointCapabilities | None:
        said, manners = refusal.said.lower(), self.manners
        if refusal.status != 400:
            return None
        if request.has_logprobs and manners.tells_logprobs and "logprobs" in said:
            return replace(manners, tells_logprobs=False)
        if manners.takes_system and "instruction is not enabled" in said:
            return replace(manners, takes_system=False)
        if manners.takes_temperature and "temperature" in said:
            return replace(manners, takes_temperature=False)
        if request.schema and manners.form != "none" and any(word in said for word in FORM_WORDS):
            return replace(manners, form=NEXT_FORM[manners.form])
        return None


class _Gathered:
    """An answer that comes whole or in pieces."""

    def __init__(self) -> None:
        self.finish_reason = ""  # as long as the answer has not ended
        self._texts: list[str] = []
        self._calls: list[ToolCall] = []
        self._usage: Any = None
        self._mean_logprob: float | None = None

    def take(self, answer: types.GenerateContentResponse) -> str:
        """Add an answer or a piece of one; return the text in it."""
        self._usage = answer.usage_metadata or self._usage
        blocked = getattr(answer.prompt_feedback, "block_reason", None)
        if blocked:
            self.finish_reason = WITHHELD
        if not answer.candidates:
            return ""
        candidate = answer.candidates[0]
        if candidate.finish_reason:
            name = str(candidate.finish_reason.value)
            self.finish_reason = REASONS.get(name, name.lower())
        likely = candidate.avg_logprobs
        if isinstance(likely, int | float) and math.isfinite(likely):
            self._mean_logprob = float(likely)
        parts = (candidate.content.parts if candidate.content else None) or []
        return "".join([self._part(part) for part in parts])

    def _part(self, part: types.Part) -> str:
        call = part.function_call
        if call and call.name:
            identity = call.id or f"{MADE_UP}{len(self._calls) + 1}"
            carried = base64.b64encode(part.thought_signature).decode() if part.thought_signature else ""
            arguments = json.dumps(call.args or {}, ensure_ascii=False)
            self._calls.append(ToolCall(identity, call.name, arguments, carried))
        text = "" if part.thought else text_or_empty(part.text)
        self._texts.append(text)
        return text

    def completion(self) -> Completion:
        """Return the answer; the tokens of thoughts are the answer's."""
        usage = self._usage
        tokens = [count_or_zero(getattr(usage, f"{name}_token_count", 0)) for name in ("candidates", "thoughts")]
        is_call = bool(self._calls) and self.finish_reason == "stop"
        return Completion(
            text="".join(self._texts),
            prompt_tokens=count_or_zero(getattr(usage, "prompt_token_count", 0)),
            completion_tokens=sum(tokens),
            cached_tokens=count_or_zero(getattr(usage, "cached_content_token_count", 0)),
            finish_reason="tool_calls" if is_call else self.finish_reason or "stop",
            calls=tuple(self._calls),
            mean_logprob=self._mean_logprob,
        )


def _contents(turns: Sequence[Turn]) -> list[types.Content]:
    names: dict[str, str] = {}  # of the functions that were called; results are told by them
    contents = []
    for turn in turns:
        parts = [part for message in turn.messages for part in _parts(message, names)]
        parts.sort(key=lambda part: part.function_response is None)  # results come first
        parts = parts or [types.Part(text=EMPTY)]
        contents.append(types.Content(role="model" if turn.by_model else "user", parts=parts))
    return contents


def _parts(message: Message, names: dict[str, str]) -> list[types.Part]:
    text = sendable(message.content)
    shown = [types.Part(inline_data=types.Blob(data=each, mime_type="image/png")) for each in message.pictures]
    if message.role == "tool":
        name = names.get(message.call_id, "function")
        result = types.FunctionResponse(name=name, response={"result": text}, id=_given(message.call_id))
        return [types.Part(function_response=result), *shown]
    names |= {call.id: call.name for call in message.calls}
    calls = [_call(call, is_first=call is message.calls[0]) for call in message.calls]
    return [*([types.Part(text=text)] if text.strip() else []), *shown, *calls]


def _call(call: ToolCall, *, is_first: bool) -> types.Part:
    signature = base64.b64decode(call.carried) if call.carried else NO_THOUGHT if is_first else None
    told = types.FunctionCall(name=call.name, args=arguments_of(call), id=_given(call.id))
    return types.Part(function_call=told, thought_signature=signature)


def _given(identity: str) -> str | None:
    return None if identity.startswith(MADE_UP) or not identity else identity


def _refusal(error: errors.APIError, key: str) -> Refusal:
    """Return what a refusal says: the reason in its details, and how long to wait, as its header or details tell."""
    fault = error.details.get("error") if isinstance(error.details, dict) else None
    told = fault.get("details") if isinstance(fault, dict) else None
    details = [each for each in told if isinstance(each, Mapping)] if isinstance(told, list) else []
    code = next((text_or_empty(each["reason"]) for each in details if "reason" in each), "")
    delay = next((text_or_empty(each["retryDelay"]) for each in details if "retryDelay" in each), "")
    headers = getattr(error.response, "headers", None) or {}
    retry_after = str(headers.get("retry-after", "")) or delay.removesuffix("s")
    said = said_of(error.message or error.details or "", key)
    return Refusal(int(error.code or 0), said, code or text_or_empty(error.status), retry_after)
