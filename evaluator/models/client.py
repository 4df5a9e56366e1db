"""Ask a model: recalled answers first, within a budget, every call reported for the transcript."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from evaluator.errors import ToolkitError, UsageError
from evaluator.models.budget import PRICES_VARIABLE, BudgetSpentError, Purse, Spent, price_of
from evaluator.models.exchange import (
    BYTES_PER_TOKEN,
    AnswerSchema,
    Completion,
    ContextLengthError,
    Manners,
    Message,
    ModelCall,
    ModelRequest,
)
from evaluator.models.settings import KEY_VARIABLE, ModelSettings

if TYPE_CHECKING:
    from evaluator.models.endpoint import Endpoint

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True)
class Answers:
    """What came of many requests."""

    completions: tuple[Completion | None, ...]  # in the order of the requests; None: there is none
    refused: dict[int, ToolkitError] = field(default_factory=dict)  # by position: requests that are too long
    fault: ToolkitError | None = None  # why the rest was not asked: the endpoint failed, or the budget ended

    @property
    def is_complete(self) -> bool:
        """Whether every request has its answer."""
        return None not in self.completions


class ModelClient:
    """A conversation partner behind an OpenAI-compatible endpoint. Several threads may share it.

    Args:
        settings: Which model, where, how patiently.
        on_call: Told of every call, the failed ones too, but not of recalled answers.
        recall: Returns an earlier answer to the request with this digest, if there is one.
        purse: What is asked before each request and told after it; None: there is no limit.

    Raises:
        ToolkitError: If the environment holds no key.
        UsageError: If the purse limits the cost of a model whose price is not known.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        on_call: Callable[[ModelCall], None] | None = None,
        recall: Callable[[str], Completion | None] | None = None,
        purse: Purse | None = None,
    ) -> None:
        self.settings = settings
        self._on_call = on_call
        self._recall = recall
        self._purse = purse
        self._price = price_of(settings.model)
        if self._price is None and purse is not None and purse.budget.cost is not None:
            fix = f"name a table of prices that holds it in {PRICES_VARIABLE}, or limit tokens instead"
            raise UsageError(f"no price is known of the model {settings.model!r}", where="budget of cost", fix=fix)
        self._key = os.environ.get(KEY_VARIABLE, "").strip()
        if not self._key:
            fix = f"set {KEY_VARIABLE}; for a server of your own that asks for none, any text will do"
            raise ToolkitError("there is no key for the model endpoint", where=settings.host, fix=fix)
        self._manners = Manners()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 8000,
        temperature: float = 0.0,
        repeat: int = 0,
        schema: AnswerSchema | None = None,
        on_progress: Callable[[int], None] | None = None,
    ) -> Completion:
        """Ask for one answer.

        Args:
            messages: The conversation so far.
            max_tokens: The answer's, at most.
            temperature: 0 asks for the likeliest answer.
            repeat: Tells independent askings of the same request apart.
            schema: The form of the answer; an endpoint may not keep to it.
            on_progress: Told the characters so far while the answer is streamed.

        Raises:
            BudgetSpentError: If the request might take more than is left; nothing was asked.
            ContextLengthError: If the request is longer than the model reads.
            ToolkitError: If the endpoint gives no answer, with the remedy.
        """
        request = ModelRequest(messages, max_tokens, temperature, repeat, schema)
        earlier = self._recalled(request)
        if earlier is not None:
            return earlier
        return _run(self._alone(request, self._put_aside(request), on_progress))

    def complete_many(
        self,
        requests: Sequence[ModelRequest],
        *,
        concurrency: int = 4,
        on_done: Callable[[int, int], None] | None = None,
    ) -> Answers:
        """Ask many questions, at most `concurrency` at a time.

        The first failure of the endpoint, or the end of the budget, stops new requests; those under way are finished.

        Args:
            requests: Equal ones (repeat included) are asked once.
            concurrency: Requests under way at one time (count, >= 1).
            on_done: Told how many of how many are answered.
        """
        if concurrency < 1:
            raise ValueError(f"concurrency must be at least 1, got {concurrency}")
        return _run(_Round(self, requests, concurrency, on_done).run())

    async def _alone(
        self, request: ModelRequest, aside: Spent, on_progress: Callable[[int], None] | None
    ) -> Completion:
        async with self._endpoint() as endpoint:
            return await self._paid(endpoint, request, aside, on_progress)

    def _endpoint(self) -> "Endpoint":
        from evaluator.models.endpoint import Endpoint

        return Endpoint(self.settings, self._key, self._manners)

    def _recalled(self, request: ModelRequest) -> Completion | None:
        earlier = self._recall(request.digest(self.settings.model)) if self._recall else None
        return None if earlier is None else replace(earlier, recalled=True)

    async def _paid(
        self,
        endpoint: "Endpoint",
        request: ModelRequest,
        aside: Spent,
        on_progress: Callable[[int], None] | None = None,
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
        return self._purse.put_aside(Spent(request.prompt_tokens + request.max_tokens, cost))

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


class _Round:
    """The requests of one `complete_many`."""

    def __init__(
        self,
        client: ModelClient,
        requests: Sequence[ModelRequest],
        concurrency: int,
        on_done: Callable[[int, int], None] | None,
    ) -> None:
        self._client = client
        self._digests = [request.digest(client.settings.model) for request in requests]
        self._requests = dict(zip(self._digests, requests, strict=True))
        self._concurrency = concurrency
        self._on_done = on_done
        self._found: dict[str, Completion] = {}
        self._refused: dict[str, ToolkitError] = {}
        self._fault: ToolkitError | None = None
        self._under_way: dict[asyncio.Task[Completion], str] = {}

    async def run(self) -> Answers:
        async with self._client._endpoint() as endpoint:
            for digest, request in self._requests.items():
                earlier = self._client._recalled(request)
                if earlier is not None:
                    self._keep(digest, earlier)
                    continue
                aside = await self._room(request)
                if aside is None:
                    break
                self._under_way[asyncio.create_task(self._client._paid(endpoint, request, aside))] = digest
            while self._under_way:
                await self._finish_one()
        refused = {place: self._refused[d] for place, d in enumerate(self._digests) if d in self._refused}
        return Answers(tuple(self._found.get(digest) for digest in self._digests), refused, self._fault)

    async def _room(self, request: ModelRequest) -> Spent | None:
        """Wait until a request may begin; None: none may any more."""
        while len(self._under_way) >= self._concurrency:
            await self._finish_one()
        while self._fault is None:
            try:
                return self._client._put_aside(request)
            except BudgetSpentError as error:
                if not self._under_way:  # otherwise those under way may take less than was put aside for them
                    self._fault = error
                else:
                    await self._finish_one()
        return None

    async def _finish_one(self) -> None:
        done, _ = await asyncio.wait(self._under_way, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            digest = self._under_way.pop(task)
            try:
                self._keep(digest, task.result())
            except ContextLengthError as error:
                self._refused[digest] = error
            except ToolkitError as error:
                self._fault = self._fault or error

    def _keep(self, digest: str, completion: Completion) -> None:
        self._found[digest] = completion
        if self._on_done:
            self._on_done(len(self._found), len(self._requests))


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
