"""What the user reads when an endpoint gives no answer, when a request is made again, and after how long."""

import math
import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

from evaluator.errors import ToolkitError, UsageError
from evaluator.models.exchange import ContextLengthError
from evaluator.models.model_settings import MODEL_VARIABLE, ModelSettings

CONTEXT_CODES = {"context_length_exceeded", "string_above_max_length", "request_too_large"}
CONTEXT_PHRASES = (
    *("context length", "context window", "maximum context", "too many tokens", "prompt is too long"),
    *("exceed context limit", "exceeds the maximum number of tokens"),  # as Anthropic and Google say it
)
QUOTA_WORDS = ("insufficient_quota", "exceeded your current quota", "billing", "out of credit")
CREDIT_WORDS = ("credit balance",)  # of a refusal with another status than those of quotas
KEY_CODES = {"API_KEY_INVALID"}  # of a refusal that Google gives the status 400
REPEATED: Final = {408, 409, 429}  # and every status from 500 on
MAX_WAIT_S: Final = 120.0  # an endpoint that wants to be left alone for longer is not waited for
RETRY_PAUSE_S: Final = 0.25  # doubled with every failure
MAX_RETRY_PAUSE_S: Final = 8.0
MAX_DROPPED_STREAMS: Final = 2  # of one request; then it is made without streaming, as some proxies cut every stream
PROGRESS_EVERY_S: Final = 2.0
NOT_READ: Final = (ValueError, TypeError, AttributeError, LookupError, AssertionError, RecursionError)
"""What clients raise over an answer that is none; nothing else may run where these are caught."""


@dataclass(frozen=True)
class Refusal:
    """An HTTP status that is no answer, with what the endpoint says about it."""

    status: int
    said: str
    code: str = ""  # a word for machines
    retry_after: str = ""  # seconds, or a date, as in the header of that name


class RefusedError(Exception):
    """The endpoint refused the request."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.said)
        self.refusal = refusal


class UnreachableError(Exception):
    """There is no connection to the endpoint, or it broke off."""


class BrokenAnswerError(Exception):
    """An answer began and cannot be read to its end; the cause is chained where there is one."""


def said_of(text: object, key: str) -> str:
    """Return what an endpoint says as one short line without the key."""
    said = str(text).replace(key, "[key]") if key else str(text)
    said = " ".join(said.split())
    return said if len(said) <= 300 else f"{said[:300]}..."


def asked_where(settings: ModelSettings) -> str:
    """Return the model and its endpoint as errors name them."""
    return f"model {settings.model!r} at {settings.host}"


def timeout_fault(settings: ModelSettings) -> ToolkitError:
    """Return the error of a model that was too slow every time."""
    return ToolkitError(
        f"the model gave no answer in {settings.timeout_s:g} s, {settings.max_retries + 1} times",
        where=asked_where(settings),
        fix="try again later, or set BENCHWRIGHT_MODEL_TIMEOUT to more seconds",
    )


def unreachable_fault(settings: ModelSettings) -> ToolkitError:
    """Return the error of an endpoint that is not there."""
    url = settings.interface.url_variable
    fix = f"check that the server is running and that {url} names it"
    return ToolkitError("the model endpoint cannot be reached", where=asked_where(settings), fix=fix)


def broken_fault(settings: ModelSettings, said: str) -> ToolkitError:
    """Return the error of an answer that is none."""
    what = f"the model endpoint answered with something else: {said}"
    return ToolkitError(what, where=asked_where(settings), fix="check the server")


def refusal_fault(settings: ModelSettings, refusal: Refusal) -> ToolkitError:
    """Return the error of a refusal, with the remedy."""
    where, interface = asked_where(settings), settings.interface
    status, said, code = refusal.status, refusal.said, refusal.code
    if status in {400, 413, 422} and is_context_length(code, said):
        return ContextLengthError(
            f"the request is longer than the model can read: {said}",
            where=where,
            fix="use a model with a longer context, or a seed with fewer columns and a shorter notebook",
        )
    if status in {401, 403} or code in KEY_CODES:
        return ToolkitError(
            f"the endpoint refused the key (HTTP {status}): {said}",
            where=where,
            fix=f"set {interface.key_variable} to a key that is valid for this endpoint",
        )
    if status == 404:
        fix = f"check --model or {MODEL_VARIABLE}, and that {interface.url_variable} {interface.url_advice}"
        return ToolkitError(f"the endpoint knows no such model or path (HTTP 404): {said}", where=where, fix=fix)
    if _is_quota(settings, refusal):
        what = f"the account's quota is used up (HTTP {status}): {said}"
        return ToolkitError(what, where=where, fix="add credit or use another key")
    if status == 429:
        what = f"the endpoint asks to slow down, again and again (HTTP 429): {said}"
        return ToolkitError(what, where=where, fix=f"{_wait_in_words(refusal)} and repeat the command")
    if status >= 500:
        fix = f"the server is in trouble: {_wait_in_words(refusal)} and repeat the command"
        return ToolkitError(f"the endpoint failed (HTTP {status}): {said}", where=where, fix=fix)
    fix = "see what the server says; another --model may accept the request"
    return ToolkitError(f"the endpoint refused the request (HTTP {status}): {said}", where=where, fix=fix)


def prefix_fault(settings: ModelSettings) -> UsageError:
    """Return the error of a request that only the completions endpoint of OpenAI's interface answers."""
    return UsageError(
        f"{settings.provider} has no interface that goes on with a text",
        where=f"model {settings.model!r}",
        fix="use another agent, or a model behind an OpenAI-compatible endpoint",
    )


def is_context_length(code: str, said: str) -> bool:
    """Return whether an endpoint's refusal means that the request is too long."""
    return code in CONTEXT_CODES or any(phrase in said.lower() for phrase in CONTEXT_PHRASES)


def is_repeated(refusal: Refusal) -> bool:
    """Return whether the same request may be answered a little later."""
    return refusal.status in REPEATED or refusal.status >= 500


def wait_s(refusal: Refusal) -> float | None:
    """Return how long the endpoint wants to be left alone (seconds); None: it does not say so."""
    asked = refusal.retry_after.strip()
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def retry_pause(failures: int) -> float:
    """Return how long to wait (seconds), shortened by up to a quarter so that many clients do not come at once."""
    longest: float = min(RETRY_PAUSE_S * 2.0 ** min(failures, 99), MAX_RETRY_PAUSE_S)
    return longest * (1 - 0.25 * random.random())  # noqa: S311 - no secret depends on it


def _is_quota(settings: ModelSettings, refusal: Refusal) -> bool:
    if refusal.status == 402 or any(word in refusal.said.lower() for word in CREDIT_WORDS):
        return True
    if refusal.status != 429 or settings.provider == "google":  # which speaks of quotas where it only wants a pause
        return False
    return any(word in f"{refusal.code} {refusal.said}".lower() for word in QUOTA_WORDS)


def _wait_in_words(refusal: Refusal) -> str:
    asked = refusal.retry_after.strip()
    if asked.isascii() and asked.replace(".", "", 1).isdigit() and len(asked) < 20:  # fractions, too, from Google
        return f"wait {math.ceil(float(asked))} s, as the endpoint asks,"
    printable = asked.isascii() and asked.isprintable() and 0 < len(asked) < 40
    return f"wait until {asked}, as the endpoint asks," if printable else "wait a minute"
