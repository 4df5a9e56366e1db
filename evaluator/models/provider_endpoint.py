"""What the endpoints of single providers share: how turns are laid out, and when a request is made again."""

import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, Self

from evaluator.errors import ToolkitError
from evaluator.models.endpoint_faults import (
    MAX_DROPPED_STREAMS,
    MAX_WAIT_S,
    PROGRESS_EVERY_S,
    BrokenAnswerError,
    Refusal,
    RefusedError,
    UnreachableError,
    broken_fault,
    is_repeated,
    prefix_fault,
    refusal_fault,
    retry_pause,
    said_of,
    timeout_fault,
    unreachable_fault,
    wait_s,
)
from evaluator.models.exchange import (
    MAX_ANSWER_CHARS,
    Completion,
    EndpointCapabilities,
    Message,
    ModelRequest,
    OnProgress,
    ToolCall,
)
from evaluator.models.model_settings import ModelSettings

EMPTY: Final = "(empty)"  # stands for a turn without text, which these endpoints refuse
WITHHELD: Final = "content_filter"  # how an answer ends that the provider withheld; it is empty then


class Turn(NamedTuple):
    """What one side says before the other does."""

    by_model: bool
    messages: list[Message]


class Conversation(NamedTuple):
    """Messages as endpoints want them that tell instructions from turns, and whose turns alternate."""

    system: str
    turns: list[Turn]


def conversation_of(messages: Sequence[Message]) -> Conversation:
    """Join the leading system messages, and turns of one side; a later system message is one of the user's."""
    first = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
    system = "\n\n".join(message.content for message in messages[:first] if message.content.strip())
    turns: list[Turn] = []
    for message in messages[first:]:
        by_model = message.role == "assistant"
        if not turns or turns[-1].by_model != by_model:
            turns.append(Turn(by_model, []))
        turns[-1].messages.append(message)
    if not turns and system:  # instructions alone are what is asked
        return Conversation("", [Turn(False, [Message("user", system)])])
    if not turns or turns[0].by_model:
        turns.insert(0, Turn(False, [Message("user", "")]))
    return Conversation(system, turns)


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return a call's arguments as an object, also where the model wrote none."""
    try:
        written = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        written = call.arguments
    return written if isinstance(written, dict) else {"arguments": written}


def finished(completion: Completion) -> Completion:
    """Return an answer without what a provider withheld, and not longer than is kept."""
    if completion.finish_reason == WITHHELD:
        return replace(completion, text="", calls=())
    if len(completion.text) > MAX_ANSWER_CHARS:
        return replace(completion, text=completion.text[:MAX_ANSWER_CHARS], finish_reason="length")
    return completion


class Progress:
    """Tells a listener now and then how many characters there are."""

    def __init__(self, listener: OnProgress) -> None:
        self.chars = 0
        self._listener = listener
        self._told = time.monotonic()

    def add(self, text: str) -> bool:
        """Count a piece; False: there is more than is kept."""
        self.chars += len(text)
        if time.monotonic() - self._told >= PROGRESS_EVERY_S:
            self._told = time.monotonic()
            self._listener(self.chars)
        return self.chars <= MAX_ANSWER_CHARS

    def end(self) -> None:
        """Tell how many there were."""
        self._listener(self.chars)


class ProviderEndpoint(ABC):
    """The connections to one provider, within one event loop; an asynchronous context manager."""

    def __init__(self, settings: ModelSettings, key: str, manners: EndpointCapabilities) -> None:
        self.manners = manners
        self._settings = settings
        self._key = key

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._close()

    async def ask(self, request: ModelRequest, on_progress: OnProgress | None = None) -> Completion:
        """Return the answer; it is streamed if somebody listens to its progress.

        Raises:
            ContextLengthError: If the request is longer than the model reads.
            UsageError: If the request is one that the provider has no interface for.
            ToolkitError: If there is no answer, with the remedy.
        """
        if request.is_prefix:
            raise prefix_fault(self._settings)
        failures = broken = 0
        while True:
            try:
                async with asyncio.timeout(self._settings.timeout_s):
                    return await self._once(request, on_progress if broken < MAX_DROPPED_STREAMS else None)
            except RefusedError as error:
                learned = self._after(error.refusal, request)
                if learned is None:
                    failures = await self._wait(error, failures)
                else:
                    self.manners = learned
            except (BrokenAnswerError, UnreachableError, TimeoutError) as error:
                failures = await self._wait(error, failures)
                broken += not isinstance(error, UnreachableError)

    async def embed(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text.

        Raises:
            ToolkitError: If there are none, with the remedy.
        """
        failures = 0
        while True:
            try:
                async with asyncio.timeout(self._settings.timeout_s):
                    vectors = await self._vectors(texts)
                    break
            except (RefusedError, BrokenAnswerError, UnreachableError, TimeoutError) as error:
                failures = await self._wait(error, failures)
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1:
            raise broken_fault(self._settings, "a vector is missing for a text")
        return vectors

    async def _wait(self, error: Exception, failures: int) -> int:
        """Wait before the request is made again, and return how often it failed.

        Raises:
            ToolkitError: If it is not made again.
        """
        asked = wait_s(error.refusal) if isinstance(error, RefusedError) else None
        is_hopeless = isinstance(error, RefusedError) and not is_repeated(error.refusal)
        if is_hopeless or failures >= self._settings.max_retries or (asked or 0.0) > MAX_WAIT_S:
            raise self._fault(error) from None
        await asyncio.sleep(retry_pause(failures + 1) if asked is None else asked)
        return failures + 1

    def _fault(self, error: Exception) -> ToolkitError:
        if isinstance(error, RefusedError):
            return refusal_fault(self._settings, error.refusal)
        if isinstance(error, UnreachableError):
            return unreachable_fault(self._settings)
        if isinstance(error, TimeoutError):
            return timeout_fault(self._settings)
        return broken_fault(self._settings, said_of(error, self._key))

    @abstractmethod
    async def _close(self) -> None: ...

    @abstractmethod
    async def _once(self, request: ModelRequest, on_progress: OnProgress | None) -> Completion:
        """Ask once.

        Raises:
            RefusedError, BrokenAnswerError, UnreachableError, TimeoutError: If there is no answer.
        """

    @abstractmethod
    async def _vectors(self, texts: list[str]) -> list[list[float]]:
        """Embed once; raises what `_once` raises."""

    @abstractmethod
    def _after(self, refusal: Refusal, request: ModelRequest) -> EndpointCapabilities | None:
        """Return how to ask instead, after a refusal; None: it names nothing that could be left out."""
