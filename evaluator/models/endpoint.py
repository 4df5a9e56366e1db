"""One request over the wire, with its retries. Needs the openai package, so it is imported at the first request."""

import asyncio
import json
import random
import ssl
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any, Final, Self

import openai
from openai.types.chat import ChatCompletion

from evaluator.errors import ToolkitError
from evaluator.models.exchange import (
    Completion,
    ContextLengthError,
    EndpointCapabilities,
    Gathered,
    ModelRequest,
    completion_of,
)
from evaluator.models.model_settings import KEY_VARIABLE, MODEL_VARIABLE, URL_VARIABLE, ModelSettings

CONTEXT_CODES = {"context_length_exceeded", "string_above_max_length"}
CONTEXT_PHRASES = ("context length", "context window", "maximum context", "too many tokens", "prompt is too long")
QUOTA_WORDS = ("insufficient_quota", "exceeded your current quota", "billing", "out of credit")


def map_openai_error(error: BaseException, settings: ModelSettings, key: str) -> ToolkitError:
    """Return the error that the user sees; the key never stands in it."""
    where = f"model {settings.model!r} at {settings.host}"
    said = _said(error, key)
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return ToolkitError(
            f"the model gave no answer in {settings.timeout_s:g} s, {settings.max_retries + 1} times",
            where=where,
            fix="try again later, or set BENCHWRIGHT_MODEL_TIMEOUT to more seconds",
        )
    if isinstance(error, openai.APIConnectionError):
        return ToolkitError(
            "the model endpoint cannot be reached",
            where=where,
            fix=f"check that the server is running and that {URL_VARIABLE} names it; or use --author template",
        )
    if isinstance(error, openai.APIStatusError):
        return _status_fault(error, where, said)
    return ToolkitError(f"the model endpoint answered with something else: {said}", where=where, fix="check the server")


def _status_fault(error: openai.APIStatusError, where: str, said: str) -> ToolkitError:
    code = str(error.code or "")
    if error.status_code in {400, 413, 422} and is_context_length(code, said):
        return ContextLengthError(
            f"the request is longer than the model can read: {said}",
            where=where,
            fix="use a model with a longer context, or a seed with fewer columns and a shorter notebook",
        )
    if error.status_code in {401, 403}:
        return ToolkitError(
            f"the endpoint refused the key (HTTP {error.status_code}): {said}",
            where=where,
            fix=f"set {KEY_VARIABLE} to a key that is valid for this endpoint",
        )
    if error.status_code == 404:
        return ToolkitError(
            f"the endpoint knows no such model or path (HTTP 404): {said}",
            where=where,
            fix=f"check --model or {MODEL_VARIABLE}, and that {URL_VARIABLE} ends in /v1 if the server wants it",
        )
    if error.status_code == 402 or (error.status_code == 429 and _is_quota(f"{code} {said}")):
        what = f"the account's quota is used up (HTTP {error.status_code}): {said}"
        return ToolkitError(what, where=where, fix="add credit or use another key")
    if error.status_code == 429:
        what = f"the endpoint asks to slow down, again and again (HTTP 429): {said}"
        return ToolkitError(what, where=where, fix=f"{_wait_of(error)} and repeat the command")
    if error.status_code >= 500:
        fix = f"the server is in trouble: {_wait_of(error)} and repeat the command"
        return ToolkitError(f"the endpoint failed (HTTP {error.status_code}): {said}", where=where, fix=fix)
    fix = "see what the server says; another --model may accept the request"
    return ToolkitError(f"the endpoint refused the request (HTTP {error.status_code}): {said}", where=where, fix=fix)


def _is_quota(said: str) -> bool:
    return any(word in said.lower() for word in QUOTA_WORDS)


def _wait_of(error: openai.APIStatusError) -> str:
    """Return how long the endpoint wants to be left alone, in words; the client itself waits two minutes at most."""
    asked = str(error.response.headers.get("retry-after", "")).strip()
    if asked.isascii() and asked.isdigit() and len(asked) < 9:
        return f"wait {asked} s, as the endpoint asks,"
    printable = asked.isascii() and asked.isprintable() and 0 < len(asked) < 40
    return f"wait until {asked}, as the endpoint asks," if printable else "wait a minute"


def is_context_length(code: str, said: str) -> bool:
    """Return whether an endpoint's refusal means that the request is too long."""
    return code in CONTEXT_CODES or any(phrase in said.lower() for phrase in CONTEXT_PHRASES)


def _said(error: BaseException, key: str) -> str:
    text = getattr(error, "message", None) or str(error)
    body = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        text = body["message"]
    if key:
        text = text.replace(key, "[key]")
    text = " ".join(str(text).split())
    return text if len(text) <= 300 else f"{text[:300]}..."


OnProgress = Callable[[int], None]  # characters of the answer so far

PROGRESS_EVERY_S: Final = 2.0
RETRY_PAUSE_S: Final = 0.25  # doubled with every answer that cannot be read
MAX_RETRY_PAUSE_S: Final = 8.0
MAX_DROPPED_STREAMS: Final = 2  # of one request; then it is made without streaming, as some proxies cut every stream


class BrokenAnswerError(Exception):
    """An answer began and cannot be read to its end; the cause is chained."""


@cache
def _certificates() -> ssl.SSLContext | bool:
    """Return the trusted certificates, read once: the package reads them for each client, which takes 30 ms.

    Where Python itself finds none, the package's own way to them is left to it (True).
    """
    if sys.platform != "linux":
        return True
    context = ssl.create_default_context()
    return context if context.cert_store_stats()["x509_ca"] else True


