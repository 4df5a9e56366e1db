"""One request over OpenAI's interface, with its retries. Needs the openai package, so it is imported late."""

import asyncio
import json
import ssl
import sys
import time
from functools import cache
from typing import Any, Self

import openai
from openai.types.chat import ChatCompletion

from evaluator.errors import ToolkitError
from evaluator.models.endpoint_faults import (
    MAX_DROPPED_STREAMS,
    NOT_READ,
    PROGRESS_EVERY_S,
    BrokenAnswerError,
    Refusal,
    broken_fault,
    refusal_fault,
    retry_pause,
    said_of,
    timeout_fault,
    unreachable_fault,
)
from evaluator.models.exchange import (
    Completion,
    EndpointCapabilities,
    Gathered,
    ModelRequest,
    OnProgress,
    completion_of,
)
from evaluator.models.model_settings import ModelSettings


def map_openai_error(error: BaseException, settings: ModelSettings, key: str) -> ToolkitError:
    """Return the error that the user sees; the key never stands in it."""
    said = _said(error, key)
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return timeout_fault(settings)
    if isinstance(error, openai.APIConnectionError):
        return unreachable_fault(settings)
    if isinstance(error, openai.APIStatusError):
        # the client itself waits two minutes at most
        retry_after = str(error.response.headers.get("retry-after", ""))
        return refusal_fault(settings, Refusal(error.status_code, said, str(error.code or ""), retry_after))
    return broken_fault(settings, said)


def _said(error: BaseException, key: str) -> str:
    text = getattr(error, "message", None) or str(error)
    body = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        text = body["message"]
    return said_of(text, key)


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
                await asyncio.sleep(retry_pause(broken))
            except openai.OpenAIError as error:
                raise map_openai_error(error, self._settings, self._key) from None

    async def embed(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text.

        Raises:
            ToolkitError: If there are none, with the remedy.
        """
        try:
            answer = await self._openai.embeddings.create(model=self._settings.model_id, input=texts)
        except (openai.OpenAIError, TimeoutError, *NOT_READ) as error:
            raise map_openai_error(error, self._settings, self._key) from None
        try:
            told = sorted(answer.data, key=lambda entry: entry.index)
            vectors = [list(map(float, entry.embedding)) for entry in told]
        except NOT_READ:
            vectors = []
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1:
            where = f"model {self._settings.model!r} at {self._settings.host}"
            raise ToolkitError("the endpoint's answer lacks a vector for a text", where=where, fix="check the model")
        return vectors

    async def _once(self, body: dict[str, Any], on_progress: OnProgress | None) -> Completion:
        if on_progress is not None and "stream" in body:
            return await self._streamed(body, on_progress)
        try:
            asked = self._openai.completions if "prompt" in body else self._openai.chat.completions
            answer = await asked.create(model=self._settings.model_id, **body)
        except (ValueError, RecursionError) as error:  # no JSON, or nested too deep: the package's retries leave it out
            raise BrokenAnswerError from error
        return completion_of(answer, self._settings)

    async def _streamed(self, body: dict[str, Any], on_progress: OnProgress) -> Completion:
        raw = await self._openai.chat.completions.with_raw_response.create(model=self._settings.model_id, **body)
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
    except (openai.OpenAIError, ValueError, RecursionError) as error:
        raise BrokenAnswerError from error


def _cause(error: BrokenAnswerError | TimeoutError) -> BaseException:
    return error.__cause__ or error if isinstance(error, BrokenAnswerError) else error
