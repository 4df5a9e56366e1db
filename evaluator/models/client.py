"""Ask a model: one request, the client's own retries, every call reported for the transcript."""

import hashlib
import json
import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from evaluator.errors import ToolkitError
from evaluator.models.settings import KEY_VARIABLE, ModelSettings

if TYPE_CHECKING:
    import openai

log = logging.getLogger(__name__)

RETRY_PAUSE_S = 0.25  # doubled with every answer that cannot be read
MAX_RETRY_PAUSE_S = 8.0
MAX_ANSWER_CHARS = 2_000_000  # of an answer that is kept; what is longer is cut and counts as cut off


@dataclass(frozen=True)
class Message:
    """One turn of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Completion:
    """What the model answered, and what it took."""

    text: str
    prompt_tokens: int = 0  # as the endpoint counts; 0 when it does not say
    completion_tokens: int = 0
    seconds: float = 0.0  # retries and waits included
    finish_reason: str = "stop"

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
        return asdict(self)


class ModelClient:
    """A conversation partner behind an OpenAI-compatible endpoint.

    Args:
        settings: Which model, where, how patiently.
        on_call: Told of every call, the failed ones too.
        recall: Returns an earlier answer to the request with this digest, if there is one.

    Raises:
        ToolkitError: If the environment holds no key.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        on_call: Callable[[ModelCall], None] | None = None,
        recall: Callable[[str], Completion | None] | None = None,
    ) -> None:
        self.settings = settings
        self._on_call = on_call
        self._recall = recall
        self._key = os.environ.get(KEY_VARIABLE, "").strip()
        if not self._key:
            fix = f"set {KEY_VARIABLE}; for a server of your own that asks for none, any text will do"
            raise ToolkitError("there is no key for the model endpoint", where=settings.host, fix=fix)
        self._client: openai.OpenAI | None = None

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 8000, temperature: float = 0.0, repeat: int = 0
    ) -> Completion:
        """Ask for one answer; `repeat` tells independent askings of the same request apart.

        Raises:
            ContextLengthError: If the request is longer than the model reads.
            ToolkitError: If the endpoint gives no answer, with the remedy.
        """
        params = {"max_tokens": max_tokens, "temperature": temperature, "repeat": repeat}
        digest = request_digest(self.settings.model, params, messages)
        earlier = self._recall(digest) if self._recall else None
        if earlier is not None:
            return earlier
        started = time.monotonic()
        try:
            completion = self._ask(messages, max_tokens=max_tokens, temperature=temperature)
        except ToolkitError as error:
            self._report(digest, params, messages, None, str(error))
            raise
        completion = Completion(**{**asdict(completion), "seconds": round(time.monotonic() - started, 3)})
        self._report(digest, params, messages, completion, "")
        return completion

    def _ask(self, messages: Sequence[Message], *, max_tokens: int, temperature: float) -> Completion:
        import openai

        from evaluator.models.faults import fault_of

        body: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature}
        turns: Any = [{"role": m.role, "content": _encodable(m.content)} for m in messages]
        unreadable = 0
        while True:
            try:
                answer = self._connection().chat.completions.create(model=self.settings.model, messages=turns, **body)
                return _completion_of(answer, self.settings)
            except openai.BadRequestError as error:
                adapted = _adapted(body, str(error.message))
                if adapted is None:
                    raise fault_of(error, self.settings, self._key) from None
                body = adapted
            except openai.OpenAIError as error:
                raise fault_of(error, self.settings, self._key) from None
            except ValueError as error:  # a body that is not JSON, which the package's own retries leave out
                unreadable += 1
                if unreadable > self.settings.max_retries:
                    raise fault_of(openai.OpenAIError(f"not JSON: {error}"), self.settings, self._key) from None
                time.sleep(min(RETRY_PAUSE_S * 2**unreadable, MAX_RETRY_PAUSE_S))

    def _connection(self) -> "openai.OpenAI":
        if self._client is None:
            import openai

            # a proxy of the environment cannot see this machine's own loopback
            http_client = openai.DefaultHttpxClient(trust_env=False) if self.settings.is_loopback else None
            self._client = openai.OpenAI(
                api_key=self._key,
                base_url=self.settings.base_url,
                timeout=self.settings.timeout_s,
                max_retries=self.settings.max_retries,
                http_client=http_client,
            )
        return self._client

    def _report(
        self,
        digest: str,
        params: dict[str, Any],
        messages: Sequence[Message],
        completion: Completion | None,
        error: str,
    ) -> None:
        tokens = (completion.prompt_tokens, completion.completion_tokens) if completion else (0, 0)
        log.info("model_call model=%s tokens=%s digest=%s error=%r", self.settings.model, tokens, digest[:12], error)
        if self._on_call:
            self._on_call(
                ModelCall(
                    digest, self.settings.model, self.settings.host, params, tuple(messages), completion, error=error
                )
            )

    def close(self) -> None:
        """Close the connections; a further request opens new ones."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def __enter__(self) -> "ModelClient":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def request_digest(model: str, params: dict[str, Any], messages: Sequence[Message]) -> str:
    """Return the SHA-256 of a request: equal for equal requests, different per repeat."""
    body = json.dumps([model, params, [[m.role, m.content] for m in messages]], sort_keys=True)
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def _adapted(body: dict[str, Any], said: str) -> dict[str, Any] | None:
    """Return the request body that an endpoint asks for by naming a parameter it does not take; None: no such hint."""
    if "max_completion_tokens" in said and "max_tokens" in body:
        return {**{k: v for k, v in body.items() if k != "max_tokens"}, "max_completion_tokens": body["max_tokens"]}
    if "temperature" in said and "temperature" in body:
        return {k: v for k, v in body.items() if k != "temperature"}
    return None


def _completion_of(answer: Any, settings: ModelSettings) -> Completion:
    """Read the answer's parts; a server that is only nearly compatible may leave any of them out."""
    choices: Any = getattr(answer, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(choice, "message", None)
    if message is None:
        raise ToolkitError(
            "the endpoint's answer is not a chat completion",
            where=f"model {settings.model!r} at {settings.host}",
            fix="check that OPENAI_BASE_URL names an OpenAI-compatible interface (often it ends in /v1)",
        )
    text = getattr(message, "content", None)
    text = text if isinstance(text, str) else ""
    usage = getattr(answer, "usage", None)
    reason = str(getattr(choice, "finish_reason", None) or "stop")
    return Completion(
        text=text[:MAX_ANSWER_CHARS],
        prompt_tokens=_count(getattr(usage, "prompt_tokens", 0)),
        completion_tokens=_count(getattr(usage, "completion_tokens", 0)),
        finish_reason="length" if len(text) > MAX_ANSWER_CHARS else reason,
    )


def _encodable(text: str) -> str:
    """Replace what UTF-8 cannot carry: data files hold half characters now and then."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value >= 0 else 0
