"""Ask a model: cached answers first, within a budget, every call reported for the transcript."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Protocol, Self, TypeVar

from evaluator.errors import ToolkitError, UsageError
from evaluator.models.budget import PRICES_VARIABLE, Budget, Spent, price_of
from evaluator.models.exchange import (
    BYTES_PER_TOKEN,
    AnswerSchema,
    Completion,
    EndpointCapabilities,
    Message,
    ModelCall,
    ModelRequest,
    OnProgress,
    ToolSchema,
)
from evaluator.models.interfaces import missing_package
from evaluator.models.model_settings import ModelSettings

log = logging.getLogger(__name__)

T = TypeVar("T")


class ModelEndpoint(Protocol):
    """The connections to one endpoint, within one event loop."""

    manners: EndpointCapabilities

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *exc: object) -> None: ...

    async def ask(self, request: ModelRequest, on_progress: OnProgress | None = None) -> Completion:
        """Return the answer."""

    async def embed(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text."""


class ModelClient:
    """A conversation partner behind an endpoint of some provider. Several threads may share it.

    Args:
        settings: Which model, where, how patiently.
        on_call: Told of every call, the failed ones too, but not of cached answers.
        recall: Returns an earlier answer to the request with this digest, if there is one.
        purse: What is asked before each request and told after it; None: there is no limit.

    Raises:
        ToolkitError: If the environment holds no key, or the provider's Python client is not installed.
        UsageError: If the purse limits the cost of a model whose price is not known.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        on_call: Callable[[ModelCall], None] | None = None,
        recall: Callable[[str], Completion | None] | None = None,
        purse: Budget | None = None,
    ) -> None:
        self.settings = settings
        self._on_call = on_call
        self._recall = recall
        self._purse = purse
        self._price = price_of(settings.model)
        if self._price is None and purse is not None and purse.budget.cost is not None:
            fix = f"name a table of prices that holds it in {PRICES_VARIABLE}, or limit tokens instead"
            raise UsageError(f"no price is known of the model {settings.model!r}", where="budget of cost", fix=fix)
        settings.interface.require_package()
        self._key = settings.interface.key()
        self._manners = EndpointCapabilities()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 8000,
        temperature: float = 0.0,
        repeat: int = 0,
        schema: AnswerSchema | None = None,
        stop: Sequence[str] = (),
        is_prefix: bool = False,
        tools: Sequence[ToolSchema] = (),
        has_logprobs: bool = False,
        on_progress: OnProgress | None = None,
    ) -> Completion:
        """Ask for one answer.

        Args:
            messages: The conversation so far.
            max_tokens: The answer's, at most.
            temperature: 0 asks for the likeliest answer.
            repeat: Tells independent askings of the same request apart.
            schema: The form of the answer; an endpoint may not keep to it.
            stop: Texts at which the answer ends, without them; an endpoint may not keep to it.
            is_prefix: The one message is a text that the model goes on with, over OpenAI's completions endpoint.
            tools: Functions that the model may call.
            has_logprobs: The answer shall tell how likely its tokens were; an endpoint may not.
            on_progress: Told the characters so far while the answer is streamed.

        Raises:
            BudgetSpentError: If the request might take more than is left; nothing was asked.
            ContextLengthError: If the request is longer than the model reads.
            UsageError: If the provider has no interface for such a request.
            ToolkitError: If the endpoint gives no answer, with the remedy.
        """
        request = ModelRequest(
            messages,
            max_tokens,
            temperature,
            repeat,
            schema,
            tuple(stop),
            is_prefix,
            tools=tuple(tools),
            has_logprobs=has_logprobs,
        )
        return self.answer(request, on_progress)

    def answer(self, request: ModelRequest, on_progress: Callable[[int], None] | None = None) -> Completion:
        """Return what is answered to a request, as `complete` does."""
        earlier = self._cached(request)
        if earlier is not None:
            return earlier
        return _run(self._alone(request, self._put_aside(request), on_progress))

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text, by the endpoint's model for that; all of one length.

        Endpoints of vectors do not tell what they took: an estimate counts against the purse.

        Raises:
            BudgetSpentError: If the texts might take more than is left; nothing was asked.
            ToolkitError: If the endpoint gives none.
        """
        tokens = sum(1 + len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN for text in texts)
        wanted = Spent(tokens, self._price.cost(tokens, 0) if self._price else 0.0)
        aside = self._purse.reserve(wanted) if self._purse else wanted
        spent = Spent()
        try:
            vectors = _run(self._embedded(list(texts)))
            spent = wanted
        finally:
            if self._purse:
                self._purse.settle(aside, spent)
        return vectors

    async def _embedded(self, texts: list[str]) -> list[list[float]]:
        async with self._endpoint() as endpoint:
            return await endpoint.embed(texts)

    async def _alone(self, request: ModelRequest, aside: Spent, on_progress: OnProgress | None) -> Completion:
        async with self._endpoint() as endpoint:
            return await self._paid(endpoint, request, aside, on_progress)

    def _endpoint(self) -> ModelEndpoint:
        """Open the connections; each provider's package is imported when it is asked for the first time."""
        given = (self.settings, self._key, self._manners)
        try:
            if self.settings.provider == "anthropic":
                from evaluator.models.anthropic_endpoint import AnthropicEndpoint

                return AnthropicEndpoint(*given)
            if self.settings.provider == "google":
                from evaluator.models.google_endpoint import GoogleEndpoint

                return GoogleEndpoint(*given)
        except ImportError as error:
            raise missing_package(self.settings.provider) from error
        from evaluator.models.endpoint import Endpoint

        return Endpoint(*given)

    def _cached(self, request: ModelRequest) -> Completion | None:
        earlier = self._recall(request.digest(self.settings.model)) if self._recall else None
        return None if earlier is None else replace(earlier, cached=True)

    async def _paid(
        self,
        endpoint: ModelEndpoint,
        request: ModelRequest,
        aside: Spent,
        on_progress: OnProgress | None = None,
    ) -> Completion:
        """Ask, report the call, and settle what was put aside for it."""
        spent = Spent()
        started = time.monotonic()
        try:
            answer = await endpoint.ask(request, on_progress)
            completion = self._priced(answer, seconds=time.monotonic() - started)
            spent = _taken(request, completion)
        except ToolkitError as error:
            self._report(request, None, str(error))
            raise
        finally:
            self._manners = endpoint.manners
            if self._purse:
                self._purse.settle(aside, spent)
        self._report(request, completion, "")
        return completion

    def _put_aside(self, request: ModelRequest) -> Spent:
        if self._purse is None:
            return Spent()
        cost = self._price.cost(request.prompt_tokens, request.max_tokens) if self._price else 0.0
        return self._purse.reserve(Spent(request.prompt_tokens + request.max_tokens, cost))

    def _priced(self, answer: Completion, *, seconds: float) -> Completion:
        if self._price is None:
            return replace(answer, seconds=round(seconds, 3))
        cost = self._price.cost(answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens)
        return replace(answer, seconds=round(seconds, 3), cost=cost, currency=self._price.currency)

    def _report(self, request: ModelRequest, completion: Completion | None, error: str) -> None:
        model, host = self.settings.model, self.settings.host
        digest = request.digest(model)
        tokens = (completion.prompt_tokens, completion.completion_tokens) if completion else (0, 0)
        log.info("model_call model=%s tokens=%s digest=%s error=%r", model, tokens, digest[:12], error)
        if self._on_call:
            call = ModelCall(digest, model, host, request.params, tuple(request.messages), completion, error=error)
            self._on_call(call)

    def close(self) -> None:
        """Do nothing: connections live as long as a call. Kept so that a client can be used in a `with` statement."""

    def __enter__(self) -> "ModelClient":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _taken(request: ModelRequest, answer: Completion) -> Spent:
    """Return what an answer took, estimated where the endpoint does not say."""
    tokens = answer.prompt_tokens + answer.completion_tokens
    return Spent(tokens or request.prompt_tokens + len(answer.text) // BYTES_PER_TOKEN, answer.cost or 0.0)


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run in an event loop of its own; in a thread where the caller's thread already has one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