class _DeadlineClient(openai.DefaultAsyncHttpxClient):
    """Ends a request after so many seconds in all: the package's own limit begins anew with every byte."""

    def __init__(self, seconds: float, *, trust_env: bool) -> None:
        super().__init__(trust_env=trust_env, verify=_certificates())
        self._seconds = seconds

    async def send(self, *args: Any, **options: Any) -> Any:
        async with asyncio.timeout(self._seconds):
            return await super().send(*args, **options)


class Endpoint:
    """The connections to one endpoint, within one event loop; an asynchronous context manager."""

    def __init__(self, settings: ModelSettings, key: str, manners: EndpointCapabilities) -> None:
        self.manners = manners
        self._settings = settings
        self._key = key
        self._openai = openai.AsyncOpenAI(
            api_key=key,
            base_url=settings.base_url,
            timeout=settings.timeout_s,
            max_retries=settings.max_retries,
            # a proxy of the environment cannot see this machine's own loopback
            http_client=_DeadlineClient(settings.timeout_s, trust_env=not settings.is_loopback),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._openai.close()

    async def ask(self, request: ModelRequest, on_progress: OnProgress | None = None) -> Completion:
        """Return the answer; it is streamed if somebody listens to its progress.

        Raises:
            ContextLengthError: If the request is longer than the model reads.
            ToolkitError: If there is no answer, with the remedy.
        """
        broken = 0
        while True:
            listens = on_progress is not None and not request.is_prefix
            body = self.manners.body(request, stream=listens and broken < MAX_DROPPED_STREAMS)
            try:
                return await self._once(body, on_progress)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                learned = self.manners.after(str(error.message), body)
                if learned is None:
                    raise map_openai_error(error, self._settings, self._key) from None
                self.manners = learned
            except (BrokenAnswerError, TimeoutError) as error:
                broken += 1
                if broken > self._settings.max_retries:
                    raise map_openai_error(_cause(error), self._settings, self._key) from None
                await asyncio.sleep(_pause(broken))
            except openai.OpenAIError as error:
                raise map_openai_error(error, self._settings, self._key) from None

    async def embed(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text.

        Raises:
            ToolkitError: If there are none, with the remedy.
        """
        try:
            answer = await self._openai.embeddings.create(model=self._settings.model, input=texts)
        except (openai.OpenAIError, TimeoutError, ValueError) as error:
            raise map_openai_error(error, self._settings, self._key) from None
        vectors = [list(map(float, entry.embedding)) for entry in sorted(answer.data, key=lambda entry: entry.index)]
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1:
            where = f"model {self._settings.model!r} at {self._settings.host}"
            raise ToolkitError("the endpoint's answer lacks a vector for a text", where=where, fix="check the model")
        return vectors

    async def _once(self, body: dict[str, Any], on_progress: OnProgress | None) -> Completion:
        if on_progress is not None and "stream" in body:
            return await self._streamed(body, on_progress)
        try:
            asked = self._openai.completions if "prompt" in body else self._openai.chat.completions
            answer = await asked.create(model=self._settings.model, **body)
        except ValueError as error:  # a body that is not JSON, which the package's own retries leave out
            raise BrokenAnswerError from error
        return completion_of(answer, self._settings)

    async def _streamed(self, body: dict[str, Any], on_progress: OnProgress) -> Completion:
        raw = await self._openai.chat.completions.with_raw_response.create(model=self._settings.model, **body)
        response = raw.http_response
        async with asyncio.timeout(self._settings.timeout_s):
            try:
                if "event-stream" not in response.headers.get("content-type", ""):
                    return await self._unstreamed(response)
                return await _gathered(raw.parse(), on_progress)
            finally:
                await response.aclose()

    async def _unstreamed(self, response: Any) -> Completion:
        """Read the answer of an endpoint that took no notice of the wish for a stream."""
        try:
            found = json.loads(await response.aread())
        except TimeoutError:
            raise
        except Exception as error:  # the transport's errors are of a package that is the openai package's choice
            raise BrokenAnswerError from error
        answer = ChatCompletion.construct(**found) if isinstance(found, dict) else None
        return completion_of(answer, self._settings)


async def _gathered(stream: Any, on_progress: OnProgress) -> Completion:
    gathered = Gathered()
    told = time.monotonic()
    while not gathered.is_too_long and (chunk := await _next(stream)) is not None:
        gathered.take(chunk)
        if time.monotonic() - told >= PROGRESS_EVERY_S:
            told = time.monotonic()
            on_progress(gathered.chars)
    if not gathered.finish_reason and not gathered.is_too_long:
        raise BrokenAnswerError from openai.OpenAIError("the stream ended before the answer did")
    on_progress(gathered.chars)
    return gathered.completion()


async def _next(stream: Any) -> Any:
    try:
        return await anext(stream, None)
    except (openai.OpenAIError, ValueError) as error:
        raise BrokenAnswerError from error


def _cause(error: BrokenAnswerError | TimeoutError) -> BaseException:
    return error.__cause__ or error if isinstance(error, BrokenAnswerError) else error


def _pause(broken: int) -> float:
    """Return how long to wait (seconds), shortened by up to a quarter so that many clients do not come at once."""
    longest: float = min(RETRY_PAUSE_S * 2.0**broken, MAX_RETRY_PAUSE_S)
    return longest * (1 - 0.25 * random.random())  # noqa: S311 - no secret depends on it
