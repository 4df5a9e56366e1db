"""One request over the wire, with its retries. Needs the openai package, so it is imported at the first request."""

import asyncio
import json
import random
import time
from collections.abc import Callable
from typing import Any, Final, Self

import openai
from openai.types.chat import ChatCompletion

from evaluator.models.exchange import Completion, ModelRequest
from evaluator.models.faults import fault_of
from evaluator.models.manners import Manners
from evaluator.models.reading import Gathered, completion_of
from evaluator.models.settings import ModelSettings

OnProgress = Callable[[int], None]  # characters of the answer so far

PROGRESS_EVERY_S: Final = 2.0
RETRY_PAUSE_S: Final = 0.25  # doubled with every answer that cannot be read
MAX_RETRY_PAUSE_S: Final = 8.0
MAX_DROPPED_STREAMS: Final = 2  # of one request; then it is made without streaming, as some proxies cut every stream


class BrokenAnswerError(Exception):
    """An answer began and cannot be read to its end; the cause is chained."""


class _DeadlineClient(openai.DefaultAsyncHttpxClient):
    """Ends a request after so many seconds in all: the package's own limit begins anew with every byte."""

    def __init__(self, seconds: float, *, trust_env: bool) -> None:
        super().__init__(trust_env=trust_env)
        self._seconds = seconds

    async def send(self, *args: Any, **options: Any) -> Any:
        async with asyncio.timeout(self._seconds):
            return await super().send(*args, **options)


class Endpoint:
    """The connections to one endpoint, within one event loop; an asynchronous context manager."""

    def __init__(self, settings: ModelSettings, key: str, manners: Manners) -> None:
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
            body = self.manners.body(request, stream=on_progress is not None and broken < MAX_DROPPED_STREAMS)
            try:
                return await self._once(body, on_progress)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                learned = self.manners.after(str(error.message), body)
                if learned is None:
                    raise fault_of(error, self._settings, self._key) from None
                self.manners = learned
            except (BrokenAnswerError, TimeoutError) as error:
                broken += 1
                if broken > self._settings.max_retries:
                    raise fault_of(_cause(error), self._settings, self._key) from None
                await asyncio.sleep(_pause(broken))
            except openai.OpenAIError as error:
                raise fault_of(error, self._settings, self._key) from None

    async def _once(self, body: dict[str, Any], on_progress: OnProgress | None) -> Completion:
        if on_progress is not None and "stream" in body:
            return await self._streamed(body, on_progress)
        try:
            answer = await self._openai.chat.completions.create(model=self._settings.model, **body)
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
